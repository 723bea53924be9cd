"""Where the links of a page lead, and which of them stand side by side."""
