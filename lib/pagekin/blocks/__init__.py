"""A page becomes blocks of links: sections, merging or structural rules, link filters [BLOCK]."""
