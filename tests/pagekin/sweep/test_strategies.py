"""STRATEGIES.toml: what it says becomes strategies, and every mistake is told with its place."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace

import pytest

from pagekin.config import BagConfig, BuildConfig, WeightConfig, WindowConfig, sections
from pagekin.errors import UsageError
from pagekin.sweep.strategies import SHIPPED, Figure, Strategy, read_strategies

ONE = '[[strategy]]\nname = "a"\n'


@pytest.fixture
def read(tmp_path):
    """The plan in a text."""

    def plan(text, **overrides):
        (tmp_path / "some.toml").write_text(text)
        return read_strategies(str(tmp_path / "some.toml"), overrides)

    return plan


def test_base_and_overrides(read):
    """A strategy is the defaults, under [base], under its own tables, key by key."""
    text = (
        '[base]\nwindow = { words = 8, kind = "topical" }\n[base.bag]\nlinks = 8\n'
        '[[strategy]]\nname = "a"\n'
        '[[strategy]]\nname = "b"\nby = "cosine"\nfigure = "f"\nseries = "s"\nx = 2\nalpha = 0.1\n'
        'window.words = 4\nweight = { df = "sqrt" }\n'
    )
    bag = BagConfig(links=8.0)
    a, b = read(text).strategies
    assert Strategy("a", BuildConfig(window=WindowConfig("topical", 8), bag=bag)) == a
    config = BuildConfig(window=WindowConfig("topical", 4), bag=bag, weight=WeightConfig(df="sqrt"))
    assert Strategy("b", config, "cosine", "f", "s", 2, 0.1) == b


def test_overrides_of_the_command(read):
    """What the command says stands above all tables, and in every strategy."""
    text = f'[base.reading]\nexclude_host = ["a.example"]\n{ONE}reading.drop_nofollow = true\n'
    (strategy,) = read(text, reading={"exclude_host": ("b.example",)}).strategies
    reading = strategy.config.reading
    assert (("b.example",), True) == (reading.exclude_host, reading.drop_nofollow)


def test_figures(read):
    """Figures come in the order of the file; those without a table come last."""
    text = (
        f'{ONE}figure = "second"\n[[strategy]]\nname = "b"\nfigure = "first"\n'
        '[[figure]]\nname = "first"\ntitle = "T"\n'
        '[[figure]]\nname = "more"\nof = "second"\nmeasure = "orthogonal"\nagainst = "b"\n'
    )
    plan = read(text)
    more = Figure("more", of="second", measure="orthogonal", against="b")
    assert (Figure("first", "T"), more, Figure("second")) == plan.figures
    assert ["a"] == [s.name for s in plan.of_figure(more)]


def test_bags_that_nobody_signs(read):
    """Bags of other sums than 1 need no word about signatures, unless they are signed."""
    (strategy,) = read(f"{ONE}weight.normalise = false\n").strategies
    assert "icws" == strategy.config.signatures.method
    with pytest.raises(UsageError, match="method darts needs bags of the sum 1"):
        read(f'{ONE}by = "signatures"\nweight.normalise = false\n')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no [[strategy]]"),
        ("[[strategy]]\n", "a strategy has no name"),
        (ONE * 2, "two strategy tables are called 'a'"),
        (f"{ONE}windwo.words = 3", "strategy 'a': unknown key windwo; did you mean window?"),
        (f"{ONE}window.word = 3", "'a': unknown key window.word; did you mean window.words?"),
        (f'{ONE}window.words = "x"', "'a': window.words takes a whole number, not 'x'"),
        (f'{ONE}weight.df = "idf"', "'a': weight.df is 'idf'; it takes one of none, log, sqrt, nm"),
        (f"{ONE}window = 3", "'a': window is to be a section with keys"),
        (f'{ONE}by = "bag"', "strategy 'a': by: unknown representation bag; did you mean bags?"),
        (f"{ONE}by = 3", "strategy 'a': by cannot be 3"),
        (f'{ONE}x = "wide"', "strategy 'a': x cannot be 'wide'"),
        (f"{ONE}alpha = 1.5", "strategy 'a': alpha cannot be 1.5"),
        (f"{ONE}candidates = -1", "strategy 'a': candidates cannot be -1"),
        (f"[base.window]\nword = 1\n{ONE}", "base: unknown key window.word; did you mean"),
        (f"[bas]\n{ONE}", "unknown key bas; did you mean base?"),
        (f'{ONE}[[figure]]\nname = "f"\nof = "g"', "figure 'f': of: unknown name g"),
        (f'{ONE}[[figure]]\nname = "f"\nagainst = "b"', "figure 'f': against: unknown name b"),
        (f'{ONE}[[figure]]\nname = "f"\nmeasure = "sib"', "measure: unknown name sib; did you m"),
        (f'{ONE}[[figure]]\nname = "f"\ntitel = "t"', "figure 'f': unknown key titel; did you m"),
        ("strategy = 3", "strategy is to be written as [[strategy]]"),
        ("[[strategy]\n", "is not valid TOML"),
    ],
)
def test_mistakes(read, text, sentence):
    """A mistake is told with the strategy and the key, and with what is nearest."""
    with pytest.raises(UsageError) as told:
        read(text)
    assert sentence in str(told.value)
    assert "some.toml: " in str(told.value)


def test_every_mistake_at_once(read):
    """All mistakes of a file are told together."""
    with pytest.raises(UsageError) as told:
        read(f'{ONE}windwo.words = 3\n[[strategy]]\nname = "b"\nbag.link = 1\n')
    assert 2 == str(told.value).count("did you mean")


def test_shipped_files():
    """What ships can be read, and the paper's figures are there."""
    assert ["paper"] == [path.stem for path in SHIPPED.glob("*.toml")]
    plan = read_strategies("paper")
    figures = [figure.name for figure in plan.figures]
    assert {"3", "4", "5", "6", "7", "9"} <= set(figures)
    for figure in plan.figures:
        assert len(plan.of_figure(figure)) > 2
    assert {"tfidf", "common", "reranked", "signatures", "bags"} == {s.by for s in plan.strategies}


def test_defaults_in_shipped_files():
    """The shipped file says each weight and window itself, and what it calls the default is it, for
    plain bags whose moments count all terms.
    """
    with (SHIPPED / "paper.toml").open("rb") as file:
        base = tomllib.load(file)["base"]
    for name in ("window", "bag", "weight"):
        assert {f.name for f in fields(sections()[name])} == set(base[name])
    by_name = {s.name: s for s in read_strategies("paper").strategies}
    for name in ("default", "the default", "exact bags", "+ citing title", "80 signatures"):
        plain = by_name[name].config
        weight, bag = replace(plain.weight, common=0.15), replace(plain.bag, templates="anchors")
        assert BuildConfig() == replace(plain, weight=weight, bag=bag)


def test_equal_parts():
    """What is judged is told apart by what it depends on, and by nothing else."""
    plan = read_strategies("paper")
    by_name = {s.name: s for s in plan.strategies}
    assert by_name["anchor 32"].parts() == by_name["no weights, 32"].parts()
    assert by_name["stem"].parts() == by_name["paper"].parts()
    assert by_name["exact bags"].parts() != by_name["80 signatures"].parts()
    assert "signatures" not in by_name["exact bags"].parts()
