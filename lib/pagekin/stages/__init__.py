"""The stages of a build: a folder for each, with its declaration and what it alone needs."""
