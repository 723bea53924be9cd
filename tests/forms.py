"""The words of a record, as the tests compare them."""

from __future__ import annotations

from collections.abc import Iterator

from pagekin.bags.vocabulary import read_forms
from pagekin.text.words import Form, term_hash

__all__ = ["parse_forms"]


def parse_forms(value: bytes) -> Iterator[Form]:
    """The forms of one record."""
    return (Form(term_hash(term), term, form, n) for term, form, n in read_forms(value))
