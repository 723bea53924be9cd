"""HTML pages of reports: one file that needs nothing else, with figures, tables and commands.

Whatever is shown is escaped: names of classes and URLs come from strangers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["code", "document", "link", "section", "table", "text"]

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem}h2{font-size:1.25rem;margin-top:2.5rem}
table{border-collapse:collapse;font-size:.9rem;margin:1rem 0;display:block;overflow-x:auto}
th,td{text-align:right;padding:.25rem .7rem;border-bottom:1px solid #8884;vertical-align:top}
th:first-child,td:first-child{text-align:left}
pre{background:#8881;padding:.6rem 1rem;overflow-x:auto;border-radius:.3rem;font-size:.85rem}
svg{max-width:100%;height:auto}
.words td,.last-words td:last-child{text-align:left}code{font-size:.8rem}
a{color:inherit;overflow-wrap:anywhere}
"""


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{chr(10).join(parts)}\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A headed part of a page."""
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(parts)


def text(words: str) -> str:
    """A paragraph."""
    return f"<p>{escape(words)}</p>"


def code(words: str) -> str:
    """What stands as it was written."""
    return f"<pre>{escape(words)}</pre>"


def link(url: str) -> str:
    """A link that shows its address; only web addresses are linked."""
    shown = escape(url)
    if not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; cells are HTML already."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    named = f' class="{kind}"' if kind else ""
    return f"<table{named}><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
