"""What setup.cfg cannot say: the parts in C, which are built where there is a compiler.

Every `_*.c` below lib/pagekin/ is one. Without a compiler pagekin is whole, and slower
(`pagekin.native`). They keep to Python's stable interface, so one build serves all versions that
pagekin runs on.
"""

from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["-O3", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"]
LIB = Path("lib")
HEADERS = [str(path) for path in sorted(LIB.rglob("*.h"))]


def part(source: Path) -> Extension:
    """The module in C of this source."""
    return Extension(
        ".".join(source.relative_to(LIB).with_suffix("").parts),
        [str(source)],
        depends=HEADERS,
        extra_compile_args=FLAGS,
        py_limited_api=True,
        optional=True,
    )


setup(ext_modules=[part(source) for source in sorted(LIB.rglob("_*.c"))])
