"""HTML pages of reports: one file that needs nothing else, with figures, tables and commands.

Whatever is shown is escaped: names of classes and URLs come from strangers. A policy in the file
allows its style sheets, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from pagekin.evaluate.figures import STYLE
from pagekin.web.safe_html import escaped, policy

__all__ = ["code", "document", "figure", "link", "section", "table", "text"]

# No element is wider than the page: words break anywhere, commands are wrapped, figures shrink with
# the page, or scroll in a frame of their own where letters would get too small. On a narrow page a
# table is a list, with the head of its column before each cell.
_STYLE = """
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;
overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.25}h2{font-size:1.25rem;margin-top:2.5rem}
.when{color:#888;margin-top:-.8rem}
table{border-collapse:collapse;font-size:.8rem;margin:1rem 0;width:100%}
th,td{text-align:right;padding:.25rem .4rem;border-bottom:1px solid #8884;vertical-align:top}
th{overflow-wrap:normal}
th:first-child,td:first-child,.words th,.words td,td[colspan]{text-align:left}
pre{background:#8881;padding:.6rem 1rem;border-radius:.3rem;font-size:.85rem;white-space:pre-wrap}
code{font-size:1em;display:inline-block;max-width:100%}a{color:inherit}
.figure{overflow-x:auto}svg{display:block;width:100%;max-width:100%;height:auto}
@media screen and (max-width:44rem){
.figure svg{width:40rem;max-width:none}
table,tbody,tr,td{display:block}thead{display:none}
tr{border-bottom:1px solid #8888;padding:.4rem 0}
td,td:first-child{border:0;text-align:left;padding:.05rem 0}
td:first-child{font-weight:600}td:empty{display:none}
td[data-head]::before{content:attr(data-head) ": ";color:#888;font-weight:400}
}
@media print{
body{font-size:11px;max-width:none;margin:0;padding:0}table{font-size:8px}
th,td{padding:.15rem .25rem}tr,.figure{break-inside:avoid}h2{break-after:avoid}
.figure{overflow:visible}a{text-decoration:none}
}
"""


def document(title: str, corpus: str, made: date, parts: Iterable[str]) -> str:
    """A whole page; its title says which pages it is about, and when it was made."""
    title = f"{title}: {corpus}" if corpus else title
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{policy(_STYLE, STYLE)}\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}, {made}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{escaped(title)}</h1>\n<p class="when">{made}</p>\n{chr(10).join(parts)}'
        "\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A headed part of a page."""
    return f"<h2>{escaped(title)}</h2>\n" + "\n".join(parts)


def text(words: str) -> str:
    """A paragraph; ends of lines in it are blanks."""
    return f"<p>{escaped(' '.join(words.split(chr(10))))}</p>"


def code(words: str) -> str:
    """What stands as it was written."""
    lines = "\n".join(map(escaped, words.split("\n")))
    return f"<pre>{lines}</pre>"


def link(url: str) -> str:
    """A link that shows its address; only web addresses are linked."""
    shown = escaped(url)
    if not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>'


def figure(svg: str) -> str:
    """A drawing; on a narrow page it scrolls in its frame, so that its letters can be read."""
    return f'<div class="figure">{svg}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; cells are HTML already. The last cell of a short row reaches to the end; `kind`
    "words": a table of text, and not of numbers.
    """
    top = "".join(f"<th>{escaped(head)}</th>" for head in heads)
    body = "\n".join(f"<tr>{''.join(_cells(heads, row))}</tr>" for row in rows)
    named = f' class="{kind}"' if kind else ""
    return f"<table{named}><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"


def _cells(heads: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for number, (head, cell) in enumerate(zip(heads, row, strict=False), 1):
        named = f' data-head="{escaped(head)}"' if number > 1 and head and cell else ""
        rest = len(heads) - number + 1 if number == len(row) else 1
        wide = f' colspan="{rest}"' if rest > 1 else ""
        yield f"<td{named}{wide}>{cell}</td>"
