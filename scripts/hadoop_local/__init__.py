"""A real Hadoop on one machine: HDFS, YARN, MapReduce and streaming, from Maven's artifacts.

What `scripts/hadoop-local` is made of. It needs Python, Java and, the first time, Maven; of pagekin
it knows nothing, so that it also runs where pagekin is not installed.
"""
