"""In how many bags each term stands, and how it is written."""
