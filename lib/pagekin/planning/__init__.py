"""What a build would need: a sample is read and built, and the whole predicted from it."""
