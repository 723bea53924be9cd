"""The blocks of links of a page, as records."""
