"""What `pagekin evaluate gamma` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pagekin.evaluate.gamma import STATISTICS

__all__ = ["gamma_lines"]

_SHOWN = 5  # of the worst pages


def gamma_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The figures, by branch too, and the worst pages."""
    yield (
        f"{result['sources']:,} sources of {result['pages']:,} pages in {result['classes']:,}"
        f" classes; {result['missing_urls']:,} pages of the directory are not in the snapshot"
    )
    yield f"{'':10}{'value':>8}{'95 %':>18}{'with ties':>11}" + "".join(
        f"{name:>15}" for name in ("concordant", "discordant", "tied")
    )
    for name in STATISTICS:
        f = result[name]
        ends = f"{_number(f['low'])} to {_number(f['high'])}"
        counts = "".join(f"{f[key]:>15,}" for key in ("concordant", "discordant", "tied"))
        yield f"{name:10}{_number(f['value']):>8}{ends:>18}{_number(f['with_ties']):>11}{counts}"
    yield f"orthogonal within a class: {_number(result['orthogonal_share'])}"
    yield ""
    yield from _branch_lines(result["branches"])
    yield ""
    yield "worst pages, and their nearest wrong neighbours"
    for page in result["worst"][:_SHOWN]:
        yield f"  {page['url']}  {', '.join(page['classes'])}  {_number(page['value'])}"
        for near in page["wrong_neighbours"][:2]:
            yield f"      {near['similarity']:.4f}  {near['url']}  {', '.join(near['classes'])}"


def _branch_lines(branches: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'branch':32}{'sources':>8}" + "".join(f"{name:>11}" for name in STATISTICS)
    for b in branches:
        numbers = "".join(f"{_number(b[name]['value']):>11}" for name in STATISTICS)
        yield f"{b['branch'][:31]:32}{b['sources']:>8,}{numbers}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
