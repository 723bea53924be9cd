"""Pages read for blocks of links: as outlines and as trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagekin.web.page import Page, View, make_page

__all__ = ["FOR_BLOCKS", "HERE", "corpus", "tree_page"]

FOR_BLOCKS = View(text=False, outline=True, tree=True)
HERE = "http://own.example/dir/page.html"


def tree_page(html: str, url: str = HERE) -> Page:
    """A page read for all rules; one that holds nothing is not meant to be asked for."""
    page = make_page(url, html.encode("utf-8", "replace"), "utf-8", view=FOR_BLOCKS)
    assert isinstance(page, Page), page
    return page


def corpus(name: str) -> Path:
    """The folder of an evaluation corpus; the test is skipped where it is absent."""
    folder = Path(os.environ.get("PAGEKIN_CORPORA", "corpora")) / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not there; PAGEKIN_CORPORA names the folder that holds it")
    return folder
