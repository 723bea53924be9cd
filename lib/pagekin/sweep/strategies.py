"""STRATEGIES.toml: the strategies of a sweep, and the figures in which they are plotted.

`[base]` has the sections of BUILD.toml and stands under all strategies; `[[strategy]]` tables name
what is different; `[[figure]]` tables say how a figure is drawn. docs/formats.md has every key. The
files that ship with the project are called by their name: `pagekin sweep paper`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pagekin.evaluate
from pagekin.config import BuildConfig, config_of, sections, unknown
from pagekin.errors import UsageError
from pagekin.evaluate.similarities import representation_names

__all__ = ["MEASURES", "SHIPPED", "Figure", "Plan", "Strategy", "read_plan"]

SHIPPED: Final = Path(pagekin.evaluate.__file__).parent / "strategies"
MEASURES: Final = ("sibling", "gamma", "cousin", "unrelated", "orthogonal")

_WINDOW: Final = "window"  # as x: the mean number of words around a link
_SIGNED = frozenset({"signatures", "reranked"})

Tables = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Strategy:
    """A configuration, the representation that is judged, and where it is plotted."""

    name: str
    config: BuildConfig
    by: str = "bags"
    figure: str = ""
    series: str = ""
    x: float | str = ""  # "window": what is measured; "": beside the others
    alpha: float = 0.0  # similarities up to this one are none
    candidates: int = 0  # of reranked


@dataclass(frozen=True)
class Figure:
    """How the strategies of a figure are plotted."""

    name: str
    title: str = ""
    about: str = ""
    measure: str = "sibling"
    of: str = ""  # the figure whose strategies these are, if another
    against: str = ""  # a strategy that each of them is compared with
    axis: str = ""  # what x is


@dataclass(frozen=True)
class Plan:
    """What a file asks for."""

    source: str
    strategies: tuple[Strategy, ...]
    figures: tuple[Figure, ...] = field(default_factory=tuple)

    def of_figure(self, figure: Figure) -> list[Strategy]:
        """The strategies of a figure, in the order of the file."""
        return [s for s in self.strategies if s.figure == (figure.of or figure.name)]


def read_plan(source: str, overrides: Mapping[str, Mapping[str, Any]] | None = None) -> Plan:
    """The plan in a file, or the shipped one of this name; `overrides` stand above all tables."""
    path = SHIPPED / f"{source}.toml"
    if not path.is_file() or Path(source).exists():
        path = Path(source)
    return _Reader(path.name, overrides or {}).plan(_parse(path, source))


def _parse(path: Path, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.toml")))
        raise UsageError(
            f"{source}: cannot be read: {error.strerror}; the strategies that ship with pagekin"
            f" are called {names}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: is not valid TOML: {error}") from error


class _Reader:
    """Collects every mistake of a file, and then says all of them."""

    def __init__(self, name: str, overrides: Mapping[str, Mapping[str, Any]]) -> None:
        self._name, self._overrides = name, overrides
        self._problems: list[str] = []

    def plan(self, said: dict[str, Any]) -> Plan:
        self._check_names("", said, ("base", "strategy", "figure"))
        base = said.get("base", {})
        self._config("base", base if isinstance(base, dict) else {"base": base})
        tables = self._tables(said, "strategy")
        strategies = [self._strategy(table, base) for table in tables] if self._sound() else []
        figures = [self._figure(table) for table in self._tables(said, "figure")]
        if not tables:
            self._problems.append("names no [[strategy]]")
        self._check(strategies, figures)
        if self._problems:
            raise UsageError("; ".join(f"{self._name}: {problem}" for problem in self._problems))
        return Plan(self._name, tuple(strategies), tuple(_all_figures(strategies, figures)))

    def _sound(self) -> bool:
        return not self._problems

    def _tables(self, said: dict[str, Any], kind: str) -> list[dict[str, Any]]:
        found = said.get(kind, [])
        if isinstance(found, list) and all(isinstance(table, dict) for table in found):
            return found
        self._problems.append(f"{kind} is to be written as [[{kind}]]")
        return []

    def _strategy(self, table: dict[str, Any], base: Tables) -> Strategy:
        own = _fields(Strategy) - {"config"}
        where = f"strategy {table.get('name', '')!r}"
        self._check_names(f"{where}: ", table, (*own, *sections()))
        values = self._values(where, Strategy, {k: v for k, v in table.items() if k in own})
        changed = {name: table[name] for name in sections() if name in table}
        config = self._config(where, _merged(base, changed, self._overrides), values.get("by"))
        return Strategy(**{"name": "", **values}, config=config)

    def _figure(self, table: dict[str, Any]) -> Figure:
        where = f"figure {table.get('name', '')!r}"
        self._check_names(f"{where}: ", table, _fields(Figure))
        known = {k: v for k, v in table.items() if k in _fields(Figure)}
        return Figure(**{"name": "", **self._values(where, Figure, known)})

    def _check_names(self, where: str, table: Mapping[str, Any], known: Collection[str]) -> None:
        for name in table:
            if name not in known:
                self._problems.append(f"{where}{unknown(name, sorted(known), 'key')}")

    def _values(self, where: str, cls: type, table: Mapping[str, Any]) -> dict[str, Any]:
        """The values that are of the kind of their defaults."""
        good = {}
        for key, value in table.items():
            if _fits(key, value):
                good[key] = value
            else:
                self._problems.append(f"{where}: {key} cannot be {value!r}")
        return good

    def _config(self, where: str, tables: Any, by: str | None = None) -> BuildConfig:
        if loose := [name for name, table in tables.items() if not isinstance(table, dict)]:
            self._problems.append(f"{where}: {loose[0]} is to be a section with keys")
            return BuildConfig()
        if tables.get("weight", {}).get("normalise") is False and by not in _SIGNED:
            # bags that nobody signs need no method that can sign them
            tables = _merged({"signatures": {"method": "icws"}}, tables)
        try:
            return config_of(tables)
        except UsageError as error:
            self._problems.append(f"{where}: {error}")
            return BuildConfig()

    def _check(self, strategies: list[Strategy], figures: list[Figure]) -> None:
        known = [strategy.name for strategy in strategies]
        drawn = {s.figure for s in strategies} | {f.name for f in figures}
        for kind, names in (("strategy", known), ("figure", [f.name for f in figures])):
            if "" in names:
                self._problems.append(f"a {kind} has no name")
            for name in sorted({name for name in names if names.count(name) > 1}):
                self._problems.append(f"two {kind} tables are called {name!r}")
        for strategy in strategies:
            if strategy.by not in representation_names():
                said = unknown(strategy.by, representation_names(), "representation")
                self._problems.append(f"strategy {strategy.name!r}: by: {said}")
        for figure in figures:
            self._check_figure(figure, known, drawn)

    def _check_figure(self, figure: Figure, known: list[str], drawn: set[str]) -> None:
        pairs = (("against", known), ("of", sorted(drawn)), ("measure", MEASURES))
        for key, names in pairs:
            value = getattr(figure, key)
            if value and value not in names:
                said = unknown(value, names, "name")
                self._problems.append(f"figure {figure.name!r}: {key}: {said}")


def _fields(cls: Any) -> set[str]:
    return {f.name for f in dataclasses.fields(cls)}


def _fits(key: str, value: Any) -> bool:
    """Strings, but for x, alpha and candidates."""
    if key == "x":
        return value == _WINDOW or type(value) in {int, float}
    if key == "alpha":
        return type(value) in {int, float} and 0 <= value < 1
    if key == "candidates":
        return type(value) is int and value >= 0
    return isinstance(value, str)


def _merged(*layers: Mapping[str, Any]) -> Tables:
    """Tables by section, of which the later stand above the earlier."""
    result: Tables = {}
    for layer in layers:
        for name, table in layer.items():
            if isinstance(table, Mapping):
                result[name] = {**result.get(name, {}), **table}
            else:
                result[name] = table
    return result


def _all_figures(strategies: list[Strategy], figures: list[Figure]) -> Iterator[Figure]:
    """Those that are described, in their order, and those that only strategies name."""
    yield from figures
    known = {figure.name for figure in figures}
    for name in dict.fromkeys(strategy.figure for strategy in strategies):
        if name and name not in known:
            yield Figure(name)
