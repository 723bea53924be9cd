"""What a page says of itself and of others, from its parse to raw bags."""
