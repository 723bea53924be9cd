"""The standing of pages and hosts: what links to them, and theirs to others, say of each."""
