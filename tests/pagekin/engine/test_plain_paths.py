"""Links in the place of paths that jobs would take for something else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pagekin.engine.plain_paths import plain_paths
from pagekin.errors import UsageError


def test_what_is_plain_stays(tmp_path):
    """So do words that are no paths, and paths of what is not there."""
    words = [str(tmp_path), "--option", "a*", "/*", str(tmp_path / "b*"), "s3://bucket/[a]", ""]
    with plain_paths() as plain:
        assert words == [plain(word) for word in words]


def test_odd_folder(tmp_path):
    """Files of one folder are reached through one link, which is gone in the end."""
    folder = tmp_path / "a*#b"
    folder.mkdir()
    files = [folder / "part-00000", folder / "part-00001"]
    for file in files:
        file.write_text(file.name)
    with plain_paths() as plain:
        found = [Path(plain(file)) for file in files]
        assert [file.name for file in files] == [path.read_text() for path in found]
        assert 1 == len({path.parent for path in found})
        assert not any(set("*#") & set(str(path)) for path in found)
    assert not found[0].parent.is_symlink()
    assert files[0].exists()


def test_odd_name(tmp_path):
    """A name is not kept."""
    path = tmp_path / "?.tar.gz"
    path.write_text("x")
    with plain_paths() as plain:
        assert "x" == Path(plain(path)).read_text()
        assert "?" not in plain(path)


def test_odd_folder_for_temporary_files(tmp_path, monkeypatch):
    """There is no way then, and it is said what to do."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t[mp"))
    (tmp_path / "t[mp").mkdir()
    with plain_paths() as plain:
        assert str(tmp_path) == plain(tmp_path)
        with pytest.raises(UsageError, match="name another one with TMPDIR"):
            plain(tmp_path / "t[mp")
