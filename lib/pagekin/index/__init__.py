"""The index on disk: shards, their files, how they are written, read, verified and merged."""
