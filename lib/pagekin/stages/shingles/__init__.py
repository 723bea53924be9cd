"""Pages become sketches of their shingles, without what their sites repeat."""
