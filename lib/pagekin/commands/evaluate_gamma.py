"""`pagekin evaluate gamma`: how well similarities agree with a directory that people made."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.commands.labels import add_labels, check_labels
from pagekin.errors import UsageError, naming

if TYPE_CHECKING:
    from pagekin.evaluate.judgement import Judgement
    from pagekin.evaluate.similarities import Material

__all__ = ["add_gamma"]

_DESCRIPTION = """\
Compare the order in which similarities put pages with the order that a directory gives them: pages
of one class are nearest, then those of sibling classes, cousins, and unrelated ones. Gamma is 1 for
perfect agreement and 0 for chance. Sibling, cousin and unrelated gamma take only pairs of a page of
the same class with one that is so far away. Pairs that are equally similar are left out; "with
ties" counts them.

FILE is an ODP dump (content.rdf.u8), Curlie's *-c.tsv with its *-s.tsv, or lines of URL, tab and
/Top/A/B; gzipped or not; or a folder of such files (docs/formats.md).
"""

_EXAMPLES = """\
examples:
  pagekin evaluate gamma --directory directory.tsv --work work
  pagekin evaluate gamma --directory content.rdf.u8.gz --index crawl.index --by signatures --linked
  pagekin evaluate gamma --directory curlie-rdf/ --work work --shallow drop --report gamma.html
  pagekin evaluate gamma --directory directory.tsv --work work --json > a.json
"""

_SIGNED = ("signatures", "reranked")
_OF_A_WORKSPACE = ("tfidf",)  # that has the df of all terms
_OF_AN_INDEX = ("cocitation", "both")  # whose table stays where it is; no job carries it


def add_gamma(subjects: Any) -> None:
    """Declare the subject."""
    from pagekin.options import add_flags

    parser = subjects.add_parser(
        "gamma",
        usage="%(prog)s --directory FILE (--work DIR | --index DIR) [options]",
        help="similarities against a directory of classes",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    _add_input(parser.add_argument)
    _add_output(parser.add_argument)
    _add_job(parser.add_argument_group("as a job").add_argument)
    group = parser.add_argument_group("signatures of --work", "as of pagekin build")
    add_flags(group.add_argument, ("signatures",))


def _add_input(add: Any) -> None:
    add("--work", type=Path, metavar="DIR", help="the workspace of a build")
    add("--index", type=Path, metavar="DIR", help="or an index that a build made")
    add(
        "--by",
        default="bags",
        metavar="NAME",
        help="bags: their exact bag Jaccard (default); signatures: the share of equal ones, of the"
        " index or made of the bags; reranked: candidates by signatures, ranked again by bags;"
        " cosine: of the bags; tfidf: the cosine with ln(N / df); common: the number of common"
        " terms; cocitation: the total similarity in the"
        " table of the index, else 0; both: bags and cocitation by their ranks",
    )
    add_labels(add)


def _add_output(add: Any) -> None:
    add("--json", action="store_true", help="print JSON, which pagekin compare reads")
    add("--report", type=Path, metavar="OUT.html", help="write a report with figures")


def _add_job(add: Any) -> None:
    from pagekin.names import RUNNERS

    add("-r", "--runner", choices=RUNNERS, help="deal the source pages to tasks of this runner")
    add("-c", "--conf", type=Path, metavar="MRJOB_CONF", help="an mrjob.conf for it")


def run(options: argparse.Namespace) -> int:
    """Print the figures."""
    from pagekin.evaluate.gamma_report import gamma_lines
    from pagekin.evaluate.judgement import summarise

    _check(options)
    material = _material(options)
    judged = _judged(options, material)
    result = summarise(judged, seed=options.seed, resamples=options.resamples)
    result["settings"] = _settings(options, material)
    if options.report:
        _write_report(options.report, result)
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))
    else:
        print("\n".join(gamma_lines(result)))
    return 0


def _judged(options: argparse.Namespace, material: Material) -> Judgement:
    """Count the pairs, here or as a job."""
    from pagekin.engine.run import Engine
    from pagekin.evaluate.judgement import Judgement, judge, sample_sources
    from pagekin.evaluate.similarities import make_representation

    pages, representation = material.pages, make_representation(options.by, material)
    sources = sample_sources(pages, options.sample or len(pages), options.seed)
    if not options.runner:
        return judge(pages, representation, sources)
    from pagekin.build.single_jobs import tally_of_job
    from pagekin.engine.package import chosen_package

    package = chosen_package(None, options.runner)
    engine = Engine(options.runner, options.conf, package=package)
    tally = tally_of_job(material, options.by, sources.tolist(), engine)
    return Judgement(pages, representation, sources, tally)


def _check(options: argparse.Namespace) -> None:
    from pagekin.evaluate.similarities import representation_names

    if (options.work is None) == (options.index is None):
        raise UsageError("name a workspace with --work DIR, or an index with --index DIR")
    if options.by not in representation_names():
        raise UsageError(f"--by {options.by}: it takes {', '.join(representation_names())}")
    if options.by in _OF_AN_INDEX and (options.work or options.runner):
        raise UsageError(f"--by {options.by} needs --index, and goes without -r")
    if options.by in _OF_A_WORKSPACE and (options.index or options.runner):
        raise UsageError(f"--by {options.by} needs --work, and goes without -r")
    _check_runner(options)
    if (given := list(_signatures(options))) and (options.index or options.by not in _SIGNED):
        raise UsageError(f"--signatures-{given[0]} goes with --work and --by signatures")
    check_labels(options)


def _check_runner(options: argparse.Namespace) -> None:
    if options.conf and not options.runner:
        raise UsageError("-c goes with -r")
    if options.conf and not options.conf.is_file():
        raise UsageError(f"-c {options.conf}: there is no such file")
    if options.runner:
        from pagekin.engine.requirements import missing_engine

        if missing := missing_engine(options.runner, options.conf):
            raise UsageError(missing)


def _material(options: argparse.Namespace) -> Material:
    """The labelled pages; says what is wrong in the directory."""
    from pagekin.build.judging_material import Labels
    from pagekin.evaluate.directory import DirectoryConfig

    config = DirectoryConfig(options.depth, options.shallow, options.format)
    labels = Labels(options.directory, config, options.linked)
    if options.index:
        material = labels.of_index(options.index)
    else:
        material = labels.of_workspace(options.work, _signatures(options))
    _check_hosts(options, material)
    for name in ("damaged", "lines_too_long", "no_web_address", "files_broken_off"):
        if count := labels.counters.get("directory", name):
            print(f"pagekin: directory: {name.replace('_', ' ')}: {count:,}", file=sys.stderr)
    return material


def _check_hosts(options: argparse.Namespace, material: Material) -> None:
    """Bags that are made cannot lose what a page put into them: they must be without it already."""
    without = material.config.reading.exclude_host
    if missing := [host for host in options.exclude_host if host not in without]:
        raise UsageError(
            f"--exclude-host: the bags were made with the pages of {', '.join(missing)} in them;"
            f" build again with --exclude-host {','.join([*without, *missing])}"
        )


def _signatures(options: argparse.Namespace) -> dict[str, Any]:
    """What the flags say of signatures; what they do not say is that of the build."""
    from pagekin.options import config_from_flags

    asked = vars(config_from_flags(options).signatures)
    return {key: asked[key] for key in asked if getattr(options, f"signatures_{key}") is not None}


def _settings(options: argparse.Namespace, material: Material) -> dict[str, Any]:
    """What makes the result again."""
    from pagekin.config import to_dict

    names = ("format", "depth", "shallow", "linked", "by", "sample", "seed", "resamples")
    hosts = list(options.exclude_host)
    return {
        "directory": [str(path) for path in options.directory],
        "work": options.work and str(options.work),
        "index": options.index and str(options.index),
        **{name: getattr(options, name) for name in names},
        "exclude_host": hosts,
        "config": to_dict(material.config),
    }


def _write_report(path: Path, result: dict[str, Any]) -> None:
    from pagekin.evaluate.gamma_report import gamma_report

    words = ["pagekin", *sys.argv[1:]]
    page = gamma_report(result, shlex.join(words))
    with naming(path):
        path.write_text(page, encoding="utf-8", errors="replace")
    print(f"pagekin: the report is in {path}", file=sys.stderr)
