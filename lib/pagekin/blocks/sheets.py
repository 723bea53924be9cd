"""The `<style>` elements of a page, and what they say of an element.

Of a selector its last part counts, without pseudo-classes, if it is simple: a tag, an id and up to
two classes in one (`td.a.b`). So `#menu a:link` speaks of every link. Rules within `@media` of the
screen count too; linked sheets are not read. The order of the cascade is that of CSS 2.1:
importance, specificity (of the part that counts), place.

Rules are found by what they ask for, so the price of an element does not grow with the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pagekin.blocks.declarations import declarations

__all__ = ["Ranked", "Sheets", "rank_attribute"]

_MAX_SHEET = 1 << 20  # characters of all <style> elements
_MAX_NAMES = 12  # classes of an element that are looked at
_PAIR = 2  # classes in one selector
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACES = re.compile(r"([{}])")
_NAME = r"[\w-]+"
_SIMPLE = re.compile(rf"({_NAME}|\*)?((?:[.#]{_NAME}){{0,3}})")
_NAMES = re.compile(rf"([.#])({_NAME})")
_PSEUDO = re.compile(rf"::?{_NAME}(?:\([^()]*\))?")
_SCREENS = ("all", "screen")
_NESTED = 3  # levels of @media

# property -> (important, in the element itself, ids, classes, tags, place of rule and declaration)
# and its value
Ranked = dict[str, tuple[tuple[int, ...], str]]
_Key = tuple[str, str, tuple[str, ...]]  # tag, id, classes; empty: any


class Sheets:
    """All that the <style> elements of a page say."""

    def __init__(self, tops: Iterable[Any]) -> None:
        self._rules = _read_sheets(tops)
        self._pairs = any(len(key[2]) > 1 for key in self._rules)
        self._memo: dict[tuple[str, str, str], Ranked] = {}

    def about(self, tag: str, name: str, classes: str) -> Ranked:
        """What the sheets say of such an element."""
        if not self._rules:
            return {}
        asked = (tag, name, classes)
        if asked not in self._memo:
            ranked: Ranked = {}
            for key in self._keys(tag, name.strip(), tuple(classes.split(None, _MAX_NAMES))):
                for prop, entry in self._rules.get(key, {}).items():
                    _rank(ranked, prop, entry)
            self._memo[asked] = ranked
        return self._memo[asked]

    def _keys(self, tag: str, name: str, classes: tuple[str, ...]) -> Iterator[_Key]:
        """Every selector that could mean the element."""
        names = sorted(set(classes[:_MAX_NAMES]))
        groups: list[tuple[str, ...]] = [(), *((n,) for n in names)]
        if self._pairs:
            groups += [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
        for group in groups:
            for of_tag in (tag, ""):
                yield of_tag, "", group
                if name:
                    yield of_tag, name, group


def _read_sheets(tops: Iterable[Any]) -> dict[_Key, Ranked]:
    texts = [
        "".join(sheet.itertext())
        for top in tops
        for sheet in top.iter("style")
        if _is_screen(sheet.get("media", ""))
    ]
    rules: dict[_Key, Ranked] = {}
    for place, (selectors, body) in enumerate(_rules("\n".join(texts)[:_MAX_SHEET]), 1):
        for key in filter(None, map(_key, selectors.split(","))):
            tag, name, classes = key
            specificity = (bool(name), len(classes), bool(tag))
            _add(rules.setdefault(key, {}), (0, *map(int, specificity)), place, body)
    return rules


def _is_screen(media: str) -> bool:
    words = media.lower().replace(",", " ").split()
    return not words or any(word in _SCREENS for word in words) or words[0].startswith("(")


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations), those within @media of the screen too."""
    pieces = _BRACES.split(_COMMENT.sub(" ", css))
    open_preludes: list[str] = []
    text = pieces[0]
    for brace, following in zip(pieces[1::2], pieces[2::2], strict=True):
        if brace == "{":
            open_preludes.append(text.rpartition(";")[2].strip().removeprefix("<!--").strip())
        elif open_preludes:
            prelude = open_preludes.pop()
            if not prelude.startswith("@") and _all_screens(open_preludes):
                yield prelude, text
        text = following


def _all_screens(preludes: list[str]) -> bool:
    return len(preludes) <= _NESTED and all(
        p.lower().startswith("@media") and _is_screen(p[len("@media") :]) for p in preludes
    )


def _key(selector: str) -> _Key | None:
    """What the last part of a selector asks for; None if that is not simple."""
    parts = _PSEUDO.sub("", selector).replace(">", " ").replace("+", " ").replace("~", " ").split()
    match = _SIMPLE.fullmatch(parts[-1]) if parts else None
    if not match:
        return None
    names = _NAMES.findall(match[2])
    ids = [name for mark, name in names if mark == "#"]
    classes = sorted({name for mark, name in names if mark == "."})
    if len(ids) > 1 or len(classes) > _PAIR:
        return None
    tag = (match[1] or "").lower()
    return ("" if tag == "*" else tag, ids[0] if ids else "", tuple(classes))


def _add(ranked: Ranked, weight: tuple[int, ...], place: int, body: str) -> None:
    """Rank the declarations of a rule."""
    for number, (prop, value, important) in enumerate(declarations(body)):
        _rank(ranked, prop, ((important, *weight, place, number), value))


def _rank(ranked: Ranked, prop: str, entry: tuple[tuple[int, ...], str]) -> None:
    if prop not in ranked or ranked[prop][0] <= entry[0]:
        ranked[prop] = entry


def rank_attribute(ranked: Ranked, body: str) -> None:
    """Rank what a style attribute declares."""
    _add(ranked, (1, 0, 0, 0), 0, body[:_MAX_SHEET])
