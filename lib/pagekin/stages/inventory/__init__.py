"""Which URL stands for which, which capture is read, and a sample of the pages."""
