"""BUILD.toml and flags: what they say, and what is said of their mistakes."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import math
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import (
    LANGUAGES,
    BuildConfig,
    ReadingConfig,
    SignatureConfig,
    TextConfig,
    WindowConfig,
    add_flags,
    config_from_flags,
    load_config,
    sections,
    to_dict,
    to_flags,
)
from pagekin.errors import UsageError
from pagekin.text.languages import language_of
from pagekin.text.words import STEMMED_LANGUAGES, STOP_LISTS
from tests.strategies import configs, weight_configs

HOSTS = st.text(string.ascii_lowercase + string.digits + ".-", min_size=1, max_size=20)

CODES = "it takes codes like de, en, es, fr, it, nl, pt, ru, zh"


def readings() -> st.SearchStrategy[ReadingConfig]:
    """Any way to read that agrees with itself."""
    return st.builds(
        ReadingConfig,
        max_page_bytes=st.integers(1024, 1 << 30),
        resolve=st.just(True),
        follow_canonical=st.booleans(),
        drop_nofollow=st.booleans(),
        obey_robots=st.booleans(),
        exclude_host=st.lists(HOSTS, max_size=3).map(tuple),
    )


@st.composite
def whole_configs(draw: st.DrawFn) -> BuildConfig:
    weight = draw(weight_configs())
    methods = ["darts", "icws", "linear"] if weight.normalise else ["icws", "linear"]
    signatures = SignatureConfig(
        count=draw(st.integers(1, 4096)),
        seed=draw(st.integers(0, (1 << 64) - 1)),
        method=draw(st.sampled_from(methods)),
    )
    return dataclasses.replace(
        draw(configs()), reading=draw(readings()), weight=weight, signatures=signatures
    )


def parse(words: list[str], path: Path | None = None) -> BuildConfig:
    """What a command makes of these flags."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_flags(parser.add_argument, sections())
    return config_from_flags(parser.parse_args(words), path)


def toml(folder: Path, text: str) -> Path:
    path = folder / "BUILD.toml"
    path.write_text(text, encoding="utf-8")
    return path


def complaint(path: Path | None = None, **overrides: dict[str, object]) -> str:
    with pytest.raises(UsageError) as caught:
        load_config(path, overrides)
    return str(caught.value)


# --- reading ---


def test_nothing_said():
    """Without a file and without flags the defaults hold."""
    assert BuildConfig() == load_config(None, {}) == parse([])


def test_file(tmp_path):
    """A section of BUILD.toml is a section of the configuration; what it leaves out is default."""
    path = toml(tmp_path, '[window]\nkind = "topical"\n[reading]\nexclude_host = ["dir.example"]\n')
    expected = BuildConfig(
        reading=ReadingConfig(exclude_host=("dir.example",)), window=WindowConfig(kind="topical")
    )
    assert expected == load_config(path, {})


def test_empty_file(tmp_path):
    """An empty BUILD.toml says nothing."""
    assert BuildConfig() == load_config(toml(tmp_path, ""), {})


def test_flags_stand_above_the_file(tmp_path):
    """A flag overrides its key of the file, also to set it back to the default."""
    path = toml(tmp_path, "[window]\nwords = 4\n[text]\nstop_words = false\n")
    config = parse(["--window-words", "32", "--bag-links", "8"], path)
    assert (32, False, 8.0) == (config.window.words, config.text.stop_words, config.bag.links)


def test_whole_numbers_for_weights(tmp_path):
    """A whole number is a weight too, and the same configuration."""
    config = load_config(toml(tmp_path, "[bag]\nlinks = 8\n"), {})
    assert load_config(None, {"bag": {"links": 8.0}}) == config
    assert "8.0" == repr(config.bag.links)


# --- mistakes ---


def test_all_mistakes_at_once(tmp_path):
    """Whoever made four mistakes reads of four, from the file and from the flags."""
    path = toml(tmp_path, '[window]\nkind = "square"\nwords = -1\n[text]\nstop_words = "no"\n')
    expected = (
        "text.stop_words takes true or false, not 'no'; "
        "window.kind is 'square'; it takes one of basic, syntactic, topical; "
        "window.words is -1; it must be at least 0 and at most 8191; "
        "weight.terms is -5; it must be at least 0"
    )
    assert expected == complaint(path, weight={"terms": -5})


def test_nearest_key(tmp_path):
    """A key that is not there names the one that is nearest."""
    path = toml(tmp_path, "[bag]\nancor = 1.0\n")
    assert "unknown key bag.ancor; did you mean bag.anchor?" == complaint(path)


def test_nearest_section(tmp_path):
    """So does a section."""
    assert "unknown section windows; did you mean window?" == complaint(
        toml(tmp_path, "[windows]\nwords = 1\n")
    )


def test_nothing_near(tmp_path):
    """Where nothing is near, all that there is is named."""
    said = complaint(toml(tmp_path, "[zzz]\n"))
    assert (
        "unknown section zzz; there are reading, text, window, bag, weight, enrich, signatures,"
        " index, blocks, cocitation, mirrors, authority" == said
    )


def test_key_outside_a_section(tmp_path):
    """A key above the first section is told where keys belong."""
    path = toml(tmp_path, 'words = 3\nkind = "basic"\n[text]\nstemming = "stem"\n')
    expected = (
        f"{path}: words, kind stands outside a section;"
        " sections are reading, text, window, bag, weight, enrich, signatures, index, blocks,"
        " cocitation, mirrors, authority"
    )
    assert expected == complaint(path)


@pytest.mark.parametrize(
    ("section", "key", "value", "says"),
    [
        ("window", "words", 3.0, "takes a whole number, not 3.0"),
        ("window", "words", True, "takes a whole number, not True"),
        ("window", "words", "3", "takes a whole number, not '3'"),
        ("window", "kind", 3, "takes a word, not 3"),
        ("bag", "anchor", True, "takes a number, not True"),
        ("text", "stop_words", 1, "takes true or false, not 1"),
        ("reading", "exclude_host", "a.example", "takes a list of strings, not 'a.example'"),
        ("reading", "exclude_host", [1], "takes a list of strings, not [1]"),
        ("text", "stemming", "Stem", "is 'Stem'; it takes one of nostem, stem, stopstem"),
        ("text", "default_language", "english", f"is 'english'; {CODES}"),
        ("text", "default_language", "EN", f"is 'EN'; {CODES}"),
        ("text", "default_language", "nb", f"is 'nb'; {CODES}"),
        ("text", "default_language", "", f"is ''; {CODES}"),
    ],
)
def test_types_and_choices(section, key, value, says):
    """Values are of the right type, and nothing is guessed from another one."""
    assert f"{section}.{key} {says}" == complaint(**{section: {key: value}})


@pytest.mark.parametrize("code", ["de", "ja", "no", "pl"])
def test_languages(code):
    """Any language that a page can say or be found in may be the default, list or no list."""
    assert code == load_config(None, {"text": {"default_language": code}}).text.default_language


def test_languages_are_those_of_the_text():
    """What is refused is what no page would be said to be in; examples have stop lists."""
    codes = map("".join, itertools.product(string.ascii_lowercase, repeat=2))
    assert LANGUAGES == tuple(code for code in codes if language_of(code, b"") == code)
    assert STEMMED_LANGUAGES <= set(LANGUAGES)
    examples = TextConfig.__dataclass_fields__["default_language"].metadata["examples"]
    assert STOP_LISTS == examples


@pytest.mark.parametrize(
    ("section", "key", "good", "bad"),
    [
        ("reading", "max_page_bytes", 1024, 1023),
        ("reading", "max_page_bytes", 1 << 30, (1 << 30) + 1),
        ("text", "max_letters", 1, 0),
        ("window", "words", 0, -1),
        ("window", "words", 8191, 8192),
        ("bag", "links", 0.0, -0.1),
        ("bag", "links", 100.0, 100.1),
        ("bag", "max_terms", 1024, 1023),
        ("weight", "sigma", 0.0, -1.0),
        ("weight", "mu", -100.0, -101.0),
        ("weight", "terms", 0, -1),
    ],
)
def test_bounds(section, key, good, bad):
    """A bound belongs to what is allowed, and what lies beyond is refused."""
    assert good == to_dict(load_config(None, {section: {key: good}}))[section][key]
    assert f"{section}.{key} is {bad}; it must be at least" in complaint(**{section: {key: bad}})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("section", "key"), [("bag", "anchor"), ("weight", "mu"), ("weight", "sigma")]
)
def test_numbers_that_are_none(section, key, value):
    """TOML can write nan and inf; no weight can be either."""
    assert f"{section}.{key} is {value}; it must be" in complaint(**{section: {key: value}})


@pytest.mark.parametrize("host", ["", "a.example/", "http://a.example", "a.example:80", "a, b"])
def test_hosts(host):
    """An address in place of a host would never be met, so it is refused."""
    said = complaint(reading={"exclude_host": ["good.example", host]})
    assert f"reading.exclude_host takes names of hosts, not {host!r}" == said


def test_bags_of_nothing():
    """A configuration under which all bags are empty is refused."""
    said = complaint(bag={"anchor": 0, "content": 0, "links": 0})
    assert "bag: anchor, content and links are all 0; no bag would hold a term" == said


def test_canonical_needs_the_inventory():
    """Canonical URLs stand in the inventory."""
    said = complaint(reading={"follow_canonical": True, "resolve": False})
    assert "reading: follow_canonical needs resolve = true" == said


@pytest.mark.parametrize("text", [b"[window", b"window = ", b"\xff\xfe", b"[text]\n[text]\n"])
def test_not_toml(tmp_path, text):
    """What is no TOML is named with its place."""
    path = tmp_path / "BUILD.toml"
    path.write_bytes(text)
    assert complaint(path).startswith(f"{path}: is not valid TOML: ")


def test_no_file(tmp_path):
    """A missing file, and a folder in its place, are named."""
    missing = tmp_path / "none.toml"
    assert f"{missing}: cannot be read: No such file or directory" == complaint(missing)
    assert f"{tmp_path}: cannot be read: Is a directory" == complaint(tmp_path)


# --- flags ---


@given(whole_configs())
def test_round_trip(config):
    """The flags that a build hands to its tasks say all that differs from the defaults."""
    assert config == parse(to_flags(config, sections()))


@given(whole_configs())
def test_sections_apart(config):
    """The flags of one section say nothing of another one."""
    window = parse(to_flags(config, ["window"]))
    assert BuildConfig(window=config.window) == window


@given(whole_configs())
def test_as_plain_values(config):
    """What is written into every artefact reads back as the same configuration."""
    assert config == load_config(None, to_dict(config))


def test_defaults_need_no_flags():
    """A build with the defaults hands nothing on."""
    assert [] == to_flags(BuildConfig(), sections())


@pytest.mark.parametrize("word", ["true", "True", "yes", "on", "1"])
@pytest.mark.parametrize("other", ["false", "FALSE", "no", "off", "0"])
def test_booleans(word, other):
    """Yes and no can be said in the usual ways."""
    config = parse([f"--reading-drop-nofollow={word}", f"--text-stop-words={other}"])
    assert (True, False) == (config.reading.drop_nofollow, config.text.stop_words)


def test_bad_boolean():
    """What is neither is refused with the two words."""
    with pytest.raises(argparse.ArgumentError, match="takes true or false, not 'maybe'"):
        parse(["--text-stop-words", "maybe"])


def test_lists():
    """Hosts are parted by commas; blanks around them and empty ones say nothing."""
    config = parse(["--reading-exclude-host", "a.example, b.example,"])
    assert ("a.example", "b.example") == config.reading.exclude_host
    assert () == parse(["--reading-exclude-host="]).reading.exclude_host


def test_every_field_is_a_flag_with_its_help():
    """Each field has its flag, its explanation and its default, and no flag stands for two."""
    seen: dict[str, str] = {}
    add_flags(lambda flag, **said: seen.setdefault(flag, said["help"]), sections())
    for name, section in to_dict(BuildConfig()).items():
        for key, value in section.items():
            text = seen.pop(f"--{name}-{key}".replace("_", "-"))
            listed = ",".join(value) if isinstance(value, tuple) else str(value).lower()
            shown = listed or "none"
            assert text.endswith(f"(default: {shown})"), (name, key, text)
            assert len(text) > 30, (name, key)
    assert {} == seen


def test_help_can_be_shown(capsys):
    """No explanation trips argparse's own formatting."""
    with pytest.raises(SystemExit):
        parse(["--help"])
    assert "--window-kind basic|syntactic|topical" in capsys.readouterr().out


def test_flags_of_one_section():
    """A job declares only the sections that it reads."""
    seen: list[str] = []
    add_flags(lambda flag, **_: seen.append(flag), ["window"])
    assert ["--window-kind", "--window-words"] == seen


def test_frozen():
    """A configuration does not change under anybody's hands."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        BuildConfig().window.words = 3
