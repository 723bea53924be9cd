"""The list of all stages, in their order, and which of their outputs a build needs.

Nobody says which stage comes before which: that follows from the kinds of record that a stage reads
and from the tables that it uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.kinds import Kind
from pagekin.stages.authority import AUTHORITY
from pagekin.stages.contexts import CONTEXTS_OF_URLS
from pagekin.stages.declaration import PARTS, Output, Stage, Table
from pagekin.stages.document_frequency import DOCUMENT_FREQUENCY
from pagekin.stages.enriched_bags import ENRICHED_STAGE
from pagekin.stages.index_shards import INDEX_SHARDS
from pagekin.stages.inventory import INVENTORY
from pagekin.stages.joined_heads import JOINED_HEADS_OF_PAGES
from pagekin.stages.link_graph import LINK_GRAPH
from pagekin.stages.mirror_components import MIRROR_COMPONENTS
from pagekin.stages.mirror_edges import MIRROR_EDGES_OF_PAGES
from pagekin.stages.mirror_groups import MIRROR_GROUPS_OF_PAGES
from pagekin.stages.mirror_members import MIRROR_MEMBERS_OF_COMPONENTS
from pagekin.stages.mirror_offers import MIRROR_OFFERS_OF_PAGES
from pagekin.stages.mirror_pairs import MIRROR_PAIRS_OF_PAGES
from pagekin.stages.page_heads import PAGE_HEADS
from pagekin.stages.pairs import PAIRS
from pagekin.stages.reading import READING
from pagekin.stages.related import RELATED
from pagekin.stages.term_neighbours import TERM_NEIGHBOURS
from pagekin.stages.topics import TOPICS_STAGE
from pagekin.stages.weighted_bags import WEIGHTED_BAGS

__all__ = [
    "STAGES",
    "is_possible",
    "maker_of",
    "needed_by",
    "output_named",
    "outputs_named",
    "stage_of",
    "wanted_outputs",
]

STAGES: tuple[Stage, ...] = (
    INVENTORY,
    READING,
    DOCUMENT_FREQUENCY,
    WEIGHTED_BAGS,
    TERM_NEIGHBOURS,
    TOPICS_STAGE,
    PAGE_HEADS,
    JOINED_HEADS_OF_PAGES,
    CONTEXTS_OF_URLS,
    ENRICHED_STAGE,
    INDEX_SHARDS,
    LINK_GRAPH,
    AUTHORITY,
    PAIRS,
    RELATED,
    MIRROR_PAIRS_OF_PAGES,
    MIRROR_OFFERS_OF_PAGES,
    MIRROR_EDGES_OF_PAGES,
    MIRROR_COMPONENTS,
    MIRROR_MEMBERS_OF_COMPONENTS,
    MIRROR_GROUPS_OF_PAGES,
)

_OUTPUTS = {output.name: output for stage in STAGES for output in stage.outputs}
_STAGE_OF = {output.name: stage for stage in STAGES for output in stage.outputs}
_MAKERS: dict[Kind | Table, Output] = {
    **{kind: output for output in _OUTPUTS.values() for kind in output.makes},
    **{table: output for output in _OUTPUTS.values() for table in output.tables},
}


def stage_of(output: Output) -> Stage:
    """The stage that makes an output."""
    return _STAGE_OF[output.name]


def maker_of(made: Kind | Table) -> Output:
    """The output that a kind of record, or a table, belongs to."""
    return _MAKERS[made]


def output_named(name: str) -> Output:
    """The output of this name."""
    return _OUTPUTS[name]


def is_possible(name: str, config: BuildConfig) -> bool:
    """Does this configuration have the output of this name? One of another pagekin it may have."""
    return name not in _OUTPUTS or _OUTPUTS[name].is_possible(config)


def outputs_named(name: str) -> tuple[Output, ...]:
    """The output of this name, or all those of the stage of this name."""
    if name in _OUTPUTS:
        return (_OUTPUTS[name],)
    found = next((stage for stage in STAGES if stage.name == name), None)
    if found is None:
        names = dict.fromkeys(n for s in STAGES for n in (s.name, *(o.name for o in s.outputs)))
        raise UsageError(f"no such stage: {name}; there are {', '.join(names)}")
    return found.outputs


def needed_by(
    output: Output, config: BuildConfig | None = None
) -> Iterator[tuple[Output, Kind | Table]]:
    """What an output is made of: the outputs before it, each with what it needs of them.

    Without a configuration: under any.
    """
    stage = stage_of(output)
    reads = stage.reads_in(config) if config else stage.reads
    tables = (*stage.looks_up, *output.uses)
    wanted = [table for table in tables if config is None or table.wanted(config)]
    needed: list[Kind | Table] = [*reads, *wanted]
    for each in needed:
        yield maker_of(each), each


def wanted_outputs(
    config: BuildConfig,
    until: str = "",
    *,
    index: bool = False,
    parts: Collection[str] = PARTS,
) -> tuple[Output, ...]:
    """The outputs that a build needs, in the order of their stages.

    A build makes the final bags, or an index of them, the kin by co-citation, and groups of
    mirrors, as far as these parts are wanted; `until` names an output, or a stage, to end with.
    """
    goals = []
    if "bags" in parts:
        goals.append("index_shards" if index else "weighted_bags")
        if config.enrich.is_on:
            goals.append("enriched_bags")
        if config.enrich.learns_words:
            goals.append("term_neighbours")
    if "cocitation" in parts:
        goals.append("related")
    if config.authority.scores:
        goals.append("authority")
    if "mirrors" in parts:
        goals.append("mirror_groups")
        goals += ["index_shards"] if index else []  # mirrors are documents
    wanted = _closure(map(output_named, goals), config)
    if until:
        ends = outputs_named(until)
        if not any(output.is_possible(config) for output in ends):
            raise UsageError(f"{until} is not made under these settings, which do not ask for it")
        wanted = _closure((o for o in ends if len(ends) == 1 or o in wanted), config)
    return tuple(output for output in _OUTPUTS.values() if output in wanted)


def _closure(goals: Iterator[Output], config: BuildConfig) -> list[Output]:
    """These outputs and all that they are made of."""
    found: list[Output] = []
    waiting = list(goals)
    while waiting:
        output = waiting.pop()
        if output not in found:
            found.append(output)
            before = (maker for maker, _ in needed_by(output, config))
            waiting += [maker for maker in before if maker.is_possible(config)]
    return found
