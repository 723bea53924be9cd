"""Jobs, and what runs them: each of mrjob's runners has a room of its own."""

from __future__ import annotations

from pagekin.engine.stand_ins import put_stand_ins

__all__ = ["ON_THIS_MACHINE", "RUNNERS"]

# mrjob's runners that are known to give the same records.
RUNNERS = ("inline", "local", "hadoop", "spark", "emr")
ON_THIS_MACHINE = frozenset({"inline", "local"})

put_stand_ins()
