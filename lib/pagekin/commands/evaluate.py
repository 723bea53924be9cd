"""`pagekin evaluate` and `pagekin compare`: how good pagekin is, by what people said.

Subjects of `evaluate` are gamma (similarities against a directory of classes), segmentation (blocks
of links against marked ones), rivals (`pagekin.commands.judge_rivals`), rscore
(`pagekin.commands.ask_people`) and mirrors (`pagekin.commands.judge_mirrors`).
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.commands.arguments import (
    DEFAULT_WORK,
    add_command,
    add_configuration,
    add_job,
    add_judged_pages,
    check_at_least,
    check_job,
    check_judged_pages,
    check_labels,
    engine_for_job,
    print_result,
)
from pagekin.commands.ask_people import add_rscore
from pagekin.commands.judge_mirrors import add_mirror_pairs
from pagekin.commands.judge_rivals import add_rivals
from pagekin.commands.locations import local_index
from pagekin.commands.show_page import add_block_rules, config_of_blocks
from pagekin.config import config_from_flags
from pagekin.errors import InputError, UsageError, naming
from pagekin.printing import tell

if TYPE_CHECKING:
    from pagekin.evaluate.judgement import Judgement
    from pagekin.evaluate.similarities import Material

__all__ = ["add_compare", "add_evaluate"]

_GAMMA = """\
Compare the order in which similarities put pages with the order that a directory gives them: pages
of one class are nearest, then those of sibling classes, cousins, and unrelated ones. Gamma is 1 for
perfect agreement and 0 for chance. Sibling, cousin and unrelated gamma take only pairs of a page of
the same class with one that is so far away. Pairs that are equally similar are left out; "with
ties" counts them.

FILE is an ODP dump (content.rdf.u8), Curlie's *-c.tsv with its *-s.tsv, or lines of URL, tab and
/Top/A/B; gzipped or not; or a folder of such files (docs/formats.md).
"""

_GAMMA_EXAMPLES = """\
examples:
  pagekin evaluate gamma --directory directory.tsv --work work
  pagekin evaluate gamma --directory content.rdf.u8.gz --index crawl.index --by signatures --linked
  pagekin evaluate gamma --directory curlie-rdf/ --work work --shallow drop --report gamma.html
  pagekin evaluate gamma --directory directory.tsv --work work --json > a.json
"""

_SEGMENTATION = """\
Compare the blocks of links of pages with blocks that people marked. E-precision is the share of our
blocks that equal a marked one, I-precision of those that lie within one; E-recall is the share of
the marked link lists that a block of ours equals, F of E-precision and E-recall both, coverage the
share of marked links that end in a block. Only blocks of two links and more count.

DIR holds index.json, whose "pages" name the HTML file and the marks of each page
(docs/formats.md).
"""

_SEGMENTATION_EXAMPLES = """\
examples:
  pagekin evaluate segmentation marked-pages
  pagekin evaluate segmentation --rules paper --json marked-pages
"""

_COMPARE = """\
Compare two results of `pagekin evaluate gamma --json` by a paired bootstrap over their source
pages: B less A, the interval that holds 95 % of the differences, and the share of drawings in which
B is better. Both must judge the same pages and classes.
"""

_COMPARE_EXAMPLES = """\
example:
  pagekin evaluate gamma --directory d.tsv --work paper --json > a.json
  pagekin evaluate gamma --directory d.tsv --work ours --json > b.json
  pagekin compare a.json b.json
"""

_SIGNED = ("signatures", "reranked")
_OF_A_WORKSPACE = ("tfidf",)  # that has the df of all terms
_OF_AN_INDEX = ("cocitation", "both")  # whose table stays where it is; no job carries it
_COLUMNS = ("blocks", "e_precision", "i_precision", "e_recall", "f", "coverage")


def add_evaluate(commands: Any) -> None:
    """Declare `evaluate` and its subjects."""
    parser = commands.add_parser("evaluate", help="measure pagekin against human judgement")
    subjects = parser.add_subparsers(metavar="SUBJECT", required=True, parser_class=type(parser))
    for add_subject in (_add_gamma, add_rivals, add_rscore, _add_segmentation, add_mirror_pairs):
        add_subject(subjects)
    parser.commands = subjects.choices


# --- gamma ---


def _add_gamma(subjects: Any) -> None:
    usage = "%(prog)s --directory FILE [--work DIR | --index DIR] [options]"
    summary = "similarities against a directory of classes"
    parser = add_command(
        subjects, "gamma", _gamma, summary, _GAMMA, examples=_GAMMA_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    about = f"the workspace of a build (default: {DEFAULT_WORK})"
    add("--work", type=Path, metavar="DIR", help=about)
    add("--index", type=Path, metavar="DIR", help="or an index that a build made")
    add(
        "--by",
        default="bags",
        metavar="NAME",
        help="bags: the exact Jaccard of the bags (default); signatures: the share of equal ones,"
        " of the index or made of the bags; reranked: candidates by signatures, ranked again by"
        " bags; cosine: of the bags; tfidf: the cosine with ln(N / df); common: the number of"
        " common terms; cocitation: the total similarity in the table of the index, else 0; both:"
        " bags and cocitation by their ranks",
    )
    add_judged_pages(add)
    add("--json", action="store_true", help="print JSON, which pagekin compare reads")
    add("--report", type=Path, metavar="OUT.html", help="write a report with figures")
    add_job(parser, "as a job", "spread the source pages over tasks of this runner")
    add_configuration(parser, ("signatures",), "signatures of --work", "as of pagekin build")


def _gamma(options: argparse.Namespace) -> int:
    from pagekin.evaluate.gamma_report import gamma_lines
    from pagekin.evaluate.judgement import summarise

    _check(options)
    material = _material(options)
    judgement = _judge(options, material)
    result = summarise(judgement, seed=options.seed, resamples=options.resamples)
    result["settings"] = _settings(options, material)
    if options.report:
        _write_report(options.report, result)
    lines = gamma_lines(result)
    print_result(result, lines, as_json=options.json, ensure_ascii=False, indent=1)
    return 0


def _check(options: argparse.Namespace) -> None:
    from pagekin.evaluate.similarities import representation_names

    if options.work and options.index:
        raise UsageError("--work and --index: name one of them")
    if not options.index:
        options.work = options.work or DEFAULT_WORK
    if options.by not in representation_names():
        raise UsageError(f"--by {options.by}: it takes {', '.join(representation_names())}")
    if options.by in _OF_AN_INDEX and (options.work or options.runner):
        raise UsageError(f"--by {options.by} needs --index, and goes without -r")
    if options.by in _OF_A_WORKSPACE and (options.index or options.runner):
        raise UsageError(f"--by {options.by} needs --work, and goes without -r")
    check_job(options)
    if (given := list(_signatures(options))) and (options.index or options.by not in _SIGNED):
        raise UsageError(f"--signatures-{given[0]} goes with --work and --by signatures")
    check_judged_pages(options)


def _signatures(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of signatures that flags give; the others are those of the build."""
    asked = vars(config_from_flags(options).signatures)
    return {key: asked[key] for key in asked if getattr(options, f"signatures_{key}") is not None}


def _material(options: argparse.Namespace) -> Material:
    """The labelled pages and their bags; what is wrong in the directory goes to stderr."""
    from pagekin.build.judging_material import Labels
    from pagekin.evaluate.directory import DirectoryConfig

    config = DirectoryConfig(options.depth, options.shallow, options.format)
    labels = Labels(options.directory, config, options.linked)
    if options.index:
        material = labels.of_index(local_index(options.index, options))
    else:
        material = labels.of_workspace(options.work, _signatures(options))
    check_labels(options, labels, material.config)
    return material


def _judge(options: argparse.Namespace, material: Material) -> Judgement:
    """Count the pairs, here or as a job."""
    from pagekin.evaluate.judgement import Judgement, judge, sample_sources
    from pagekin.evaluate.similarities import make_representation

    pages, representation = material.pages, make_representation(options.by, material)
    sources = sample_sources(pages, options.sample or len(pages), options.seed)
    if not options.runner:
        return judge(pages, representation, sources)
    from pagekin.build.single_jobs import tally_of_job

    tally = tally_of_job(material, options.by, sources.tolist(), engine_for_job(options))
    return Judgement(pages, representation, sources, tally)


def _settings(options: argparse.Namespace, material: Material) -> dict[str, Any]:
    """What is needed to get the result again."""
    from pagekin.config import to_dict

    names = ("format", "depth", "shallow", "linked", "by", "sample", "seed", "resamples")
    return {
        "directory": [str(path) for path in options.directory],
        "work": options.work and str(options.work),
        "index": options.index and str(options.index),
        **{name: getattr(options, name) for name in names},
        "exclude_host": list(options.exclude_host),
        "config": to_dict(material.config),
    }


def _write_report(path: Path, result: dict[str, Any]) -> None:
    from pagekin.evaluate.gamma_report import gamma_report

    page = gamma_report(result, shlex.join(["pagekin", *sys.argv[1:]]), date.today())
    with naming(path):
        path.write_text(page, encoding="utf-8", errors="replace")
    tell(f"pagekin: the report is in {path}")


# --- segmentation ---


def _add_segmentation(subjects: Any) -> None:
    summary = "blocks of links against blocks that people marked"
    about, examples = _SEGMENTATION, _SEGMENTATION_EXAMPLES
    parser = add_command(subjects, "segmentation", _segmentation, summary, about, examples=examples)
    parser.add_argument("folder", metavar="DIR", help="the folder of marked pages")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_block_rules(parser)
    add_configuration(parser, ("blocks",), about="as of pagekin build; filters do nothing")


def _segmentation(options: argparse.Namespace) -> int:
    from pagekin.evaluate.segmentation import evaluate_segmentation, read_marked_pages

    config = config_of_blocks(options)
    pages = read_marked_pages(Path(options.folder))
    scores = evaluate_segmentation(pages, config.blocks)
    lines = _segmentation_lines(scores, config.blocks.rules)
    print_result(scores, lines, as_json=options.json)
    return 0


def _segmentation_lines(scores: dict[str, dict[str, Any]], rules: str) -> Iterator[str]:
    humans, lists = (scores["after"][name] for name in ("human_blocks", "human_lists"))
    yield f"{scores['after']['pages']} pages; rules: {rules}"
    yield f"{'':10}" + "".join(f"{name:>13}" for name in _COLUMNS)
    yield f"{'by human':10}{humans:>13}   ({lists} distinct lists of links)"
    for name, row in scores.items():
        numbers = "".join(
            f"{row[c]:>13,}" if c == "blocks" else f"{row[c]:>13.3f}" for c in _COLUMNS
        )
        yield f"{name:10}{numbers}"


# --- compare ---


def add_compare(commands: Any) -> None:
    """Declare `compare`."""
    summary = "two results of evaluate gamma: which is better, and how sure that is"
    add = add_command(
        commands, "compare", _compare, summary, _COMPARE, examples=_COMPARE_EXAMPLES
    ).add_argument
    add("a", type=Path, metavar="A.json", help="a result")
    add("b", type=Path, metavar="B.json", help="the result that is perhaps better")
    add("--seed", type=int, default=1, metavar="N", help="of drawings (default: %(default)s)")
    add("--resamples", type=int, default=1000, metavar="N", help="drawings (default: %(default)s)")
    add("--json", action="store_true", help="print JSON")


def _compare(options: argparse.Namespace) -> int:
    from pagekin.evaluate.bootstrap import compare_results

    check_at_least(options, resamples=1, seed=0)
    comparison = compare_results(
        _read_result(options.a),
        _read_result(options.b),
        (str(options.a), str(options.b)),
        seed=options.seed,
        resamples=options.resamples,
    )
    print_result(comparison, _compare_lines(comparison), as_json=options.json, indent=1)
    return 0


def _read_result(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: is no result of `pagekin evaluate gamma --json`")
    return found


def _compare_lines(comparison: dict[str, Any]) -> Iterator[str]:
    yield f"{comparison['sources']:,} sources in both; {comparison['resamples']:,} drawings"
    yield f"{'':22}{'A':>8}{'B':>8}{'B - A':>9}{'95 %':>20}  B better in"
    for name in ("gamma", "sibling", "cousin", "unrelated"):
        for measure, shown in (("value", name), ("with_ties", f"{name} with ties")):
            yield f"{shown:22}{_difference(comparison[name][measure])}"
    yield _verdict(comparison["sibling"]["value"])


def _difference(d: dict[str, float | None]) -> str:
    if None in d.values():
        return "    no pairs to compare"
    ends = f"{d['low']:+.4f} to {d['high']:+.4f}"
    sure = f"{d['b_is_better']:.1%}"
    return f"{d['a']:>8.4f}{d['b']:>8.4f}{d['difference']:>+9.4f}{ends:>20}{sure:>13}"


def _verdict(d: dict[str, float | None]) -> str:
    low, high = d["low"], d["high"]
    if low is None or high is None:
        return "Nothing can be said of siblings."
    if low > 0:
        return "B is better on siblings: the interval lies above 0."
    if high < 0:
        return "A is better on siblings: the interval lies below 0."
    return "Neither is shown to be better on siblings: the interval holds 0."
