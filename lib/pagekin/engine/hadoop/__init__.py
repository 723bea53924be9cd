"""Hadoop: mrjob's runner, and what its logs say of a failure."""
