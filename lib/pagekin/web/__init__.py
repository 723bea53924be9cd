"""A snapshot becomes pages: WARC, HTTP, charsets, URLs, and HTML as one flat text."""
