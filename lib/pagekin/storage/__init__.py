"""Where stages keep what they made: workspaces here and elsewhere, stores, part files."""
