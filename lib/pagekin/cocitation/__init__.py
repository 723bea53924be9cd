"""Kin by the company that links keep: pairs of links of one block, merged [BLOCK]."""
