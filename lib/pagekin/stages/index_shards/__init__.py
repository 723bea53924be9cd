"""Final bags become the shards of an index."""
