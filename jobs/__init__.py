"""The MapReduce jobs, one a file; installed as `pagekin.jobs`, and each a script of its own."""
