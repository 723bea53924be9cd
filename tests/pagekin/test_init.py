"""What the package itself offers: `pagekin.Index`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pagekin import Index

BOWLINE = "http://knots.sailing.example/bowline.html"
SPLICING = "http://knots.sailing.example/splicing.html"


def test_python(demo_index):
    """`from pagekin import Index` is all that a program needs; the package alone is light."""
    code = (
        "import sys, pagekin; light = 'numpy' not in sys.modules\n"
        "from pagekin import Index\n"
        f"kin = Index.open({str(demo_index)!r}).related({BOWLINE!r}, k=3)\n"
        "print(light, [k.url for k in kin] == [k.url for k in pagekin.Index.open("
        f"{str(demo_index)!r}).related({BOWLINE!r}, 3)], len(kin), kin[0].url)\n"
        "print([m for m in ('mrjob', 'lxml', 'boto3', 'nltk') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [f"True True 3 {SPLICING}", "[]"] == said.stdout.splitlines()


def test_unknown_name():
    """What the package does not offer is an error as anywhere."""
    import pagekin as package  # noqa: PLC0415

    with pytest.raises(AttributeError, match="has no attribute 'Indexes'"):
        package.Indexes  # noqa: B018
    assert package.Index is Index
