"""Reading and writing the configuration: BUILD.toml, flags, and the options of jobs.

BUILD.toml has a table per section; `--window-words 16` is `words` in `[window]`. Flags override the
file. Every mistake is reported in one go, and for an unknown key the nearest known one is named.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pagekin.config import BuildConfig, Section, sections
from pagekin.errors import UsageError

__all__ = [
    "add_flags",
    "config_from_flags",
    "config_of",
    "load_config",
    "to_flags",
    "unknown",
    "words_of",
]

_NO_HOST = frozenset(",:/ ")
_VALUES = {int: "N", float: "X", str: "CODE", tuple[str, ...]: "NAME,..."}  # as help shows them
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def load_config(path: Path | None, overrides: Mapping[str, Mapping[str, Any]]) -> BuildConfig:
    """BUILD.toml (if any) under the flags; every mistake is reported in one go."""
    tables = _read_toml(path) if path else {}
    names = tables.keys() | overrides.keys()
    return config_of({n: {**tables.get(n, {}), **overrides.get(n, {})} for n in sorted(names)})


def config_of(tables: Mapping[str, Mapping[str, Any]]) -> BuildConfig:
    """The configuration in tables by section; what they do not say is as by default."""
    problems: list[str] = []
    parts = {
        name: _section(name, cls, tables.get(name, {}), problems)
        for name, cls in sections().items()
    }
    problems += [unknown(name, sections(), "section") for name in tables if name not in sections()]
    if problems:
        raise UsageError("; ".join(problems))
    return BuildConfig(**parts)


def _read_toml(path: Path) -> dict[str, dict[str, Any]]:
    import tomllib  # noqa: PLC0415 - most builds have no file, and no task has

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is not valid TOML: {error}") from error
    loose = [key for key, value in tables.items() if not isinstance(value, dict)]
    if loose:
        raise UsageError(
            f"{path}: {', '.join(loose)} stands outside a section;"
            f" sections are {', '.join(sections())}"
        )
    return tables


@cache
def _types(section: str) -> dict[str, Any]:
    """The types of the fields: 0.1 ms, and each job asks."""
    return get_type_hints(sections()[section])


def _section(name: str, cls: Section, values: Mapping[str, Any], problems: list[str]) -> Any:
    known = {f.name: f for f in dataclasses.fields(cls)}
    hints = _types(name)
    good: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            problems.append(unknown(f"{name}.{key}", [f"{name}.{k}" for k in known], "key"))
            continue
        try:
            good[key] = _checked(f"{name}.{key}", hints[key], known[key].metadata, value)
        except ValueError as error:
            problems.append(str(error))
    return cls(**good)


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """The complaint about a name that is not known, with the nearest that is."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    return f"unknown {what} {name}{hint}"


def _checked(name: str, kind: Any, metadata: Mapping[str, Any], value: Any) -> Any:
    """`value` as `kind`, within its choices and bounds; ValueError says what would be right."""
    if kind == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ValueError(f"{name} takes a list of strings, not {value!r}")
        if bad := [word for word in value if not word or _NO_HOST & set(word)]:
            raise ValueError(f"{name} takes names of hosts, not {', '.join(map(repr, bad))}")
        return tuple(value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ValueError(f"{name} takes {_KINDS[kind]}, not {value!r}")
    choices, low, high = metadata["choices"], metadata["low"], metadata["high"]
    if choices and value not in choices:
        some = metadata["examples"]
        right = f"codes like {', '.join(some)}" if some else f"one of {', '.join(choices)}"
        raise ValueError(f"{name} is {value!r}; it takes {right}")
    if kind in {int, float} and not low <= value <= high:
        most = f" and at most {high}" if high < math.inf else ""
        raise ValueError(f"{name} is {value}; it must be at least {low}{most}")
    return value


# --- flags: one per field, for the command and for every job -------------------------------------


def _boolean(word: str) -> bool:
    if word.lower() in {"true", "yes", "on", "1"}:
        return True
    if word.lower() in {"false", "no", "off", "0"}:
        return False
    raise argparse.ArgumentTypeError(f"takes true or false, not {word!r}")


def words_of(text: str) -> tuple[str, ...]:
    """What stands between the commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _flag(section: str, key: str) -> str:
    return f"--{section}-{key}".replace("_", "-")


def add_flags(add: Callable[..., Any], names: Iterable[str]) -> None:
    """Declare `--section-field` for every field; `add` is argparse's or mrjob's add-argument."""
    parsers: dict[Any, Callable[[str], Any]] = {bool: _boolean, tuple[str, ...]: words_of}
    for name in names:
        cls = sections()[name]
        hints = _types(name)
        for f in dataclasses.fields(cls):
            kind = hints[f.name]
            shown = ",".join(f.default) if isinstance(f.default, tuple) else str(f.default)
            listed = () if f.metadata["examples"] else f.metadata["choices"]
            words = ("true", "false") if kind is bool else listed
            shown = shown.lower() if kind is bool else shown
            add(
                _flag(name, f.name),
                dest=f"{name}_{f.name}",
                type=parsers.get(kind, kind),
                default=None,
                metavar="|".join(words) or _VALUES[kind],
                help=f"{f.metadata['help']} (default: {shown or 'none'})".replace("%", "%%"),
            )


def config_from_flags(options: argparse.Namespace, path: Path | None = None) -> BuildConfig:
    """The configuration that parsed flags (over a BUILD.toml) ask for."""
    overrides = {
        name: {
            f.name: value
            for f in dataclasses.fields(cls)
            if (value := getattr(options, f"{name}_{f.name}", None)) is not None
        }
        for name, cls in sections().items()
    }
    if overrides["weight"].get("normalise") is False and not hasattr(options, "signatures_method"):
        # a job that declares no signatures makes none, and those of its bags are not its matter
        overrides["signatures"] = {"method": "icws"}
    return load_config(path, overrides)


def to_flags(config: BuildConfig, names: Iterable[str]) -> list[str]:
    """The flags that say everything in which `config` differs from the defaults."""
    words: list[str] = []
    for name in names:
        section = getattr(config, name)
        for f in dataclasses.fields(section):
            value = getattr(section, f.name)
            if value != f.default:
                text = ",".join(value) if isinstance(value, tuple) else str(value)
                words += [f"{_flag(name, f.name)}={text}"]
    return words
