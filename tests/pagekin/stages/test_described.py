"""What `pagekin stages` prints, and the documents that show it."""

from __future__ import annotations

import json

from pagekin.kinds import KINDS
from pagekin.stages.chain import STAGES
from pagekin.stages.described import flow_chart, stages_as_data, stages_table
from tests.running import ROOT


def test_data():
    """Every stage, output and kind is told, and nothing twice."""
    told = stages_as_data()
    assert [stage.name for stage in STAGES] == [stage["name"] for stage in told["stages"]]
    outputs = [output["name"] for stage in told["stages"] for output in stage["outputs"]]
    assert len(outputs) == len(set(outputs)) == sum(len(stage.outputs) for stage in STAGES)
    assert [kind.name for kind in KINDS] == [kind["name"] for kind in told["kinds"]]


def test_every_kind_is_made_or_sent_by_a_stage():
    """No kind is named that no stage knows."""
    known = {k for s in STAGES for k in (*s.reads, *s.shuffles)}
    known |= {kind for stage in STAGES for output in stage.outputs for kind in output.makes}
    assert set(KINDS) == known


def test_what_an_output_needs_comes_before_it():
    """Stages stand in the order in which they can run."""
    seen: set[str] = set()
    for stage in stages_as_data()["stages"]:
        for output in stage["outputs"]:
            assert set(output["needs"]) <= seen, output["name"]
        seen |= {output["name"] for output in stage["outputs"]}


def test_command(command):
    """For people, as JSON, as a table and as a drawing."""
    said = command("stages")
    assert (0, "") == (said.code, said.err)
    assert "  makes fragments: pages become fragments" in said.out
    assert stages_as_data() == json.loads(command("stages", "--json").out)
    assert [*stages_table()] == command("stages", "--markdown").out.splitlines()
    assert [*flow_chart()] == command("stages", "--drawing").out.splitlines()


def test_documents():
    """The table of the formats and the drawing of the flow are those of the declarations."""
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert "\n".join(stages_table()) in formats
    architecture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert "\n".join(["```mermaid", *flow_chart(), "```"]) in architecture
