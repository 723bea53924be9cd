"""What setup.cfg cannot say: the parts in C, which are built where there is a compiler.

Without one pagekin is whole, and slower (`pagekin.native`). They keep to Python's stable interface,
so one build serves all versions that pagekin runs on.
"""

from setuptools import Extension, setup

FLAGS = ["-O3", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"]
HEADERS = {
    **dict.fromkeys(
        ("stages/fragments/_columns", "stages/fragments/_parcels"),
        ("room.h", "stages/fragments/numbers.h"),
    ),
    "stages/fragments/_fragments": ("stages/fragments/numbers.h",),
    "text/_pieces": ("room.h",),
    "bags/_words": ("room.h", "text/xxh32.h"),
    "query/_exact": ("room.h",),
    **dict.fromkeys(("web/_flat", "web/_outline"), ("web/html.h", "room.h")),
}
PARTS = ("bags/_stream", "bags/_words", "query/_exact")
PARTS += ("stages/fragments/_columns", "stages/fragments/_fragments", "stages/fragments/_parcels")
PARTS += ("text/_pieces", "web/_flat", "web/_outline")


def part(name: str) -> Extension:
    """The module in C of this name, below lib/pagekin/."""
    return Extension(
        f"pagekin.{name.replace('/', '.')}",
        [f"lib/pagekin/{name}.c"],
        depends=[f"lib/pagekin/{header}" for header in HEADERS.get(name, ())],
        extra_compile_args=FLAGS,
        py_limited_api=True,
        optional=True,
    )


setup(ext_modules=list(map(part, PARTS)))
