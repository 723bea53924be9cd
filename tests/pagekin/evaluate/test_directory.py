"""Directories: their formats, what is wrong in them, and how they are collapsed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.evaluate.directory import DirectoryConfig, read_directory
from tests.pagekin.evaluate.plain_judging import lines_of, paths

PAGES = """\
http://a.example/\t/Top/Arts/Music/Bands/Rock
http://a.example/index.html\t/Top/Arts
http://b.example:80/x#top\tTop/Arts/Music/Bands/Jazz
http://c.example/\t/Top/Science
"""
EXPECTED = {
    "http://a.example/": {"Arts/Music/Bands", "Arts"},
    "http://b.example/x": {"Arts/Music/Bands"},
    "http://c.example/": {"Science"},
}

CONTENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- made up -->
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/"
     xmlns="http://dmoz.org/rdf/">
  <Topic r:id="Top/Arts">
    <catid>2</catid>
    <link r:resource="http://a.example/"></link>
  </Topic>
  <ExternalPage about="http://a.example/">
    <d:Title>Rock &amp; Roll</d:Title>
    <d:Description>About <topic-less/> it</d:Description>
    <topic>Top/Arts/Music/Bands/Rock</topic>
  </ExternalPage>
  <Topic r:id="Top/Science"><link1 r:resource="http://c.example/"/></Topic>
  <ExternalPage about="http://b.example/x"><topic>Top/Arts/Music/Bands</topic></ExternalPage>
</RDF>
"""
STRUCTURE = """\
<RDF xmlns:r="http://www.w3.org/TR/RDF/">
  <Topic r:id="Top/Arts"><narrow r:resource="Top/Arts/Music"/>
    <symbolic r:resource="Sound:Top/Science"/><related r:resource="Top/Science"/></Topic>
  <Alias r:id="Sound:Top/Science"><d:Title>Sound</d:Title><Target r:resource="Top/Arts"/></Alias>
</RDF>
"""
CURLIE_C = """\
http://a.example/\tRock\tAbout rock\t12
http://a.example/\tRock\tagain, with\ta tab\t10
http://b.example/x\tJazz\t\t11
http://c.example/\tScience\tAll of it\t20
http://d.example/\tLost\tIts class is not named\t99
"""
CURLIE_S = """\
10\tArts\t2\tAll arts
11\tArts/Music/Bands/Jazz\t1\t
12\tArts/Music/Bands/Rock\t1\tLoud
20\tScience\t1\t
"""


def read(*files, **config):
    return read_directory([Path(file) for file in files], DirectoryConfig(**config))


def shown(directory, *urls):
    """URL -> classes, of those that the directory knows."""
    return {
        url: {"/".join(directory.classes[c]) for c in directory.classes_of(page).tolist()}
        for url in (urls or EXPECTED)
        if (page := directory.find(url)) >= 0
    }


def counted(directory):
    return directory.counters.as_dict()["directory"]


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return tmp_path / name

    return write


# --- formats ---


@pytest.mark.parametrize("name", ["d.tsv", "d.tsv.gz", "anything"])
def test_pages(write, name):
    """Two columns; URLs meet in their canonical form, and classes below the depth in theirs."""
    directory = read(write(name, PAGES))
    assert EXPECTED == shown(directory)
    assert {"rows": 4, "pages": 3} == counted(directory)


@pytest.mark.parametrize("name", ["content.rdf.u8", "content.rdf.u8.gz"])
def test_rdf(write, name):
    """Pages with their topics, and the links of topics."""
    directory = read(write(name, CONTENT), write("structure.rdf.u8", STRUCTURE))
    assert EXPECTED == shown(directory)


def test_rdf_without_topics(write):
    """In old dumps a page tells no topic, and its class is the topic that links to it."""
    old = CONTENT.replace("<topic>", "<x>").replace("</topic>", "</x>")
    directory = read(write("content.rdf.u8", old))
    assert {"http://a.example/": {"Arts"}, "http://c.example/": {"Science"}} == shown(directory)
    assert {"rows": 4, "rows_without_class": 2, "pages": 2} == counted(directory)


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz"])
def test_curlie(write, tmp_path, ending):
    """Pages know the numbers of their classes; the names stand in other files, also later ones."""
    write(f"rdf-Top-c.{ending}", CURLIE_C)
    write(f"rdf-Top-s.{ending}", CURLIE_S)
    write("README.md", "no directory")
    directory = read(tmp_path)
    assert EXPECTED == shown(directory)
    assert 1 == counted(directory)["rows_without_class"]


def test_given_format(write):
    """What looks like another format is read as asked."""
    file = write("d", "http://a.example/\tTop/Arts/1\tx\t7\n")
    assert {"http://a.example/": {"Arts/1"}} == shown(read(file, form="pages"))
    with pytest.raises(InputError, match="no page stands in a class"):
        read(file)


# --- collapsing ---


def test_depth(write):
    """Classes below the depth join their ancestor."""
    found = shown(read(write("d", PAGES), depth=1))
    assert {url: {path.split("/")[0] for path in some} for url, some in EXPECTED.items()} == found


def test_shallow(write):
    """Pages above the depth are left out on request; a page may still be in a deeper class."""
    directory = read(write("d", PAGES), shallow="drop")
    deep = {"Arts/Music/Bands"}
    assert {"http://a.example/": deep, "http://b.example/x": deep} == shown(directory)
    assert 2 == counted(directory)["rows_without_class"]


def test_soft_links(write):
    """A path through a soft link holds no pages."""
    directory = read(write("d", PAGES + "http://c.example/\t/Top/Arts/Sound@\n"))
    assert EXPECTED == shown(directory)


def test_root(write):
    """Pages may stand at the root; a blank path is none."""
    lines = "http://a.example/\t/Top\nhttp://b.example/x\t/\nhttp://c.example/\t\n"
    directory = read(write("d", lines + "http://d.example/\tTop/Top/A\n"))
    assert {"http://a.example/": {""}} == shown(directory)
    assert {"Top/A"} == shown(directory, "http://d.example/")["http://d.example/"]


def test_aliases(write):
    """A URL that stands for another one is that page."""
    ends = {"http://c.example/": "http://a.example/"}
    directory = read_directory([write("d", PAGES)], resolve=lambda url: ends.get(url, url))
    assert {"Arts/Music/Bands", "Arts", "Science"} == shown(directory)["http://a.example/"]
    assert -1 == directory.find("http://c.example/")


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.lists(paths, min_size=1, max_size=4), min_size=1),
    st.integers(1, 4),
    st.sampled_from(["keep", "drop"]),
)
def test_twin(tmp_path_factory, pages, depth, shallow):
    """Arrays hold what plain sets hold, for any tree."""
    classes = {f"http://{name}.example/": some for name, some in pages.items()}
    file = tmp_path_factory.getbasetemp() / "twin.tsv"
    file.write_text(lines_of(classes))
    kept = {
        url: {"/".join(p[:depth]) for p in some if len(p) >= depth or shallow == "keep"}
        for url, some in classes.items()
    }
    kept = {url: some for url, some in kept.items() if some}
    if not kept:
        with pytest.raises(InputError):
            read(file, depth=depth, shallow=shallow)
        return
    directory = read(file, depth=depth, shallow=shallow)
    assert kept == shown(directory, *classes)
    assert sum(map(len, kept.values())) == len(directory.members)


# --- what is wrong ---


def test_bad_lines(write):
    """Bad lines are counted and cost no other line."""
    bad = b"no tab\nmailto:x@a.example\t/Top/Arts\n\xff\xfe\t\xff\n\n" + b"x" * 70_000 + b"\n"
    directory = read(write("d", bad + PAGES.encode()), form="pages")
    assert EXPECTED == shown(directory)
    found = counted(directory)
    assert (1, 1, 2) == tuple(found[n] for n in ("damaged", "lines_too_long", "no_web_address"))


def test_long_last_line(write):
    """A line that never ends is read in pieces and thrown away."""
    directory = read(write("d", PAGES + "x" * 200_000))
    assert (EXPECTED, 1) == (shown(directory), counted(directory)["lines_too_long"])


def test_damaged_elements(write):
    """A broken element costs no other, wherever it breaks."""
    broken = (
        '<ExternalPage about="http://x.example/"><topic>Top/A & B</topic></ExternalPage>\n'
        '<ExternalPage about="http://y.example/"><topic>Top/A</topic>\n'
        '<Topic r:id="Top/A"><link r:resource="http://z.example/"></Topic>\n'
    )
    directory = read(write("c", CONTENT.replace("  <Topic", f"{broken}  <Topic")))
    assert EXPECTED == shown(directory)
    assert {} == shown(directory, "http://x.example/", "http://y.example/", "http://z.example/")
    assert 6 == counted(directory)["damaged"]


def test_control_characters(write):
    """Bytes that XML forbids are in every dump, and are blanks."""
    dirty = CONTENT.encode().replace(b"About", b"\x00\x0b\xff\xfe About")
    assert EXPECTED == shown(read(write("c", dirty)))


def test_entities(write):
    """Entities of a document type are not known, so none can unfold."""
    bomb = (
        '<!DOCTYPE RDF [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><RDF>\n'
        '<ExternalPage about="http://x.example/&b;"><topic>Top/A</topic></ExternalPage>\n'
    )
    directory = read(write("c", bomb + CONTENT))
    assert (EXPECTED, 1) == (shown(directory), counted(directory)["damaged"])


def test_elements_across_pieces(write, monkeypatch):
    """However the file is cut into pieces, the elements are the same."""
    file = write("content.rdf.u8", CONTENT.replace("About", "Äöü 漢字 About"))
    for size in (17, 64, 1000):
        monkeypatch.setattr("pagekin.evaluate.directory._CHUNK", size)
        assert EXPECTED == shown(read(file))


def test_endless_element(write, monkeypatch):
    """An element that does not end is given up, and those behind it are read."""
    monkeypatch.setattr("pagekin.evaluate.directory.MAX_ELEMENT", 3000)
    monkeypatch.setattr("pagekin.evaluate.directory._CHUNK", 1000)
    endless = '<Topic r:id="Top/A">' + "<x/>" * 2000
    directory = read(write("c", endless + CONTENT))
    assert (EXPECTED, 1) == (shown(directory), counted(directory)["elements_too_long"])


def test_broken_gzip(write):
    """What came before the break counts."""
    lines = "".join(f"http://{k}.example/{k * 7919 % 1000}\t/Top/A/B{k % 7}\n" for k in range(9000))
    data = gzip.compress(lines.encode())
    directory = read(write("d.tsv", data[: len(data) // 2]))
    assert 1 == counted(directory)["files_broken_off"]
    assert 1000 < len(directory) < 9000


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"\x1f\x8b", b"\x1f\x8b\x08junk", b"<RDF></RDF>"]
)
def test_nothing(write, data):
    """A file without pages is refused in one sentence."""
    with pytest.raises(InputError, match="no page stands in a class there"):
        read(write("d", data))


def test_structure_alone(write):
    """Classes without pages are no labels."""
    with pytest.raises(InputError, match="no page stands in a class there"):
        read(write("structure.rdf.u8", STRUCTURE))


def test_missing_file(tmp_path):
    """A file that is not there is named, and so is a folder without directories."""
    with pytest.raises(InputError, match=r"absent.*cannot be read"):
        read(tmp_path / "absent")
    with pytest.raises(InputError, match=r"holds no \.tsv"):
        read(tmp_path)


@given(
    st.sampled_from([PAGES, CURLIE_C + CURLIE_S, CONTENT]),
    st.lists(
        st.tuples(st.integers(0, 2000), st.integers(0, 40), st.binary(max_size=8)), max_size=6
    ),
    st.sampled_from(["auto", "pages", "curlie", "rdf"]),
)
def test_damage(tmp_path_factory, text, cuts, form):
    """Whatever a file has become, it is a directory or one sentence."""
    data = text.encode()
    for at, length, instead in cuts:
        data = data[:at] + instead + data[at + length :]
    file = tmp_path_factory.getbasetemp() / "damaged"
    file.write_bytes(data)
    try:
        directory = read(file, form=form)
    except InputError:
        return
    assert len(directory.bounds) == len(directory) + 1
    assert len(directory.classes) > directory.members.max()
