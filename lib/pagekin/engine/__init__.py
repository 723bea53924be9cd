"""Jobs, and what runs them: each of mrjob's runners has a room of its own."""
