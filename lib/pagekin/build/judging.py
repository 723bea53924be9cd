"""The pairs of many source pages counted as a job, for large directories."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pagekin.engine.run import Engine, run_job
from pagekin.evaluate.gamma import Tally
from pagekin.evaluate.similarities import Material
from pagekin.evaluate.store import tally_of_records, write_material
from pagekin.progress import StageProgress
from pagekin.stages.chain import Stage
from pagekin.storage.part_files import read_merged

__all__ = ["tally_of_job"]

_STAGE = Stage("gamma_counts", "pairs of source pages", "gamma_counts:GammaCounts")
_PER_LINE = 100  # sources
_PER_CORE = 4  # manifests for each core, so that no slow one is waited for


def tally_of_job(material: Material, by: str, sources: Sequence[int], engine: Engine) -> Tally:
    """The counts of the sources, in their order (ascending)."""
    with tempfile.TemporaryDirectory(prefix="pagekin-gamma-") as folder:
        made = Path(folder)
        (made / "progress").mkdir()
        write_material(made / "labelled.arrays", material)
        inputs = _manifests(sources, made / "manifests", engine.width * _PER_CORE)
        options = ["--labelled", str(made / "labelled.arrays"), "--by", by]
        options += ["--progress-dir", str(made / "progress")]
        with StageProgress("gamma", made / "progress", total=len(sources)):
            run_job(_STAGE, engine, options, inputs, made)
        return tally_of_records(read_merged(made / "output"))


def _manifests(sources: Sequence[int], folder: Path, count: int) -> list[Path]:
    """Files of lines with a hundred sources each, dealt in turns."""
    folder.mkdir()
    lines = [
        " ".join(map(str, sources[first : first + _PER_LINE])) + "\n"
        for first in range(0, len(sources), _PER_LINE)
    ]
    paths = []
    for k in range(min(count, len(lines))):
        paths.append(folder / f"manifest-{k:05d}")
        paths[-1].write_text("".join(lines[k::count]), encoding="ascii")
    return paths
