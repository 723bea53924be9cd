"""The sums of co-citation in Spark SQL: what one would write who has Spark and no pagekin.

A line of the input is a link: block, domain, place, target, anchor. The same caps hold: of links
of one anchor text from one domain the best nine count, a domain adds 10 at the most, the sum is
divided by 1 + ln of the number of blocks that hold the page; from the threshold on it counts,
and a page has so many kin at the most, ordered as ours: by the score in 2^-20, then by the URL.
Anchor texts are equal or have no word in common.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

__all__ = ["SQL", "spark_sums"]

SQL = """
WITH inlinks AS (
  SELECT target, 1 + ln(count(DISTINCT block)) AS divisor FROM links GROUP BY target
), pairs AS (
  SELECT a.target AS p1, b.target AS p2, b.domain AS domain, b.anchor AS anchor,
         exp(-greatest(abs(a.place - b.place) - 8, 0) / 2)
           * (1 + CAST(a.anchor = b.anchor AS INT)) AS s
  FROM links a JOIN links b ON a.block = b.block AND a.target <> b.target
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY p1, p2, domain, anchor ORDER BY s DESC) AS place
  FROM pairs
), by_domain AS (
  SELECT p1, p2, domain, least(sum(s), 10.0) AS added FROM ranked WHERE place <= 9
  GROUP BY p1, p2, domain
), totals AS (
  SELECT p1, p2, sum(added) AS added FROM by_domain GROUP BY p1, p2
), scored AS (
  SELECT p1, p2, round(added / divisor * 1048576) AS ts FROM totals JOIN inlinks ON target = p2
  WHERE added / divisor >= {threshold}
), best AS (
  SELECT *, row_number() OVER (PARTITION BY p1 ORDER BY ts DESC, CAST(p2 AS STRING)) AS place
  FROM scored
)
SELECT p1, p2 FROM best WHERE place <= {kin}
"""
_COLUMNS = "block INT, domain INT, place INT, target INT, anchor INT"


def spark_sums(links: str, folder: str, threshold: float, kin: int) -> dict[str, Any]:
    """The pairs of pages and kin, CPU seconds of the Java process, and the bytes it shuffled."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("pairs")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "6g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "8",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        process = spark.sparkContext._gateway.proc.pid
        spark.read.csv(links, sep="\t", schema=_COLUMNS).createOrReplaceTempView("links")
        before, began = _cpu_of(process), time.perf_counter()
        rows = spark.sql(SQL.format(threshold=threshold, kin=kin)).collect()
        cpu, wall = _cpu_of(process) - before, time.perf_counter() - began
        shuffled = sum(p.stat().st_size for p in Path(folder).rglob("shuffle_*.data"))
    finally:
        spark.stop()
    return {
        "cpu": cpu,
        "wall": wall,
        "shuffled": shuffled,
        "kin": [[row["p1"], row["p2"]] for row in rows],
    }


def _cpu_of(process: int) -> float:
    """CPU seconds so far of a process with its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
