"""STRATEGIES.toml: the strategies of a sweep, and the figures in which they are plotted.

`[base]` has the sections of BUILD.toml and stands under all strategies; `[[strategy]]` tables name
what is different; `[[figure]]` tables say how a figure is drawn. docs/formats.md has every key. The
files that ship with the project are called by their name: `pagekin sweep paper`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pagekin.evaluate
from pagekin.config import BuildConfig, config_of, sections, to_dict, unknown
from pagekin.errors import UsageError
from pagekin.evaluate.similarities import representation_names

__all__ = ["MEASURES", "SHIPPED", "Figure", "Strategy", "StrategyFile", "read_strategies"]

SHIPPED: Final = Path(pagekin.evaluate.__file__).parent / "strategies"
MEASURES: Final = ("sibling", "gamma", "cousin", "unrelated", "orthogonal")

_WINDOW: Final = "window"  # as x: the mean number of words around a link
_SIGNED = frozenset({"signatures", "reranked"})
_BAGS = ("reading", "text", "window", "bag", "weight")  # sections of the configuration of bags
_BEYOND_BAGS = {  # what some representations depend on besides
    "signatures": ("signatures",),
    "reranked": ("signatures",),
    "cocitation": ("blocks", "cocitation"),
    "both": ("blocks", "cocitation"),
}

Tables = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Strategy:
    """A configuration, the representation that is judged, and where it is plotted."""

    name: str
    config: BuildConfig
    by: str = "bags"
    figure: str = ""
    series: str = ""
    x: float | str = ""  # "window": what is measured; "": none
    alpha: float = 0.0  # similarities up to this one are none
    candidates: int = 0  # of reranked

    def parts(self) -> dict[str, Any]:
        """All that its result depends on: not its name, nor where it is plotted."""
        own = {name: getattr(self, name) for name in ("by", "alpha", "candidates")}
        return {**own, **to_dict(self.config, (*_BAGS, *_BEYOND_BAGS.get(self.by, ())))}


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
class StrategyFile:
    """What a file asks for."""

    source: str
    strategies: tuple[Strategy, ...]
    figures: tuple[Figure, ...] = field(default_factory=tuple)

    def of_figure(self, figure: Figure) -> list[Strategy]:
        """The strategies of a figure, in the order of the file."""
        return [s for s in self.strategies if s.figure == (figure.of or figure.name)]


def read_strategies(
    source: str, overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> StrategyFile:
    """A file, or the shipped one of this name; `overrides` stand above all of its tables."""
    path = SHIPPED / f"{source}.toml"
    if not path.is_file() or Path(source).exists():
        path = Path(source)
    return _Reader(path.name, overrides or {}).read(_parse(path, source))


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
    """Collects every mistake of a file, and then raises one error with all of them."""

    def __init__(self, name: str, overrides: Mapping[str, Mapping[str, Any]]) -> None:
        self._name, self._overrides = name, overrides
        self._problems: list[str] = []

    def read(self, tables: dict[str, Any]) -> StrategyFile:
        self._check_names("", tables, ("base", "strategy", "figure"))
        base = tables.get("base", {})
        self._config("base", base if isinstance(base, dict) else {"base": base})
        found = self._tables(tables, "strategy")
        strategies = [] if self._problems else [self._strategy(table, base) for table in found]
        figures = [self._figure(table) for table in self._tables(tables, "figure")]
        if not found:
            self._problems.append("names no [[strategy]]")
        self._check(strategies, figures)
        if self._problems:
            raise UsageError("; ".join(f"{self._name}: {problem}" for problem in self._problems))
        known = {figure.name for figure in figures}
        named = dict.fromkeys(s.figure for s in strategies if s.figure)
        figures += [Figure(name) for name in named if name not in known]  # described by no table
        return StrategyFile(self._name, tuple(strategies), tuple(figures))

    def _tables(self, tables: dict[str, Any], kind: str) -> list[dict[str, Any]]:
        found = tables.get(kind, [])
        if isinstance(found, list) and all(isinstance(table, dict) for table in found):
            return found
        self._problems.append(f"{kind} is to be written as [[{kind}]]")
        return []

    def _strategy(self, table: dict[str, Any], base: Tables) -> Strategy:
        where = f"strategy {table.get('name', '')!r}"
        values = self._values(where, table, _fields(Strategy) - {"config"}, sections())
        changed = {name: table[name] for name in sections() if name in table}
        config = self._config(where, _merged(base, changed, self._overrides), values.get("by"))
        return Strategy(**{"name": "", **values}, config=config)

    def _figure(self, table: dict[str, Any]) -> Figure:
        where = f"figure {table.get('name', '')!r}"
        return Figure(**{"name": "", **self._values(where, table, _fields(Figure))})

    def _check_names(self, where: str, table: Mapping[str, Any], known: Collection[str]) -> None:
        for name in table:
            if name not in known:
                self._problems.append(f"{where}{unknown(name, sorted(known), 'key')}")

    def _values(
        self, where: str, table: dict[str, Any], keys: set[str], others: Collection[str] = ()
    ) -> dict[str, Any]:
        """The values of these keys that are of the kind of their defaults; no key may be there but
        these and some others."""
        self._check_names(f"{where}: ", table, (*keys, *others))
        values = {key: value for key, value in table.items() if key in keys}
        for key, value in values.items():
            if not _fits(key, value):
                self._problems.append(f"{where}: {key} cannot be {value!r}")
        return {key: value for key, value in values.items() if _fits(key, value)}

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
        drawn = sorted({s.figure for s in strategies} | {f.name for f in figures})
        for kind, names in (("strategy", known), ("figure", [f.name for f in figures])):
            if "" in names:
                self._problems.append(f"a {kind} has no name")
            for name in sorted({name for name in names if names.count(name) > 1}):
                self._problems.append(f"two {kind} tables are called {name!r}")
        for strategy in strategies:
            if strategy.by not in representation_names():
                hint = unknown(strategy.by, representation_names(), "representation")
                self._problems.append(f"strategy {strategy.name!r}: by: {hint}")
        for figure in figures:
            for key, names in {"against": known, "of": drawn, "measure": list(MEASURES)}.items():
                value = getattr(figure, key)
                if value and value not in names:
                    hint = unknown(value, names, "name")
                    self._problems.append(f"figure {figure.name!r}: {key}: {hint}")


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
