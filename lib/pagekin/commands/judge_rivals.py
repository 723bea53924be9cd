"""`pagekin evaluate rivals`: our bags beside what others do, in one table."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import (
    DEFAULT_WORK,
    add_command,
    add_judged_pages,
    check_at_least,
    check_judged_pages,
    check_labels,
    print_result,
)
from pagekin.config import words_of
from pagekin.errors import UsageError, naming
from pagekin.printing import tell

__all__ = ["add_rivals"]

_RIVALS = """\
Set our bags beside what others do: tf-idf and cosine, more-like-this of tantivy, SVD, and
embeddings (WordLlama, all-MiniLM-L6-v2), all over the labelled pages of one snapshot. Each rival is
judged with the text of whole pages, with their main content, and with the words of our bags, which
pages have that were never read.

SNAPSHOT is what the workspace was built of; its pages are read once more for their texts. Packages
of rivals come with pip install '.[rivals]', and nothing is loaded from elsewhere; a rival whose
package is missing is passed over.

A network reads 20 pieces of 256 tokens in a second. So it is judged among fewer pages, drawn at
random, with our bags among the same pages (--pieces).
"""

_EXAMPLES = """\
examples:
  pagekin evaluate rivals --directory directory.tsv --work work crawl/
  pagekin evaluate rivals --directory directory.tsv --work work --only tfidf,minilm crawl/
  pagekin evaluate rivals --directory directory.tsv --work work --bags paper=paper-work \\
      --bags other=other.index --report rivals.html crawl/
"""


def add_rivals(subjects: Any) -> None:
    """Declare `rivals`."""
    summary = "our bags beside tf-idf, search libraries, SVD and embeddings"
    parser = add_command(subjects, "rivals", _rivals, summary, _RIVALS, examples=_EXAMPLES)
    add = parser.add_argument
    add("snapshot", nargs="+", metavar="SNAPSHOT", help="WARC files, folders or lists of them")
    add(
        "--work",
        type=Path,
        default=DEFAULT_WORK,
        metavar="DIR",
        help="the workspace of a build of it (default: %(default)s)",
    )
    add(
        "--bags",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help="other bags of the same snapshot, in a workspace or an index; may be given again",
    )
    add("--only", type=words_of, default=(), metavar="NAME,...", help="these rivals alone")
    add(
        "--pieces",
        type=int,
        default=1000,
        metavar="N",
        help="pieces of text that a network reads for a row of the table (default: %(default)s)",
    )
    add_judged_pages(add)
    add("--base-url", default="", metavar="URL", help="put before the relative paths of a list")
    add("--json", action="store_true", help="print JSON")
    add("--report", type=Path, metavar="OUT.html", help="write a report with a figure")
    add("-q", "--quiet", action="store_true", help="no progress")


def _rivals(options: argparse.Namespace) -> int:
    from pagekin.evaluate.rivals.report import rival_lines, rival_report
    from pagekin.evaluate.rivals.table import chosen_rivals
    from pagekin.progress import ShownLine

    check_judged_pages(options)
    check_at_least(options, pieces=1)
    rivals, line = chosen_rivals(options.only), _Line()
    for rival in rivals:
        if missing := rival.missing():
            tell(
                f"pagekin: {rival.name} is passed over, for want of {', '.join(missing)};"
                " pip install '.[rivals]' brings all packages"
            )
    with ShownLine(line.text if not options.quiet else lambda: ""):
        contest = _contest(options, line.show)
        rows = list(contest.rows(rivals))
    pages = contest.ours[0].pages
    result = {
        "pages": len(pages),
        "classes": len(set(pages.members.tolist())),
        "unread": sum(url not in contest.read for url in pages.urls),
        "labels": pages.digest(),
        "rows": rows,
        "settings": _settings(options),
    }
    if options.report:
        page = rival_report(result, shlex.join(["pagekin", *sys.argv[1:]]), date.today())
        with naming(options.report):
            options.report.write_text(page, encoding="utf-8", errors="replace")
        tell(f"pagekin: the report is in {options.report}")
    print_result(result, rival_lines(result), as_json=options.json, ensure_ascii=False, indent=1)
    return 0


class _Line:
    """What is being done, as the line of progress says it."""

    def __init__(self) -> None:
        self._state, self._began = ("", 0, 0), time.monotonic()

    def show(self, what: str, done: int, total: int) -> None:
        self._state = what, done, total

    def text(self) -> str:
        what, done, total = self._state
        if not total:
            return ""
        seconds = time.monotonic() - self._began
        return f"rivals  {seconds:.0f}s  {what} {done * 100 // total} %"


def _contest(options: argparse.Namespace, show: Any) -> Any:
    from pagekin.build.judging_material import Labels
    from pagekin.build.rival_contest import make_contest
    from pagekin.evaluate.directory import DirectoryConfig
    from pagekin.web.sources import list_snapshot

    config = DirectoryConfig(options.depth, options.shallow, options.format)
    labels = Labels(options.directory, config, options.linked)
    snapshot = list_snapshot(options.snapshot, options.base_url)
    names = ("sample", "pieces", "seed", "resamples")
    how = {name: getattr(options, name) for name in names}
    contest = make_contest(labels, options.work, _more_bags(options), snapshot, show, **how)
    for ours in contest.ours:
        check_labels(options, labels, ours.config)
    return contest


def _more_bags(options: argparse.Namespace) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for word in options.bags:
        name, equals, folder = word.partition("=")
        if not (name and equals and folder):
            raise UsageError(f"--bags {word}: write NAME=DIR")
        if name in (*found, "ours", "plain"):
            raise UsageError(f"--bags {word}: there are other bags of this name")
        found[name] = Path(folder)
    return found


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """What is needed to get the result again."""
    names = ("format", "depth", "shallow", "linked", "sample", "pieces", "seed", "resamples")
    return {
        "directory": [str(path) for path in options.directory],
        "work": str(options.work),
        "bags": options.bags,
        "only": list(options.only),
        "snapshot": options.snapshot,
        "exclude_host": list(options.exclude_host),
        **{name: getattr(options, name) for name in names},
    }
