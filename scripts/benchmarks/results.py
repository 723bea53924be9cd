"""What a benchmark finds: tables, targets and figures, as plain values that JSON can hold.

Cells are raw numbers; how they are shown stands in their column. So a stored result can be printed
again, and put into the documents, without measuring anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Column", "Figure", "Result", "Table", "Target", "from_json", "markdown", "to_json"]


@dataclass(frozen=True)
class Column:
    """A heading, and how numbers below it are shown (a format of Python)."""

    name: str
    form: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells; None is shown as nothing."""

    title: str
    columns: list[Column]
    rows: list[list[Any]]
    about: str = ""

    def __post_init__(self) -> None:
        odd = [row for row in self.rows if len(row) != len(self.columns)]
        if odd:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, and a row {odd[0]}")


@dataclass(frozen=True)
class Target:
    """What should hold: a value at most (or, with `least`, at least) the bound."""

    what: str
    value: float
    bound: float
    least: bool = False
    goal: float | None = None

    @property
    def met(self) -> bool:
        return self._reaches(self.bound)

    def verdict(self) -> str:
        """In words, and by how much it is missed."""
        if not self.met:
            return f"missed by {abs(self.value / self.bound - 1):.0%}"
        if self.goal is None:
            return "met"
        return "met, and the goal" if self._reaches(self.goal) else "met, not the goal"

    def _reaches(self, bound: float) -> bool:
        return self.value >= bound if self.least else self.value <= bound


@dataclass(frozen=True)
class Figure:
    """A plot: marks are (series, x, value), x None for rows."""

    name: str
    title: str
    about: str
    axes: tuple[str, str]
    marks: list[tuple[str, float | None, float]]


@dataclass(frozen=True)
class Result:
    """All that one run of a benchmark found."""

    tables: list[Table]
    targets: list[Target] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def to_json(result: Result) -> dict[str, Any]:
    """As plain values, with the verdicts spelt out."""
    said = asdict(result)
    for plain, target in zip(said["targets"], result.targets, strict=True):
        plain["verdict"] = target.verdict()
    return said


def from_json(said: dict[str, Any]) -> Result:
    """The other way."""
    tables = [
        Table(**{**table, "columns": [Column(**c) for c in table["columns"]]})
        for table in said["tables"]
    ]
    targets = [
        Target(**{k: v for k, v in target.items() if k != "verdict"}) for target in said["targets"]
    ]
    figures = [
        Figure(
            **{
                **figure,
                "axes": tuple(figure["axes"]),
                "marks": [tuple(mark) for mark in figure["marks"]],
            }
        )
        for figure in said["figures"]
    ]
    return Result(tables, targets, figures, list(said["notes"]))


def markdown(result: Result) -> Iterator[str]:
    """The tables, what was to be reached, and notes; lines."""
    for table in result.tables:
        yield from _table(table)
    if result.targets:
        yield from _table(_targets(result.targets))
    yield from (f"- {note}" for note in result.notes)


def _table(table: Table) -> Iterator[str]:
    yield from (f"**{table.title}**", "")
    if table.about:
        yield from (table.about, "")
    yield f"| {' | '.join(column.name for column in table.columns)} |"
    yield f"|{'|'.join('--:' if column.form else '---' for column in table.columns)}|"
    for row in table.rows:
        cells = (_cell(value, column) for value, column in zip(row, table.columns, strict=True))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else format(value, column.form)
    return text.replace("|", "\\|")


def _targets(targets: list[Target]) -> Table:
    columns = [Column("what must hold"), Column("is", ".3g"), Column("bound", ".3g")]
    columns += [Column("goal", ".3g"), Column("")]
    rows: list[list[Any]] = []
    for target in targets:
        sign = "at least" if target.least else "at most"
        bound = f"{sign} {_plain(target.bound)}"
        goal = None if target.goal is None else _plain(target.goal)
        rows.append([target.what, _plain(target.value), bound, goal, target.verdict()])
    return Table("What must hold", columns, rows)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
