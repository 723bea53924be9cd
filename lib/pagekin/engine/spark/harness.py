"""The program of Spark's driver: mrjob's, behind the stand-ins for modules that mrjob misses."""

import runpy

import pagekin.engine  # noqa: F401 - puts the stand-ins

if __name__ == "__main__":
    runpy.run_module("mrjob.spark.harness", run_name="__main__", alter_sys=True)
