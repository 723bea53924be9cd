"""What the words of a page leave unsaid: parts that are added to its bag."""
