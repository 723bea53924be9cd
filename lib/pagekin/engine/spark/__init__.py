"""Spark: mrjob's runner, put right for Spark on this machine."""
