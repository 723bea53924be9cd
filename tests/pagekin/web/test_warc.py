"""WARC streams, whole and damaged: what is there is read, what is broken costs no neighbour."""

from __future__ import annotations

import io
import itertools
import random
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pagekin.limits import MAX_RECORD
from pagekin.web import warc
from pagekin.web.streams import WHOLE, ByteRange
from pagekin.web.warc import Damage, Record, read_records
from tests.warcs import (
    DATE,
    bomb,
    gz,
    http_block,
    pipe,
    request,
    response,
    warc_record,
    warcinfo,
    zst,
    zst_dictionary,
    zst_padding,
)

Outcome = list[str | tuple[int, str]]


def url(place: int) -> str:
    return f"http://host{place}.example/"


def page(place: int) -> bytes:
    return f"<p>page {place} ".encode() + b" ".join(b"%d" % (place * n * n) for n in range(90))


PAGES = [response(url(place), page(place)) for place in range(5)]
DICTIONARY = zstandard.train_dictionary(
    3000, [response(url(place), page(place)) for place in range(300)]
).as_bytes()


def packed(*records: bytes, dictionary: bytes = DICTIONARY) -> bytes:
    return zst(*records, dictionary=dictionary)


PACKERS: dict[str, Callable[..., bytes]] = {
    "plain": lambda *records: b"".join(records),
    "gzip": gz,
    "zstd": zst,
    "dictionary": packed,
}
PREFIXES = {"dictionary": zst_dictionary(DICTIONARY)}
COMPRESSED = [name for name in PACKERS if name != "plain"]
MARKS = (gz()[:3], zst()[:4], zst_dictionary(b"")[:4])
every_form = pytest.mark.parametrize("form", PACKERS)
every_compression = pytest.mark.parametrize("form", COMPRESSED)
every_place = pytest.mark.parametrize("place", range(5))


def parts_of(form: str) -> list[bytes]:
    """Five pages, each with its own framing; the first behind a dictionary, where there is one."""
    parts = [PACKERS[form](record) for record in PAGES]
    return [PREFIXES.get(form, b"") + parts[0], *parts[1:]]


def starts_of(parts: list[bytes]) -> list[int]:
    return list(itertools.accumulate(map(len, parts), initial=0))


def outcome(data: bytes) -> Outcome:
    """URLs of the records, and (offset, reason) of the damage."""
    return [
        item.url if isinstance(item, Record) else (item.offset, item.reason)
        for item in read_records(pipe(data))
    ]


def records(data: bytes, **options: object) -> list[Record]:
    items = list(read_records(pipe(data), **options))  # type: ignore[arg-type]
    assert not [item for item in items if isinstance(item, Damage)]
    return [item for item in items if isinstance(item, Record)]


def with_damage(place: int, *damage: tuple[int, str], kept: bool = False) -> Outcome:
    """All five pages in their order, but for the one that is replaced or followed by damage."""
    before: Outcome = [url(n) for n in range(place + kept)]
    return [*before, *damage, *(url(n) for n in range(place + 1, 5))]


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 0x10
    return bytes(changed)


# --- whole streams -------------------------------------------------------------------------------


@every_form
def test_records_of_every_form(form: str) -> None:
    """Plain, gzip and Zstandard streams give the same records."""
    expected = [(url(n), http_block(page(n)), "response", DATE, False) for n in range(5)]
    found = records(b"".join(parts_of(form)))
    assert expected == [(r.url, r.block, r.kind, r.date, r.cut) for r in found]


@every_form
@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_streams_that_give_little_at_once(form: str, at_once: int) -> None:
    """A pipe that gives a few bytes at each read is read to its end."""
    data = b"".join(parts_of(form))
    assert records(data) == list(read_records(pipe(data, at_once)))


def test_offsets() -> None:
    """A record's offset is where its member begins, or where it begins itself in a plain stream."""
    for form in PACKERS:
        parts = parts_of(form)
        starts = starts_of(parts)[:5]
        starts[0] += len(PREFIXES.get(form, b""))
        assert starts == [record.offset for record in records(b"".join(parts))], form


def test_offset_is_a_place_to_start_from() -> None:
    """Reading may begin at any record's offset; offsets then count from there."""
    data = b"".join(map(gz, PAGES))
    stream = io.BytesIO(data)
    stream.seek(records(data)[3].offset)
    assert [url(3), url(4)] == [
        item.url for item in read_records(stream) if isinstance(item, Record)
    ]


def test_places_of_records_that_share_a_member() -> None:
    """Records of one member have one offset and different places."""
    first, second = gz(*PAGES[:3]), gz(*PAGES[3:])
    places = ["0", "0.1", "0.2", f"{len(first)}", f"{len(first)}.1"]
    assert places == [record.position for record in records(first + second)]


@every_compression
def test_members_with_several_records(form: str) -> None:
    """A member may hold several records, or the whole file."""
    prefix, pack = PREFIXES.get(form, b""), PACKERS[form]
    assert [url(n) for n in range(5)] == outcome(prefix + pack(*PAGES))
    assert [url(n) for n in range(5)] == outcome(prefix + pack(*PAGES[:2]) + pack(*PAGES[2:]))


@every_compression
def test_record_over_several_members(form: str) -> None:
    """A record may go on in the members that follow."""
    pack, text, first = PACKERS[form], b"".join(PAGES), len(PAGES[0])
    cuts = [0, 100, first - 70, first - 2, first + 50, len(text) - 300, len(text)]
    data = b"".join(pack(text[start:end]) for start, end in itertools.pairwise(cuts))
    assert [url(n) for n in range(5)] == outcome(PREFIXES.get(form, b"") + data)


def test_empty_members_and_padding() -> None:
    """Members without text and frames that say nothing are no damage."""
    frames = [zst(), zst(PAGES[0]), zst_padding(300), zst(PAGES[1]), zst_padding(0), zst()]
    assert [url(0), url(1)] == outcome(b"".join(frames))
    assert [url(0), url(1)] == outcome(gz() + gz(PAGES[0]) + gz() + gz(PAGES[1]) + gz())


def test_compressed_dictionary() -> None:
    """The dictionary may itself be compressed."""
    data = zst_dictionary(DICTIONARY, packed=True) + packed(PAGES[0])
    assert [url(0)] == outcome(data)


def test_kinds() -> None:
    """All records come out; blocks only of the kinds that are wanted."""
    data = gz(warcinfo()) + gz(request(url(0))) + gz(PAGES[0])
    expected = [("warcinfo", ""), ("request", url(0)), ("response", url(0))]
    assert expected == [(record.kind, record.url) for record in records(data)]
    assert [0, 0, len(http_block(page(0)))] == [len(record.block) for record in records(data)]
    assert [record.cut for record in records(data)] == [True, True, False]
    wanted = records(data, kinds={"request"})
    assert [record.block[:6] for record in wanted] == [b"", b"GET / ", b""]


def test_header_fields() -> None:
    """Names and kind in lower case, angle brackets gone, the first of two fields, folded lines."""
    data = warc_record(
        "Response",
        "<http://a.example/ü>",
        b"",
        warc_truncated="Length",
        x_two="1\r\nX-Two: 2",
        x_folded="one\r\n\ttwo",
    )
    (record,) = records(data)
    assert (
        record.kind,
        record.url,
        record.truncated,
    ) == ("response", "http://a.example/ü", "length")
    assert (record.headers["x-two"], record.headers["x-folded"]) == ("1", "one two")


@pytest.mark.parametrize("version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1", "WARC/1.1 "])
def test_versions(version: str) -> None:
    """Old and new versions are read the same way."""
    assert [url(1)] == outcome(warc_record("resource", url(1), b"x", version=version))


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda data: data.replace(b"\r\n", b"\n"),
        lambda data: data.replace(b"\r\n\r\nWARC/", b"\r\n" * 9 + b"WARC/"),
        lambda data: data.replace(b"\r\n\r\nWARC/", b"WARC/"),
        lambda data: data.replace(b"\r\n\r\nWARC/", b"\nWARC/"),
        lambda data: data.removesuffix(b"\r\n\r\n"),
        lambda data: data.removesuffix(b"\n"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gz])
def test_line_ends_between_records(
    rewrite: Callable[[bytes], bytes], pack: Callable[[bytes], bytes]
) -> None:
    """Any line ends, and any number of them, may stand between records."""
    data = b"".join(warc_record("metadata", url(n), b"a block without line ends") for n in range(4))
    assert [url(n) for n in range(4)] == outcome(pack(rewrite(data)))


def test_empty_stream() -> None:
    """A file of no bytes, or of line ends, has no records and no damage, as have empty members."""
    assert outcome(b"") == []
    assert outcome(gz()) == []


def test_record_inside_a_page() -> None:
    """A page about WARC, or a WARC file that was crawled, is one page while lengths are right."""
    data = [response(url(0), b"<pre>\r\n\r\n" + PAGES[1]), response(url(1), gz(PAGES[2])), PAGES[3]]
    for pack in PACKERS.values():
        text = b"".join(map(pack, data))
        prefix = PREFIXES["dictionary"] if pack is packed else b""
        assert [url(0), url(1), url(3)] == outcome(prefix + text)


# --- broken compression --------------------------------------------------------------------------


@every_compression
@every_place
@pytest.mark.parametrize("where", ["start", "middle", "checksum"])
def test_flipped_bit(form: str, place: int, where: str) -> None:
    """A member with one wrong bit is one damage, wherever it is, and costs no other."""
    parts = parts_of(form)
    start = len(PREFIXES.get(form, b"")) if not place else 0
    at = {"start": start, "middle": (start + len(parts[place])) // 2, "checksum": -2}[where]
    if form == "gzip" and where == "checksum":
        at = -7
    parts[place] = flipped(parts[place], at)
    reason = "foreign_bytes" if where == "start" else "bad_compression"
    expected = with_damage(place, (starts_of(parts)[place] + start, reason))
    assert expected == outcome(b"".join(parts))


@every_compression
@every_place
@pytest.mark.parametrize("share", [0.2, 0.6, 0.99])
def test_member_cut_in_the_middle_of_a_stream(form: str, place: int, share: float) -> None:
    """A member without its end is one damage; the next one is found where it begins."""
    parts = parts_of(form)
    start = len(PREFIXES.get(form, b"")) if not place else 0
    parts[place] = parts[place][: start + int((len(parts[place]) - start) * share)]
    found = outcome(b"".join(parts))
    if place < 4:
        assert with_damage(place, (starts_of(parts)[place] + start, "bad_compression")) == found
    else:
        assert (starts_of(parts)[4], "unexpected_end") == found[-1]
        assert [url(n) for n in range(4)] == found[:4]


@every_compression
def test_large_members(form: str) -> None:
    """Members over many chunks of the stream, and with text over many steps, are isolated too."""
    noise = zlib.compress(b"".join(b"%d" % (n * n) for n in range(300_000)))
    big = [response(url(n), noise + bytes(3 << 20) + noise) for n in range(3)]
    parts = [PREFIXES.get(form, b""), *map(PACKERS[form], big)]
    assert [url(0), url(1), url(2)] == outcome(b"".join(parts))
    start = len(parts[0]) + len(parts[1])
    for share in (0.1, 0.9):
        broken = flipped(parts[2], int(len(parts[2]) * share))
        expected: Outcome = [url(0), (start, "bad_compression"), url(2)]
        assert expected == outcome(b"".join([*parts[:2], broken, parts[3]]))


def test_records_in_front_of_the_bad_place() -> None:
    """In a member with many records those that come before the bad place are given."""
    data = gz(*[response(url(n), page(n)) for n in range(400)])
    found = outcome(flipped(data, len(data) // 2))
    assert found.pop() == (0, "bad_compression")
    assert [url(n) for n in range(len(found))] == found
    assert 180 < len(found) < 220


def test_wrong_checksum_of_a_whole_file() -> None:
    """All records but the last have been seen to end when the checksum fails."""
    data = flipped(gz(*PAGES), -7)
    assert [url(0), url(1), url(2), url(3), (0, "bad_compression")] == outcome(data)


@every_form
def test_truncated_stream(form: str) -> None:
    """Of a record that the end of the stream cuts the beginning is given, and then its damage."""
    # Zstandard gives nothing of a block (128 KiB of text) that is not whole.
    last = b" ".join(b"%d" % (n * n) for n in range(60_000))
    start = len(b"".join(parts_of(form)))
    data = b"".join([*parts_of(form), PACKERS[form](response(url(5), last))])
    for missing in (60, 9_000):
        *items, record, damage = read_records(pipe(data[:-missing]))
        assert [url(n) for n in range(5)] == [i.url for i in items if isinstance(i, Record)]
        assert isinstance(record, Record)
        assert (url(5), True) == (record.url, record.cut)
        assert len(last) // 2 < len(record.block)
        assert http_block(last).startswith(record.block)
        assert isinstance(damage, Damage)
        assert (start, "unexpected_end") == (damage.offset, damage.reason)


@pytest.mark.parametrize("missing", range(1, 9))
def test_truncated_trailer(missing: int) -> None:
    """A last member without its whole checksum still gives its whole record."""
    data = b"".join(map(gz, PAGES))
    *items, damage = read_records(pipe(data[:-missing]))
    assert getattr(damage, "reason", "") == "unexpected_end"
    assert [http_block(page(n)) for n in range(5)] == [
        i.block for i in items if isinstance(i, Record)
    ]


@every_form
def test_header_cut_by_the_end(form: str) -> None:
    """A stream that ends within a header ends in one damage."""
    prefix = PREFIXES.get(form, b"")
    data = prefix + PACKERS[form](PAGES[0])
    cut = PACKERS[form](PAGES[1][:60])[: None if form == "plain" else -1]
    assert [url(0), (len(data), "unexpected_end")] == outcome(data + cut)


@pytest.mark.parametrize(
    "dictionary", [flipped(DICTIONARY, 60), DICTIONARY[:50], DICTIONARY[:4] + bytes(500), b"?" * 99]
)
@pytest.mark.parametrize("compressed", [False, True])
def test_bad_dictionary(dictionary: bytes, compressed: bool) -> None:
    """A broken dictionary costs the frames that need it, and no other."""
    data = zst_dictionary(dictionary, compressed) + packed(PAGES[0]) + zst(PAGES[1])
    *damage, page_of_its_own = outcome(data)
    assert all(isinstance(item, tuple) for item in damage)
    assert page_of_its_own == url(1)


# --- foreign bytes -------------------------------------------------------------------------------

FOREIGN = {
    "zeros": bytes(1000),
    "text": b"this is no record\r\n\r\n" * 50,
    "marks": b"\0\x1f\x8b\x08\x00\x28\xb5\x2f\xfdWARC/" * 50,
    "noise": zlib.compress(b"noise" * 7000) * 40,
}


@every_form
@every_place
@pytest.mark.parametrize("foreign", FOREIGN)
def test_foreign_bytes(form: str, place: int, foreign: str) -> None:
    """Whatever stands between two records is one damage with its length."""
    parts = parts_of(form)
    if form == "dictionary" and not place:
        pytest.skip("a stream with a dictionary begins with it")
    parts.insert(place, FOREIGN[foreign])
    items = list(read_records(pipe(b"".join(parts))))
    (damage,) = (item for item in items if isinstance(item, Damage))
    expected = Damage(starts_of(parts)[place], "foreign_bytes", len(FOREIGN[foreign]))
    assert expected == damage
    assert [url(n) for n in range(5)] == [i.url for i in items if isinstance(i, Record)]
    assert place == items.index(damage)


@every_form
def test_foreign_bytes_at_the_end(form: str) -> None:
    """What follows the last record is one damage."""
    data = b"".join(parts_of(form))
    *items, damage = read_records(pipe(data + b"\0" * 5000))
    assert Damage(len(data), "foreign_bytes", 5000) == damage
    assert len(items) == 5


@pytest.mark.parametrize("foreign", [*FOREIGN.values(), b"\x1f", b"<html>" * 50_000])
def test_foreign_stream(foreign: bytes) -> None:
    """A file that is no WARC at all is one damage."""
    assert [Damage(0, "foreign_bytes", len(foreign))] == list(read_records(pipe(foreign)))


def test_foreign_member() -> None:
    """A member that holds no record is one damage."""
    parts = [gz(PAGES[0]), gz(b"no record\r\n" * 9), gz(PAGES[1])]
    assert [url(0), (len(parts[0]), "foreign_bytes"), url(1)] == outcome(b"".join(parts))


# --- broken records ------------------------------------------------------------------------------

BAD_HEADERS = {
    "no version": (PAGES[2].split(b"\r\n", 1)[1], "foreign_bytes"),
    "odd version": (PAGES[2].replace(b"WARC/1.0", b"WARC/x.y"), "bad_record_header"),
    "no type": (warc_record("", url(2), b"block", warc_type=None), "bad_record_header"),
    "no length": (warc_record("response", url(2), b"block", content_length=None), "bad_length"),
    "negative length": (warc_record("response", url(2), b"x", content_length=-5), "bad_length"),
    "word as length": (warc_record("response", url(2), b"x", content_length="x"), "bad_length"),
    "endless length": (
        warc_record("response", url(2), b"x", content_length="9" * 99),
        "bad_length",
    ),
    "long line": (
        warc_record("response", url(2), b"x", x_long="x" * 10_000_000),
        "bad_record_header",
    ),
    "many lines": (
        warc_record("response", url(2), b"x", x="y\r\nX: y" * 12_000),
        "bad_record_header",
    ),
    "no blank line": (PAGES[2].split(b"\r\n\r\n", 1)[0] + b"\r\n", "bad_record_header"),
}


@every_form
@pytest.mark.parametrize("case", BAD_HEADERS)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_bad_headers(form: str, case: str, place: int) -> None:
    """A record whose header cannot be read is one damage."""
    bad, reason = BAD_HEADERS[case]
    parts = [PACKERS[form](record) for record in PAGES]
    parts[place] = PACKERS[form](bad)
    prefix = PREFIXES.get(form, b"")
    found = outcome(prefix + b"".join(parts))
    start = starts_of(parts)[place] + len(prefix)
    if form == "plain" and case == "no blank line" and place == 4:
        reason = "unexpected_end"
    if form == "plain" and case == "odd version" and place == 0:
        reason = "foreign_bytes"  # so far it is not known as a WARC
    assert with_damage(place, (start, reason)) == found


def test_url_never_gets_the_block_of_another() -> None:
    """A header that breaks off in front of the next one is not joined with it."""
    broken = b"WARC/1.0\r\nWARC-Target-URI: http://victim.example/\r\n"
    assert [(0, "bad_record_header"), url(0)] == outcome(broken + PAGES[0])


@every_form
@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("wrong", [-200, -7, 3, 150, 700, 5000, 1 << 22])
def test_wrong_length(form: str, place: int, wrong: int) -> None:
    """A wrong Content-Length costs no other record; the page is given as far as possible."""
    right = http_block(page(place))
    bad = response(url(place), page(place), content_length=len(right) + wrong)
    parts = [PACKERS[form](record) for record in PAGES]
    parts[place] = PACKERS[form](bad)
    prefix = PREFIXES.get(form, b"")
    data = prefix + b"".join(parts)
    reason = "unexpected_end" if form == "plain" and place == 4 and wrong > 4 else "bad_length"
    start = starts_of(parts)[place] + len(prefix)
    if wrong < 0 and form == "plain":
        start = data.index(page(place)) + len(page(place)) + wrong
    items = list(read_records(pipe(data)))
    damage = [(item.offset, item.reason) for item in items if isinstance(item, Damage)]
    # Three bytes of the separator too many: the rest of it still looks like one.
    assert [(start, reason)] * (wrong != 3) == damage
    found = {item.url: item.block for item in items if isinstance(item, Record)}
    assert {url(n) for n in range(5)} == set(found)
    assert right[:wrong] == found[url(place)] if wrong < 0 else found[url(place)].startswith(right)
    assert all(http_block(page(n)) == found[url(n)] for n in range(5) if n != place)


@pytest.mark.parametrize("wrong", [10, 5000])
def test_wrong_length_in_a_member_of_its_own(wrong: int) -> None:
    """What the member holds is the block."""
    bad = response(url(0), page(0), content_length=len(http_block(page(0))) + wrong)
    record, damage, after = read_records(pipe(gz(bad) + gz(PAGES[1])))
    assert isinstance(record, Record)
    assert http_block(page(0)) == record.block
    assert Damage(0, "bad_length", 0) == damage
    assert url(1) == getattr(after, "url", "")


def test_wrong_length_between_records_of_one_member() -> None:
    """The rules of a plain stream hold inside of a member."""
    bad = response(url(1), page(1), content_length=2000)
    expected: Outcome = [url(0), url(1), (0, "bad_length"), url(2), url(3), url(4)]
    assert expected == outcome(gz(PAGES[0], bad, *PAGES[2:]))


def test_damage_next_to_damage() -> None:
    """Consecutive garbage is one damage; bad members that open with a record are one each."""
    parts = [gz(PAGES[0]), gz(b"garbage" * 9), bytes(99), gz(PAGES[2])]
    assert [url(0), (len(parts[0]), "foreign_bytes"), url(2)] == outcome(b"".join(parts))
    bad = flipped(gz(PAGES[1]), -7)
    parts = [gz(PAGES[0]), bad, bad, gz(PAGES[2])]
    damage = [(start, "bad_compression") for start in starts_of(parts)[1:3]]
    assert [url(0), *damage, url(2)] == outcome(b"".join(parts))


# --- limits --------------------------------------------------------------------------------------


@every_form
@pytest.mark.parametrize("size", [999, 1000, 1001, 70_000, 9 << 20])
def test_limit(form: str, size: int) -> None:
    """At most `limit` bytes of a block are kept, and the record says so."""
    block = bytes(range(48, 58)) * (size // 10) + b"x" * (size % 10)
    big = warc_record("response", url(7), block)
    pack = PACKERS[form]
    data = PREFIXES.get(form, b"") + pack(PAGES[0]) + pack(big) + pack(PAGES[1])
    first, record, last = records(data, limit=1000)
    assert (block[:1000], size, size > 1000) == (record.block, record.length, record.cut)
    assert (url(0), url(1)) == (first.url, last.url)


@pytest.mark.parametrize("form", ["plain", "gzip"])
def test_block_over_the_limit_that_ends_early(form: str) -> None:
    """A long block without its end is given as far as it is kept, and then its damage."""
    data = response(url(0), bytes(9 << 20), content_length=20 << 20)
    reason = "unexpected_end" if form == "plain" else "bad_length"
    record, damage = read_records(pipe(PACKERS[form](data)), limit=1000)
    assert isinstance(record, Record)
    assert (len(record.block), record.cut) == (1000, True)
    assert Damage(0, reason, 0) == damage


def test_long_block_with_a_wrong_length() -> None:
    """What is left of a long block whose length is too short is one damage."""
    data = response(url(0), b"x" * (9 << 20), content_length=8_500_000) + PAGES[1]
    found = outcome(data)
    assert [url(0), url(1)] == [found[0], found[2]]
    assert (len(data) - len(PAGES[1]) - 4 - len(http_block(b"x" * (9 << 20))) + 8_500_000) == (
        found[1][0]
    )
    assert found[1][1] == "bad_length"


def test_long_block_in_a_bad_member() -> None:
    """A long block whose member fails its checksum is not given."""
    bad = flipped(gz(response(url(0), bytes(9 << 20))), -6)
    assert [(0, "bad_compression"), url(1)] == outcome(bad + gz(PAGES[1]))


def test_bomb() -> None:
    """A member of many times the limit takes neither memory nor its neighbours."""
    data = gz(PAGES[0]) + bomb(url(9), 16) + gz(PAGES[1])
    tracemalloc.start()
    found = [(r.url, len(r.block)) for r in records(data, limit=1 << 20)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sizes = [len(http_block(page(0))), 1 << 20, len(http_block(page(1)))]
    assert list(zip([url(0), url(9), url(1)], sizes, strict=True)) == found
    assert peak < 8 << 20


@pytest.mark.parametrize("pack", [gz, zst])
def test_a_bomb_is_cut(pack: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a member holds beyond its limit is not read; its page is given, and the damage told."""
    monkeypatch.setattr(warc, "FREE_TEXT", 1 << 20)
    right, large = pack(PAGES[0]), pack(response(url(9), bytes(30 << 20)))
    expected = [url(0), url(9), (len(right), "bomb"), url(0)]
    assert expected == outcome(right + large + right)


def test_members_that_run_over_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too much was read again it is passed over; what stands behind it is read."""
    monkeypatch.setattr(warc, "_WASTE", 1)
    monkeypatch.setattr(warc, "_WASTE_FREE", 0)
    cut = gz(response("http://a.example/", b"<p>bees make <a href=/honey>honey</a>"))[:-20]
    cut = cut[:9] + b"\xff" + cut[10:]  # the system that packed it: some Pythons name theirs
    right = [gz(PAGES[1]), gz(PAGES[2])]
    found = outcome(right[0] + cut * 200 + random.Random(1).randbytes(300 << 10) + right[1])
    damage = [len(right[0]) + k * len(cut) for k in range(2)]
    assert damage == [item[0] for item in found if isinstance(item, tuple)][:2]
    assert (url(1), url(2), True) == (found[0], found[-1], len(found) < 20)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *(b"WARC/1.0\r\n", b"WARC/1.1\n", b"WARC/", b"WARC-Type: x\n", b"\twarc-type:y\n"),
                *(b"content-length: 5\r\n", b"Content-Length: x\n", b"a: b\n", b"\n", b"\r\n"),
                *(b"x", b"a" * 70),
            ]
        ),
        max_size=60,
    ).map(b"".join),
    st.integers(0, 20),
)
def test_headers_are_found_as_by_trying_every_place(data: bytes, start: int) -> None:
    """The search leaves out what cannot be a header, and nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warc, "MAX_WARC_HEADER", 100)
        for end in (len(data), len(data) // 2):
            heads = (at for at in range(start, end) if is_head(data, at))
            assert next(heads, -1) == warc._find_head(data, start, end)


def is_head(data: bytes, at: int) -> bool:
    """Whether a whole header begins here."""
    begins = warc._VERSION.match(data, at) is not None
    return begins and isinstance(warc._parse_head(data, at), warc._Head)


def test_zstd_bomb() -> None:
    """A frame of zeros does not expand in memory either."""
    data = zst(response(url(9), bytes(16 << 20))) + zst(PAGES[1])
    tracemalloc.start()
    assert [url(9), url(1)] == outcome(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 56 << 20


@pytest.mark.parametrize(
    "line", [b"WARC/1.0\r\nA: b\r\n", b"WARC/1.0\r\nA: b\r\n\r\n", b"WARC/1.0\r\n"]
)
def test_headers_without_an_end_take_linear_time(line: bytes) -> None:
    """Millions of headers that are none are passed in one go."""
    # Four megabytes take about a second; were each looked through for itself, it were minutes.
    data = PAGES[0] + line * ((4 << 20) // len(line)) + PAGES[1]
    assert [url(0), (len(PAGES[0]), "bad_record_header"), url(1)] == outcome(data)


# --- whatever comes ------------------------------------------------------------------------------

INTACT = {form: parts_of(form) for form in PACKERS} | {
    "several": [gz(*PAGES[:2]), gz(PAGES[2]), gz(*PAGES[3:])]
}


@settings(max_examples=600, deadline=None)
@given(st.data(), st.sampled_from(list(INTACT)))
def test_any_damage(data: st.DataObject, form: str) -> None:
    """After any change of some bytes nothing raises, and untouched members are read."""
    parts = INTACT[form]
    whole = b"".join(parts)
    start = data.draw(st.integers(0, len(whole) - 1), label="start")
    end = min(start + data.draw(st.sampled_from([0, 1, 3, 50, 1000]), label="removed"), len(whole))
    new = data.draw(st.binary(max_size=30), label="new")
    changed = whole[:start] + new + whole[end:]
    assume(form != "plain" or not changed.startswith(MARKS))  # a form is known by its first bytes
    items = list(read_records(pipe(changed)))
    found = {item.url: item.block for item in items if isinstance(item, Record)}
    for part, (begin, stop) in zip(parts, itertools.pairwise(starts_of(parts)), strict=True):
        if (stop <= start or end <= begin) and (form != "dictionary" or start >= len(parts[0])):
            prefix = PREFIXES.get(form, b"") if begin else b""
            for record in records(prefix + part):
                # Plain text has no framing but the lengths: what comes behind a block may join it.
                assert record.url in found
                assert found[record.url].startswith(record.block)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(list(INTACT)))
def test_limit_changes_no_record(data: st.DataObject, form: str) -> None:
    """What is found does not hang on how much of it is kept, whatever is damaged."""
    whole = b"".join(INTACT[form])
    start = data.draw(st.integers(0, len(whole)), label="start")
    changed = whole[:start] + data.draw(st.binary(max_size=9), label="new") + whole[start + 5 :]
    few, many = (
        [
            (item.position, item.url, item.length) if isinstance(item, Record) else item
            for item in read_records(pipe(changed), limit=limit)
        ]
        for limit in (64, 1 << 20)
    )
    assert few == many


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from([*PAGES, *map(gz, PAGES), zst(PAGES[0]), *PREFIXES.values()]),
            st.sampled_from([*FOREIGN.values(), zst_padding(3), b"WARC/1.0\r\n", b"\r\n\r\n"]),
            st.binary(min_size=1, max_size=40).map(gz),
        ),
        max_size=8,
    ).map(b"".join),
    st.integers(1, 3000),
)
def test_any_bytes(data: bytes, at_once: int) -> None:
    """Any mixture of records, members and garbage is read to its end, in order."""
    items = list(read_records(pipe(data, at_once), limit=100))
    assert sorted(item.offset for item in items) == [item.offset for item in items]
    assert all(0 <= item.offset <= len(data) for item in items)
    assert items == list(read_records(pipe(data), limit=100))


# --- parts of a file -----------------------------------------------------------------------------


NESTED = [
    response("http://a.example/a.warc.gz", b"".join(map(gz, PAGES[:2])), 200, {}),
    response("http://a.example/a.warc", b"\r\n\r\n".join(PAGES[:2]), 200, {}),
    response("http://a.example/empty", b""),
]
"""Pages that are WARC files themselves, one of them compressed."""


def stored(*data: bytes) -> bytes:
    """A gzip member that holds its text as it is: what looks like members inside shows."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    return packer.compress(b"".join(data)) + packer.flush()


FRAMINGS: dict[str, Callable[..., bytes]] = {**PACKERS, "stored": stored}


@st.composite
def warc_files(draw: st.DrawFn) -> bytes:
    """Members of one or several records, some of them WARCs themselves; changed here and there."""
    pack = FRAMINGS[form := draw(st.sampled_from(list(FRAMINGS)))]
    several = st.lists(st.sampled_from([*PAGES, *NESTED, warcinfo()]), min_size=1, max_size=3)
    members = draw(st.lists(several, min_size=1, max_size=9))
    data = PREFIXES.get(form, b"") + b"".join(pack(*member) for member in members)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(data)))
        removed = draw(st.sampled_from([0, 1, 2, 60, len(data)]))
        new = draw(st.one_of(st.binary(max_size=9), st.sampled_from([gz(PAGES[0]), PAGES[1]])))
        data = data[:start] + new + data[start + removed :]
    return data


def part_of(data: bytes, start: int, end: int | None, limit: int) -> list[Record | Damage]:
    """What a reader finds that begins in the middle."""
    return list(read_records(pipe(data[start:]), limit, part=ByteRange(start, end)))


@settings(max_examples=600, deadline=None)
@given(st.data(), warc_files(), st.sampled_from([40, 100, 64 << 10]))
def test_parts_are_the_whole(data: st.DataObject, whole: bytes, chunk: int) -> None:
    """Wherever a file is cut, its parts give what the file gives: no record is lost, read twice
    or taken out of another, damage counts once, and places are those of the file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warc, "_CHUNK", chunk)
        patch.setattr(warc, "_KEPT", data.draw(st.sampled_from([100, 1 << 20]), label="kept"))
        if data.draw(st.booleans(), label="little may be read again"):
            for name, value in (("_WASTE", 1), ("_WASTE_FREE", 0)):
                patch.setattr(warc, name, value)
        items = list(read_records(pipe(whole), 1000))
        entries = {item.offset for item in items if isinstance(item, Record) and item.can_begin}
        chosen = data.draw(st.sets(st.sampled_from(sorted(entries | {0}))), label="cuts") - {0}
        limit = data.draw(st.sampled_from([10, 1000]), label="limit of the inventory")
        again = list(read_records(pipe(whole), limit))
        assert entries == {i.offset for i in again if isinstance(i, Record) and i.can_begin}
        bounds = itertools.pairwise([0, *sorted(chosen), None])
        parts = [part_of(whole, start or 0, end, 1000) for start, end in bounds]
    assert items == [item for part in parts for item in part]


@pytest.mark.parametrize("form", FRAMINGS)
def test_where_a_reader_can_begin(form: str) -> None:
    """At each record of a plain stream, at each member that opens with one, and nowhere behind a
    dictionary; never at what lies within a page."""
    pages = [PAGES[0], *NESTED, PAGES[1]]
    parts = [FRAMINGS[form](page) for page in pages]
    parts[0] = PREFIXES.get(form, b"") + parts[0]
    items = list(read_records(pipe(b"".join(parts))))
    found = [item.offset for item in items if isinstance(item, Record) and item.can_begin]
    assert ([] if form == "dictionary" else starts_of(parts)[:-1]) == found


def test_whole_file_is_a_part() -> None:
    """Without bounds a part is the file."""
    data = b"".join(map(gz, PAGES))
    assert list(read_records(pipe(data))) == list(read_records(pipe(data), part=WHOLE))
    assert list(read_records(pipe(data))) == part_of(data, 0, len(data), MAX_RECORD)


def test_several_records_of_a_member() -> None:
    """A reader begins at the member, and not within it."""
    items = list(read_records(pipe(gz(*PAGES[:3]) + gz(*PAGES[3:]))))
    places = [(i.index, i.can_begin) for i in items if isinstance(i, Record)]
    assert [(0, True), (1, False), (2, False), (0, True), (1, False)] == places
