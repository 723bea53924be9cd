"""A sample of the final bags teaches what the snapshot is about: topics."""

from __future__ import annotations

from pathlib import Path

from pagekin.config import BuildConfig
from pagekin.kinds import FINAL_BAGS, TOPIC_SAMPLE
from pagekin.kinds import TOPICS as TOPIC_RECORDS
from pagekin.stages.declaration import Circumstances, Counts, Output, Stage, Table, share_of_sample
from pagekin.stages.document_frequency import DICTIONARY, FREQUENCIES

__all__ = ["TOPICS", "TOPICS_STAGE"]

TOPICS = Table("topics", "topics.arrays", "the topics of the snapshot", required=False)


def _make_table(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    # imported here: only the process that builds makes tables
    from pagekin.enrich.topics import Topics  # noqa: PLC0415
    from pagekin.stages.topics.learning import parse_topic  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    topics = [parse_topic(value) for _, value in read_merged(folder)]
    Topics.write(folder / TOPICS.file, topics, circumstances.config.enrich)


def _tells(config: BuildConfig, counts: Counts) -> str:
    learned = counts.get("topics", {})
    bags, topics = learned.get("bags_learned_from", 0), learned.get("learned", 0)
    if not topics:
        return f"no topics were learned: {bags} bags have a term, and 8 are needed"
    sets = config.enrich.topics_sets
    return f"{sets} times {topics // sets} topics were learned from {bags:,} bags"


TOPICS_STAGE = Stage(
    "topics",
    "topics:LearnTopics",
    outputs=(
        Output(
            "topics",
            "what the snapshot is about, learned from a sample of bags",
            makes=(TOPIC_RECORDS,),
            sections=tuple(
                f"enrich.topics_{key}"
                for key in ("sample", "sets", "centroids", "rounds", "terms", "nearest")
            ),
            part="bags",
            uses=(FREQUENCIES, DICTIONARY),
            tables=(TOPICS,),
            make_tables=_make_table,
            is_possible=lambda config: config.enrich.topics,
            tells=_tells,
        ),
    ),
    reads=(FINAL_BAGS,),
    shuffles=(TOPIC_SAMPLE,),
    settle=share_of_sample("topics_sample"),
)
