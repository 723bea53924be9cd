"""`pagekin related`: the kin of a page, with the reasons for them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import (
    add_command,
    add_index,
    add_job,
    check_at_least,
    check_job,
    engine_for_job,
    print_result,
    read_urls,
)
from pagekin.commands.locations import local_index
from pagekin.errors import NotFoundError, UsageError
from pagekin.printing import print_lines, tell

__all__ = ["add_related"]

_DESCRIPTION = """\
Show the kin of a page: the pages of the index whose bags of words are most like its own, best
first. Several URLs are one question: pages that are like all of them.

Pages that were read come first, at most 3 of a host before those of other hosts. Where fewer than
-k of them are similar enough, URLs that are known by links alone follow, marked "not read".

Pages that are copies of one another (mirrors) are one answer, and to ask for one of them is to ask
for all: for the one that stands for them (pagekin mirrors). --mirrors show takes each by itself.

Candidates are found by counting equal signatures. The best of them are ranked by the exact
similarity of their bags, because signatures alone (--no-exact) lose much of the order.
"""

_EXAMPLES = """\
examples:
  pagekin related https://en.wikipedia.org/wiki/Bowline
  pagekin related -k 5 --why example.org
  pagekin related 'rope knots'
  pagekin related --index crawl.index a.example b.example --unlike c.example --per-host 1
  pagekin related --index crawl.index example.org --read any --per-host 0 --alpha 0
  pagekin related --index crawl.index --all --json > answers.jsonl
  pagekin related --index crawl.index --all -r hadoop > answers.jsonl
"""

_BAR = 20  # characters of the longest bar
_FOUND = 5  # pages that are named where words were given
_HARDLY = "; --alpha 0 shows what is hardly similar"


def add_related(commands: Any) -> None:
    """Declare the command."""
    usage = "%(prog)s [options] (URL [URL ...] | --urls FILE | --all)"
    summary = "the kin of a page, with reasons"
    parser = add_command(
        commands, "related", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    add(
        "url",
        nargs="*",
        metavar="URL",
        help="in any spelling, http:// may be left out; or words, which are searched for in titles"
        " and URLs: the best page that has them all is taken",
    )
    add_index(parser)
    add(
        "--by",
        default="bags",
        choices=("bags", "cocitation", "both"),
        help="pages of similar words (bags, the default), pages that are linked to together on many"
        " sites (cocitation), or both, merged by their ranks; weak kin, for which one domain alone"
        " vouches, come last",
    )
    add("-k", type=int, default=10, metavar="N", help="answers at the most (default: %(default)s)")
    add(
        "--exact",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="rank the best candidates by their exact similarity (default), or with --no-exact by"
        " the number of equal signatures",
    )
    add(
        "--alpha",
        type=float,
        metavar="A",
        help="leave out pages that are not more similar than this (default: 0.07; 0: show what is"
        " left)",
    )
    add("--why", action="store_true", help="show why: the shared terms, and links to both pages")
    add("-v", "--verbose", action="store_true", help="also tell how many lists were left out")
    add(
        "--unlike",
        action="append",
        default=[],
        metavar="URL",
        help="pages that are less like this one; may be given again",
    )
    add(
        "--per-host",
        type=int,
        metavar="N",
        help="at most N answers of one host; 0: any number (default: 3, and more behind them where"
        " fewer than -k answers would remain)",
    )
    add(
        "--exclude-host",
        action="append",
        default=[],
        metavar="HOST",
        help="no answers from this host and the hosts below it; may be given again",
    )
    add(
        "--read",
        default="first",
        choices=("first", "only", "any"),
        help="first (the default): pages that were read, and URLs that are known by links alone"
        " where too few remain, but no files and none with a query; only: pages that were read, and"
        " with --all only such pages are asked for, too; any: all URLs in one order",
    )
    add(
        "--mirrors",
        default="fold",
        choices=("fold", "show", "only"),
        help="fold (the default): of pages that are copies of one another one is an answer; show:"
        " all of them are; only: the mirrors of the pages that are asked for, and no others",
    )
    add(
        "--prefer",
        action="append",
        type=_preference,
        default=[],
        metavar="authority=X",
        help="multiply scores by 1 + X x the standing of a page by its links, from 0 to 1 (try 0.1;"
        " X is 0 to 10), in an index with scores of links",
    )
    add(
        "--candidates",
        type=int,
        default=100,
        metavar="N",
        help="how many candidates are ranked exactly (default: %(default)s)",
    )
    add(
        "--budget",
        type=int,
        default=20_000,
        metavar="N",
        help="documents read from the lists of a page's signatures; longer lists are left out, and"
        " the answer says so (default: %(default)s)",
    )
    add("--urls", type=Path, metavar="FILE", help="ask for each URL of FILE by itself; -: stdin")
    add("--all", action="store_true", help="ask for every page by itself; prints JSON lines")
    add(
        "--json",
        action="store_true",
        help="print a list; with --urls an object for each URL, with words one",
    )
    add_job(parser, "--all as a job", "answer all pages on this mrjob runner")


def _run(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    _check(options)
    index = Index.open(local_index(options.index, options))
    if options.all:
        return _answer_all(index, options)
    if options.urls:
        return _answer_each(index, options)
    found = _found_by_words(index, [*options.url, *options.unlike])
    urls, options.unlike = (
        [found[text][0].url if text in found else text for text in texts]
        for texts in (options.url, options.unlike)
    )
    answer = index.related(urls, options.k, why=options.why, **_how(options))
    _print_notes(answer, options)
    kin = [one.as_dict() for one in answer]
    searched = [
        {"words": text, "pages": [page._asdict() for page in pages]}
        for text, pages in found.items()
    ]
    result = {"searched": searched, "related": kin} if searched else kin
    print_result(result, _lines(answer), as_json=options.json, ensure_ascii=False)
    return 0


def _found_by_words(index: Any, texts: Iterable[str]) -> dict[str, list[Any]]:
    """The pages that are found for what is no URL, the best first; which is taken is told."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        if _is_url(text) or text in index:
            continue
        found[text] = pages = index.search(text, _FOUND)
        if not pages:
            raise NotFoundError(f"{text} is no URL, and no page has it in its title or URL")
        best, *others = (f"{page.url} ({page.title})" if page.title else page.url for page in pages)
        more = f"; others with these words are {', '.join(others)}" if others else ""
        tell(f"pagekin: {text}: taken is {best}{more}")
    return found


def _is_url(text: str) -> bool:
    """Is it written as URLs are? What has blanks, or not even a dot, is words."""
    return len(text.split()) == 1 and any(mark in text for mark in "./:")


def _print_notes(answer: Any, options: argparse.Namespace) -> None:
    for note in answer.notes(every=options.why or options.verbose or options.json):
        tell(f"pagekin: {note}")


def _check(options: argparse.Namespace) -> None:
    if [bool(options.url), options.all, options.urls is not None].count(True) != 1:
        raise UsageError("name URLs, or --urls FILE, or --all")
    if options.runner and not options.all:
        raise UsageError(f"-r {options.runner} goes with --all")
    if options.unlike and not options.url:
        raise UsageError("--unlike goes with URLs")
    check_at_least(options, k=1, candidates=1, budget=1)
    if options.per_host is not None:
        check_at_least(options, per_host=0)
    if options.alpha is not None and not 0 <= options.alpha < 1:
        raise UsageError(f"--alpha {options.alpha}: it must be at least 0 and below 1")
    check_job(options)


def _preference(text: str) -> tuple[str, float]:
    """`authority=0.1`."""
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"takes authority=NUMBER, not {text!r}") from error


def _how(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `Index.related` names them."""
    names = ("by", "exact", "unlike", "per_host", "candidates", "budget", "read", "mirrors")
    how = {name: getattr(options, name) for name in names}
    how["exclude_hosts"] = options.exclude_host
    how["prefer"] = dict(options.prefer)
    return how if options.alpha is None else {**how, "alpha": options.alpha}


def _answer_each(index: Any, options: argparse.Namespace) -> int:
    """Each URL of a file by itself."""
    missing = 0
    for url in read_urls(options.urls):
        try:
            answer = index.related(url, options.k, why=options.why, **_how(options))
        except (NotFoundError, UsageError) as error:
            tell(f"pagekin: {error}")
            missing += 1
            continue
        _print_notes(answer, options)
        if options.json:
            print_lines([json.dumps(answer.as_dict(), ensure_ascii=False)])
        else:
            print_lines([*_lines(answer), ""])
    return NotFoundError.exit_code if missing else 0


def _answer_all(index: Any, options: argparse.Namespace) -> int:
    """Every page by itself, here or as a job."""
    from pagekin.build.single_jobs import answers_here, answers_of_job

    question = {"k": options.k, "why": options.why, **_how(options)}
    if options.runner:
        lines = answers_of_job(index, question, engine_for_job(options))
    else:
        lines = answers_here(index, question)
    print_lines(lines)
    return 0


def _lines(answer: Any) -> Iterator[str]:
    """An answer for people."""
    for page in answer.asked:
        yield f"{page.url}  {page.title}".rstrip()
    if not answer:
        is_met = answer.by == "bags" and answer.candidates > len(answer.asked)
        yield f"  nothing is related to it{_HARDLY if is_met else ''}"
    most = 1 if answer.by == "bags" else max((kin.score for kin in answer), default=1)
    for kin in answer:
        bar = "#" * max(1, round(_BAR * kin.score / most))
        marks = ("" if kin.read else "  not read") + ("  weak: one domain" if kin.weak else "")
        yield f"  {kin.score:.4f}  {kin.url}  {bar}{marks}"
        if kin.title:
            yield f"          {kin.title}"
        if kin.mirrors:
            yield f"          {_mirrors(kin)}"
        if kin.why:
            yield from _why_lines(kin)


def _mirrors(kin: Any) -> str:
    from pagekin.progress import counted

    standing = f", for which {kin.mirror_of} stands" if kin.mirror_of else ""
    return f"and {counted(kin.mirrors, 'mirror')}{standing}"


def _whence(term: Any, why: Any) -> str:
    """Where a shared word comes from, where a page does not say it itself."""
    asked = _origin(term.asked_source, term.asked_related_to, why.asked_linking_pages)
    found = _origin(term.found_source, term.found_related_to, why.linking_pages)
    told = [f"{page}: {origin}" for page, origin in (("asked", asked), ("found", found)) if origin]
    return f"  {'; '.join(told)}" if told else ""


def _origin(source: str, related_to: str, pages: int) -> str:
    from pagekin.progress import counted

    return {
        "related words": f"related to {related_to}" if related_to else "a related word",
        "citing": f"from {counted(pages, 'page')} that link there",
        "cited": "from pages that it links to",
        "co-cited": "from pages linked to beside it",
    }.get(source, "")


def _why_lines(kin: Any) -> Iterator[str]:
    from pagekin.progress import counted

    why = kin.why
    if why.standing is not None:
        standing = f"standing {why.standing:.3f} of 1 by its links"
        yield f"          {standing}: score x {why.preferred_by:.4f}"
    if kin.estimate is not None:
        exact = "" if kin.exact is None else f", exact {kin.exact:.4f}"
        yield f"          estimate {kin.estimate:.4f}{exact}; {why.shared_terms} terms shared"
    if why.topics:
        names = "; ".join(term.display.removeprefix("topic: ") for term in why.topics)
        more = "; ..." if why.shared_topics > len(why.topics) else ""
        topics = f"{counted(why.shared_topics, 'topic')}: {names}{more}"
        yield f"          {why.topics_weight:.4f}  {topics}"
    for term in why.terms:
        weights = f"{term.asked:.4f} and {term.found:.4f}"
        yield f"          {term.shared:.4f}  {term.display:24} ({weights}){_whence(term, why)}"
    if why.citing_domains:
        yield f"          {why.citing_domains} domains cite both; it stands in {why.blocks} blocks"
    for cited in why.citing:
        weight = "" if cited.weight == 1 else f", links count {cited.weight:g}"
        capped = f"(capped {cited.capped:.4f}{weight})"
        yield f"          {cited.contribution:.4f}  {cited.domain:24} {cited.anchor!r} {capped}"
    if kin.estimate is None and not (why.terms or why.inlinks):
        return  # nothing is known of the bags
    own = "read, " if why.crawled else "not read, "
    yield (
        f"          {own}{counted(why.inlinks, 'link')} from {counted(why.linking_hosts, 'host')};"
        f" asked: {why.asked_inlinks:,} from {why.asked_linking_hosts:,}"
    )
