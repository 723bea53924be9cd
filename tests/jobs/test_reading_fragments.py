"""Bag fragments: a snapshot becomes raw bags and the words behind them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import pytest

from pagekin.bags.bag import parse_bag
from pagekin.bags.vocabulary import WORDS_KEY
from pagekin.config import BagConfig, BuildConfig, WindowConfig
from pagekin.jobs.reading import Reading
from pagekin.stages.fragments import extractor
from pagekin.stages.fragments.parcels import UrlRanges
from pagekin.stages.fragments.term_sums import LinkSums
from pagekin.text.words import term_hash
from pagekin.web.resolution import write_resolution
from tests.forms import parse_forms
from tests.indexes import bag_record
from tests.jobs.running import Pair, Result, run_job, run_script, split_output, write_warc
from tests.pages import html_page, raw_bags
from tests.warcs import gz, response, warcinfo

BEES = "http://bees.example/"
HIVES = "http://hives.example/"
PAGES = {
    BEES: '<title>Bees</title><p>Beekeeping needs <a href="http://hives.example/">hives</a>.',
    HIVES: '<title>Hives</title><p>Wood. <a href="/tools">Smoker</a> <a href="mailto:x@y">me</a>',
    f"{HIVES}tools": "<p>Smokers calm bees; a <a href='http://bees.example'>bee</a> flies.",
}


FRAGMENTS = "--outputs=fragments"


def fragments(args: Iterable[object] = (), inputs: Iterable[bytes] = ()) -> Result:
    """What the job makes where nothing but fragments is wanted."""
    return run_job(Reading, [FRAGMENTS, *args], inputs)


def records_of(pages: dict[str, str]) -> list[bytes]:
    return [gz(response(url, html.encode())) for url, html in pages.items()]


def bags_of(records: list[Pair]) -> list[Pair]:
    return [pair for pair in records if not pair[0].startswith(WORDS_KEY)]


def expected_bags(config: BuildConfig) -> list[Pair]:
    """The bags that the functions under the job make, without mrjob."""
    bags = raw_bags([html_page(html, url) for url, html in PAGES.items()], config)
    return [bag_record(bags[url]) for url in sorted(bags)]


def test_empty():
    """No files, no bags, no words, and nothing counted."""
    assert ([], {}) == fragments()


@pytest.mark.parametrize("kind", ["basic", "syntactic", "topical"])
@pytest.mark.parametrize("deep", [False, True])
def test_with_blocks(tmp_path, kind, deep):
    """One pass gives the records and counts that a pass for bags and one for blocks give."""
    lists = "".join(f"<li><a href=http://site{k}.example/>Site {k}</a>" for k in range(5))
    pages = {url: f"{html}<h2>Sites</h2><ul>{lists}</ul>" for url, html in PAGES.items()}
    if deep:  # libxml2 makes no tree of it
        pages[HIVES] = "<div>" * 3000 + pages[HIVES]
    line = write_warc(tmp_path / "a.warc.gz", *records_of(pages))
    words = ["--window-kind", kind]
    bags, of_bags = fragments(words, [line])
    blocks, of_blocks = run_job(Reading, ["--outputs=blocks"], [line])
    both, of_both = run_job(Reading, ["--outputs=fragments,blocks", *words], [line])
    assert 3 == len(blocks)
    assert sorted(blocks + bags) == both
    assert {**of_blocks, **of_bags} == of_both


def test_cuts(tmp_path):
    """Where hosts are cut changes no record and no count."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    packing = tmp_path / "packing"
    UrlRanges([f"{HIVES}t".encode()]).write(packing)
    plain = fragments(inputs=[line])
    assert plain == fragments(["--packing", str(packing)], [line])


def test_file_without_pages(tmp_path):
    """A file that holds no page makes no bag, and says what it held."""
    line = write_warc(tmp_path / "a.warc.gz", gz(warcinfo()))
    records, counters = fragments(inputs=[line])
    assert [] == records
    assert {"files": {"read": 1}, "records": {"not_response_warcinfo": 1, "read": 1}} == counters


def test_bags(tmp_path):
    """Each URL that is read or linked to has the bag that the pages give it."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    records, counters = fragments(inputs=[line])
    assert expected_bags(BuildConfig()) == bags_of(records)
    assert [b"http://bees.example/", b"http://hives.example/", b"http://hives.example/tools"] == [
        key for key, _ in bags_of(records)
    ]
    assert {
        "bags": {"anchors": 3, "crawled": 3, "terms": 17, "urls": 3},
        "charsets": {"utf-8": 3},
        "files": {"read": 1},
        "languages": {"unknown": 3},
        "links": {"found": 4, "no_web_address": 1, "to_other_host": 2, "within_host": 1},
        "records": {"read": 3, "used": 3},
        "text": {"terms": 9},  # "needs" and "me" are stop words
    } == counters


def test_one_bag_by_hand(tmp_path):
    """The bag of a page: its words, its title once more as anchor words, words around links, and
    the titles of citing pages by half."""
    pages = {
        "http://a.example/": "<title>Honey</title><p>Amber honey",
        "http://b.example/": "<title>Shop</title>"
        "<p>Buy <a href='http://a.example/'>sweet honey</a> jars",
    }
    line = write_warc(tmp_path / "a.warc.gz", *records_of(pages))
    records, _ = fragments(["--text-stemming", "nostem"], [line])
    bag = parse_bag(*bags_of(records)[0])
    assert (True, 1, 1, 1) == (bag.crawled, bag.anchors, bag.pages, bag.hosts)
    weights = dict(zip(bag.terms.tolist(), bag.weights.tolist(), strict=True))
    assert {
        term_hash("honey"): 6 + 1 + 5,  # in the title, in the text, in the anchor
        term_hash("amber"): 1,
        term_hash("sweet"): 5,
        term_hash("buy"): 4,
        term_hash("jars"): 4,
        term_hash("shop"): 2.5,
    } == weights


def test_words(tmp_path):
    """The words of each bucket of hashes, with their counts over all pages."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    records, _ = fragments(inputs=[line])
    seen = {}
    for key, value in records:
        if key.startswith(WORDS_KEY):
            forms = list(parse_forms(value))
            assert {key} == {b"%b%02x" % (WORDS_KEY, form.hash >> 24) for form in forms}
            seen |= {(form.term, form.form): form.seen for form in forms}
    assert {("hive", "hives"): 2, ("bee", "bees"): 2, ("bee", "bee"): 1} == {
        names: count for names, count in seen.items() if names[0] in {"hive", "bee"}
    }


def test_options(tmp_path):
    """Options of the command line are the configuration of the functions."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    args = ["--window-words", "1", "--bag-links", "8", "--bag-same-host", "drop"]
    records, counters = fragments(args, [line])
    config = BuildConfig(window=WindowConfig(words=1), bag=BagConfig(links=8.0, same_host="drop"))
    assert expected_bags(config) == bags_of(records)
    assert 1 == counters["links"]["within_host_dropped"]


def test_crawled_urls_alone(tmp_path):
    """`--bag-urls crawled` makes the same bags for URLs that were read, and none for the others,
    which it counts; words stay as they are."""
    shelves = "<a href=http://shop.example/>Shelves</a> <a href=http://wax.example/>Wax</a>"
    pages = {**PAGES, BEES: PAGES[BEES] + shelves}
    line = write_warc(tmp_path / "a.warc.gz", *records_of(pages))
    whole, of_whole = fragments(inputs=[line])
    records, counters = fragments(["--bag-urls", "crawled"], [line])
    left_out = {b"http://shop.example/", b"http://wax.example/"}
    assert left_out < {key for key, _ in whole}
    assert [pair for pair in whole if pair[0] not in left_out] == records
    assert (5, 3) == (of_whole["bags"]["urls"], of_whole["bags"]["crawled"])
    said = counters["bags"]
    assert (3, 3, 2, 3) == (
        said["urls"],
        said["crawled"],
        said["urls_not_crawled"],
        said["anchors"],
    )
    assert of_whole["links"] == counters["links"]


def test_any_division_of_the_files(tmp_path):
    """One file, or each page in a file of its own: the same records."""
    together = write_warc(tmp_path / "all.warc.gz", *records_of(PAGES))
    apart = [
        write_warc(tmp_path / f"{number}.warc.gz", record)
        for number, record in enumerate(records_of(PAGES))
    ]
    one, _ = fragments(inputs=[together])
    many, counters = fragments(inputs=reversed(apart))
    assert one == many
    assert 3 == counters["files"]["read"]


def test_resolution(tmp_path):
    """Links to an alias count for its target, and captures that are passed over are not read."""
    late = records_of({BEES: "<p>new words about bees and honey"})
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES), *late)
    table = tmp_path / "resolution.arrays"
    write_resolution(table, [(f"{HIVES}tools".encode(), b"http://tools.example/")], [line + b":0"])
    records, counters = fragments(["--resolution", table], [line])
    bags = {key: parse_bag(key, value) for key, value in bags_of(records)}
    assert 1 == bags[b"http://tools.example/"].anchors
    assert term_hash("honei") in bags[b"http://bees.example/"].terms
    assert term_hash("beekeep") not in bags[b"http://bees.example/"].terms
    assert (1, 1) == (counters["records"]["other_capture"], counters["links"]["through_redirects"])


def test_titles(tmp_path):
    """A bag has the title of the page that its words are of: of several captures the one that is
    read, of a URL that others stand for that of the page there; of what was not read there is none.
    """
    copy = "<title>Copy | x</title><link rel=canonical href='http://real.example/'>"
    pages = {
        BEES: '<title>Bees\n &amp;  more</title><p>Bees. <a href="http://away.example/">hives</a>',
        "http://copy.example/": copy,
        "http://copy.example/2": copy.replace("Copy", "Another"),
        HIVES: "<p>No title.",
    }
    old = records_of({BEES: "<title>Old bees</title><p>old"})
    line = write_warc(tmp_path / "a.warc.gz", *old, *records_of(pages))
    table = tmp_path / "resolution.arrays"
    aliases = [(url.encode(), b"http://real.example/") for url in pages if "copy" in url]
    write_resolution(table, aliases, [line + b":0"])
    records, _ = fragments(["--resolution", table, "--reading-follow-canonical", "true"], [line])
    bags = {bag.url: bag for bag in (parse_bag(*pair) for pair in bags_of(records))}
    real = bags.pop("http://real.example/")
    assert {"http://away.example/": "", BEES: "Bees & more", HIVES: ""} == {
        url: bag.title for url, bag in bags.items()
    }
    is_copy = term_hash("copi") in real.terms
    assert is_copy != (term_hash("anoth") in real.terms)
    assert ("Copy | x" if is_copy else "Another | x") == real.title


@pytest.mark.parametrize("canonical", ["true", "false"])
def test_links_to_what_was_not_captured(tmp_path, canonical):
    """They need not be sent where others have no bag: the bags are the same, bit for bit."""
    head = "<link rel=canonical href='http://real.example/'>"
    links = "<a href='http://moved.example/'>hives</a> <a href='http://unread.example/'>wax</a>"
    more = {"http://copy.example/": head + links}
    line = write_warc(tmp_path / "a.warc.gz", *records_of({**PAGES, **more}))
    aliases = [(b"http://moved.example/", BEES.encode())]
    if canonical == "true":
        aliases.append((b"http://copy.example/", b"http://real.example/"))
    captured = [url.encode() for url in (*PAGES, *more)]
    flags = ["--reading-follow-canonical", canonical, "--bag-urls", "crawled", "--resolution"]
    write_resolution(tmp_path / "with", aliases, [], captured)
    write_resolution(tmp_path / "without", aliases, [])
    told, counters = fragments([*flags, tmp_path / "with"], [line])
    plain, others = fragments([*flags, tmp_path / "without"], [line])
    assert list(bags_of(plain)) == list(bags_of(told)) != []
    assert counters["links"].pop("not_captured") > 0
    assert counters["links"] == others["links"]
    assert others["bags"]["urls_not_crawled"] > 0


def test_hosts_of_canonical_pages(tmp_path):
    """A page that stands for another URL cites from that URL's host, for the weights too."""
    page = "<link rel=canonical href='http://real.example/'><a href='http://real.example/b'>bee</a>"
    line = write_warc(tmp_path / "a.warc.gz", *records_of({"http://copy.example/": page}))
    table = tmp_path / "resolution.arrays"
    write_resolution(table, [(b"http://copy.example/", b"http://real.example/")], [])
    flags = ["--resolution", table, "--reading-follow-canonical", "true"]
    flags += ["--bag-same-host", "weigh", "--bag-same-host-weight", "0.5"]
    records, counters = fragments(flags, [line])
    key = b"http://real.example/b"
    bag = parse_bag(key, dict(bags_of(records))[key])
    assert ([term_hash("bee")], [2.5]) == (bag.terms.tolist(), bag.weights.tolist())
    assert 1 == counters["links"]["within_host"]


def test_page_ids_do_not_pile_up(tmp_path, monkeypatch):
    """The ids of citing pages are written before they are many; nothing is lost."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    args = ["--bag-links", "8"]
    whole, _ = fragments(args, [line])
    monkeypatch.setattr("pagekin.stages.fragments.extractor._MANY_IDS", 0)
    assert whole == fragments(args, [line])[0]


def test_unreadable_files(tmp_path):
    """Files that cannot be read are counted and cost the others nothing."""
    good = write_warc(tmp_path / "good.warc.gz", *records_of(PAGES))
    missing = str(tmp_path / "none.warc.gz").encode()
    records, counters = fragments(inputs=[missing, good])
    assert {"failed": 1, "read": 1} == counters["files"]
    assert expected_bags(BuildConfig()) == bags_of(records)


def test_broken_records(tmp_path):
    """A broken record is counted by its reason, and its neighbours keep their bags."""
    first, second, third = records_of(PAGES)
    broken = second[:60] + b"\xff\xff\xff" + second[63:]
    line = write_warc(tmp_path / "a.warc.gz", first, broken, third)
    records, counters = fragments(inputs=[line])
    damaged = {name: n for name, n in counters["records"].items() if name.startswith("damaged")}
    assert 1 == sum(damaged.values()), counters
    assert (2, 3) == (counters["records"]["used"], counters["records"]["read"])
    crawled = [key for key, value in bags_of(records) if parse_bag(key, value).crawled]
    assert [b"http://bees.example/", b"http://hives.example/tools"] == crawled


def hot_pages(number: int) -> dict[str, str]:
    """Pages of which each has links to one URL, with 60 KB of text around them."""
    pages = {}
    for k in range(number):
        words = [f"w{k:x}v{n:x}".translate(LETTERS) for n in range(500)]
        links = " ".join(f"<a href={HIVES}>{word}</a>" for word in words[:200])
        pages[f"http://h{k % 7}.example/{k}"] = f"<p>{links} <p>{' '.join(words[200:])}"
    return pages


LETTERS = str.maketrans("0123456789", "ghijklmnop")


def test_hot_url(tmp_path, monkeypatch):
    """Links to a URL with very many are summed in map tasks; its bag, all other records and what is
    counted are the same for one task, for four and without that."""
    pages = hot_pages(24)
    together = write_warc(tmp_path / "all.warc.gz", *records_of(pages))
    apart = [write_warc(tmp_path / f"{k}.warc.gz", *records_of(pages)[k::4]) for k in range(4)]
    manifests = [tmp_path / f"manifest-{k}" for k in range(5)]
    for path, line in zip(manifests, [together, *apart], strict=True):
        path.write_bytes(line + b"\n")
    said = [
        run_script("reading", "-r", "local", "--no-conf", FRAGMENTS, *paths)
        for paths in (manifests[:1], manifests[1:])
    ]
    assert [0, 0] == [one.code for one in said], said
    (one, of_one), (four, of_four) = (split_output(some.out.encode()) for some in said)
    assert dict(one)[HIVES.encode()].startswith(b"0 4800 24 7 ")
    summed = []
    parse = LinkSums.from_bytes
    monkeypatch.setattr(LinkSums, "from_bytes", lambda text: summed.append(text) or parse(text))
    assert (one, of_one) == fragments(inputs=[together])
    assert summed
    monkeypatch.setattr(extractor, "_HOT", 1 << 30)
    summed.clear()
    assert (one, of_one) == fragments(inputs=[together])
    assert not summed
    assert (of_one.pop("files"), of_four.pop("files")) == ({"read": 1}, {"read": 4})
    assert (one, of_one) == (four, of_four)


def test_parts_of_a_file(tmp_path):
    """Tasks that each read a part of a file make the records, and the counts, of one that reads
    all."""
    packed = records_of(PAGES)
    line = write_warc(tmp_path / "a.warc.gz", *packed)
    first, second, *_ = accumulate(map(len, packed))
    bounds = [f"0-{first}", f"{first}-{second}", f"{second}-"]
    parts = [b"%b\t%b" % (line, part.encode()) for part in bounds]
    (tmp_path / "manifest").write_bytes(b"".join(part + b"\n" for part in parts))
    said = run_script("reading", "-r", "local", "--no-conf", FRAGMENTS, tmp_path / "manifest")
    assert 0 == said.code, said.err
    whole = fragments(inputs=[line])
    assert {"read": 1} == whole[1]["files"]
    assert whole == fragments(inputs=parts) == split_output(said.out.encode())


def test_as_a_script(tmp_path):
    """`python jobs/reading.py -r local` gives the records of the inline runner."""
    line = write_warc(tmp_path / "a.warc.gz", *records_of(PAGES))
    table = tmp_path / "resolution.arrays"
    write_resolution(table, [(b"http://x.example/", b"http://y.example/")], [])
    (tmp_path / "manifest").write_bytes(line + b"\n")
    words = ["--window-kind", "topical", "--resolution", table]
    said = run_script(
        "reading", "-r", "local", "--no-conf", FRAGMENTS, *words, tmp_path / "manifest"
    )
    assert 0 == said.code, said.err
    assert fragments(words, [line]) == split_output(said.out.encode())


def test_help():
    """--help explains every option of the sections that the job reads."""
    said = run_script("reading", "--help")
    text = " ".join(said.out.split())
    assert 0 == said.code
    assert "words each side at the most, stop words not counted" in text
    assert "which URL stands for which, and which captures are not read" in text
    assert "--weight-terms" not in text


def test_links_in_menus(tmp_path):
    """With --bag-templates anchors nothing but anchors tells of URLs that were not captured and to
    which at least half of a page's links stand in menus; each link, page and host counts as ever.
    """
    menu = "<nav>Shop <a href=/cars>Cars</a> <a href=/wax>Wax</a> <a href=http://hives.example/>"
    page = f"<title>Bees</title><h1>Honey</h1>{menu}Hives</a></nav><p>Sweet <a href=/wax>combs</a>"
    page += "<p>Read <a href=/more>more</a><footer><a href=/cars>all cars</a></footer>"
    pages = {BEES: page, HIVES: "<p>Wood."}
    line = write_warc(tmp_path / "a.warc.gz", *records_of(pages))
    write_resolution(tmp_path / "told", [], [], [url.encode() for url in pages])
    write_resolution(tmp_path / "untold", [], [])
    flags = ["--bag-templates", "anchors", "--resolution"]
    told, counters = fragments([*flags, tmp_path / "told"], [line])
    alike = ["--bag-templates", "none", "--resolution"]
    plain, others = fragments([*alike, tmp_path / "told"], [line])
    untold, _ = fragments([*flags, tmp_path / "untold"], [line])
    bags = {key: parse_bag(key, value) for key, value in bags_of(told)}
    full = {key: parse_bag(key, value) for key, value in bags_of(plain)}
    assert dict(bags_of(untold)) == dict(bags_of(plain))
    changed = [key for key in bags if bags[key].terms.tolist() != full[key].terms.tolist()]
    assert [b"http://bees.example/cars", b"http://bees.example/wax"] == changed
    assert {term_hash("car")} == {*bags[changed[0]].terms.tolist()}
    assert [10.0] == bags[changed[0]].weights.tolist()  # two anchors; "all" is a stop word
    assert {term_hash("wax"), term_hash("comb")} == {*bags[changed[1]].terms.tolist()}
    counts = [(bag.anchors, bag.pages, bag.hosts) for bag in bags.values()]
    assert counts == [(bag.anchors, bag.pages, bag.hosts) for bag in full.values()]
    assert "menus" not in others
    assert {"links": 4, "pages": 1, "words": 4 * 8} == counters["menus"]
