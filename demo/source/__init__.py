"""The little web behind the demo snapshot: its texts (TOML), templates (HTML) and the code that
turns both into WARC files. Standard library only; nothing here is imported by pagekin."""
