"""How many signatures: the binomial sums against exact fractions, and the command."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin import cli
from pagekin.config import SignatureConfig
from pagekin.errors import UsageError
from pagekin.minhash.recall import MOST, plan, recall, row

similarities = st.sampled_from(["0.05", "0.15", "0.2", "0.5", "0.9", "1"])
thresholds = st.sampled_from(["0", "0.05", "0.15", "0.29", "0.5", "0.87"])


def exact_recall(count: int, similarity: str, threshold: str) -> Fraction:
    """P[X / m > T], one outcome after another."""
    a, t = Fraction(similarity), Fraction(threshold)
    return sum(
        (
            math.comb(count, x) * a**x * (1 - a) ** (count - x)
            for x in range(count + 1)
            if Fraction(x, count) > t
        ),
        Fraction(0),
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 120), similarities, thresholds)
def test_recall(count, similarity, threshold):
    """The recall is the exact binomial tail, where a share equal to the threshold is not enough."""
    truth = float(exact_recall(count, similarity, threshold))
    assert math.isclose(truth, recall(count, float(similarity), float(threshold)), abs_tol=1e-12)


def test_thresholds_are_decimals():
    """29 of 100 are not more than 0.29, whatever 0.29 * 100 is in binary."""
    assert math.isclose(
        float(exact_recall(100, "0.3", "0.29")), recall(100, 0.3, 0.29), abs_tol=1e-12
    )


@pytest.mark.parametrize("similarity", ["0.15", "0.3", "0.5", "0.75"])
@pytest.mark.parametrize("wanted", ["0.75", "0.9", "0.95", "0.999"])
def test_plan_for_one_equal_signature(similarity, wanted):
    """Of one equal signature: the least m with 1 - (1 - A)^m at least R, ties included."""
    least = 1
    while 1 - (1 - Fraction(similarity)) ** least < Fraction(wanted):
        least += 1
    assert (least, least) == plan(float(similarity), float(wanted))


@pytest.mark.parametrize(
    ("similarity", "wanted", "threshold"),
    [
        ("0.3", "0.85", "0.15"),
        ("0.25", "0.95", "0.15"),
        ("0.6", "0.9", "0.29"),
        ("1", "0.9", "0.5"),
    ],
)
def test_plan_for_a_threshold(similarity, wanted, threshold):
    """The first number that is enough, and the one after the last that is not."""
    good = [m for m in range(1, 200) if exact_recall(m, similarity, threshold) >= Fraction(wanted)]
    enough = max((m for m in range(1, 200) if m not in good), default=0) + 1
    assert (enough, good[0]) == plan(float(similarity), float(wanted), float(threshold))


def test_row():
    """A row has the standard error and the bytes of one document."""
    assert (80, 1.0, 0.051235, 320, 320, 960) == row(80, 0.3)
    assert (1, 1.0, 0.0, 4, 4, 12) == row(1, 1.0)


def test_recall_is_what_independent_signatures_do():
    """The share of pairs with an equal signature in a simulation is the recall."""
    random = np.random.default_rng(3)
    found = (random.random((4000, 8)) < 0.15).sum(axis=1)
    for threshold in (0.0, 0.25):
        share = (found > 8 * threshold).mean()
        wanted = recall(8, 0.15, threshold)
        assert abs(share - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / 4000)


def test_most_is_what_a_build_can_make():
    """The plan ends where the configuration does."""
    assert SignatureConfig.__dataclass_fields__["count"].metadata["high"] == MOST


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((0.0, 0.9), "a similarity lies above 0"),
        ((1.1, 0.9), "a similarity lies above 0"),
        ((math.nan, 0.9), "a similarity lies above 0"),
        ((0.2, 1.0), "a recall lies between 0 and 1"),
        ((0.2, math.nan), "a recall lies between 0 and 1"),
        ((0.2, 0.9, -0.1), "a threshold lies from 0"),
        ((0.2, 0.9, 1.0), "a threshold lies from 0"),
        ((0.15, 0.9, 0.15), "must be lower than the similarity"),
        ((0.0001, 0.9), "more than 4,096 signatures"),
        ((0.151, 0.9, 0.15), "more than 4,096 signatures"),
    ],
)
def test_impossible(words, said):
    """What cannot be is said in one sentence."""
    with pytest.raises(UsageError, match=re.escape(said)):
        plan(*words)


# --- the command ---


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(["plan-signatures", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_command(capsys):
    """It says the number, then a table in which the number is marked."""
    code, out, _ = told(capsys, "--alpha", "0.15", "--recall", "0.95")
    first, _, head, *rows = out.splitlines()
    assert 0 == code
    assert first.startswith("19 signatures find pairs of similarity 0.15 with probability 0.95")
    assert ["m", "recall", "error"] == head.split()[:3]
    counts = ["19", "20", "40", "80", "160", "256", "400"]
    assert counts == [r.split()[0] for r in rows[:7]]
    assert ["*"] == [r[-1] for r in rows if r.endswith("*")]


def test_command_with_a_threshold(capsys):
    """Where a smaller number would do by chance of rounding, it says so."""
    _, out, _ = told(capsys, "--alpha", "0.25", "--recall", "0.95", "--threshold", "0.15")
    first, second, *_ = out.splitlines()
    assert first.startswith("55 signatures find")
    assert first.endswith("by a share of equal signatures above 0.15.")
    assert "45 would do, but some larger numbers would not." == second


def test_command_with_a_number(capsys):
    """With --m it tells of this number, also for pairs below the threshold."""
    _, out, _ = told(capsys, "--alpha", "0.05", "--m", "33", "--threshold", "0.15")
    found = float(exact_recall(33, "0.05", "0.15"))
    assert f"33 signatures find pairs of similarity 0.05 with probability {found:.4f}" in out
    assert "*" not in out


def test_command_as_json(capsys):
    """The object holds the numbers asked for, the answers and the table."""
    _, out, _ = told(capsys, "--alpha=0.5", "--recall=0.75", "--m=3", "--json")
    said = json.loads(out)
    assert (0.5, 0.75, 0.0) == (said["alpha"], said["recall"], said["threshold"])
    assert (2, 2) == (said["signatures"], said["least"])
    assert [2, 3, 20, 40, 80, 160, 256, 400] == [r["signatures"] for r in said["table"]]
    assert row(3, 0.5)._asdict() == said["table"][1]


@pytest.mark.parametrize(
    "words",
    [
        ("--alpha", "0.5"),
        ("--alpha", "0.5", "--m", "0"),
        ("--alpha", "0.5", "--m", "5000"),
        ("--alpha", "0.1", "--recall", "0.9", "--threshold", "0.2"),
    ],
)
def test_command_refuses(capsys, words):
    """Wishes that cannot be met end with one sentence and the code of a wrong usage."""
    code, out, err = told(capsys, *words)
    assert (2, "", 1) == (code, out, err.count("\n"))


def test_help_teaches(capsys):
    """The examples of the help are true."""
    with pytest.raises(SystemExit):
        told(capsys, "--help")
    text = capsys.readouterr().out
    assert f"{plan(0.15, 0.95).enough} signatures: of pairs of similarity 0.15" in text
    assert "estimated as 0.30 +- 0.05 by 80" in text
    assert 0.05 == round(row(80, 0.3).error, 2)
