"""Webs that are made up: WARC files of any size for trying, for tests of scale and benchmarks."""
