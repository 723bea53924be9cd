"""The chain of stages over one snapshot: what is to be done and why, and the report."""
