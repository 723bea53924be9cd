"""Canonical URLs: cases by hand and a twin by rules; URLs as people write them; domains."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

import ada_url
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pagekin.limits import MAX_LENGTH
from pagekin.web import urls
from pagekin.web.urls import (
    FILE_EXTENSIONS,
    SPELLINGS,
    Resolver,
    address_of,
    are_spellings,
    canonical,
    host,
    plain_spelling,
    refusal,
    spelling_of,
    spellings,
    spelt,
    top_subdomain,
)
from tests.pagekin.web.url_cases import ABSOLUTE, JOINED, SITE

# Parts that mean something to a parser or to a rule, so that random URLs meet in the corners.
URL_PARTS = r"""
    http:// https:// HTTP: mailto: javascript: // / /./ /../ . .. %2e %2E %41 %7e %2f %0a %% % # ? &
    = ; : @ [ ] | \ ^ { } ' + ( ) example.org example.com. a B z index. index.html /Default.aspx
    ;jsessionid=A1 ;v=1 (S(lit3py55t21z5v55vlm25s55)) (b) xn-- xn--bcher-kva ü ß 。 １ 😀
    1 0x7f 192.0.2.1 1.2.. [::1] [::ffff:1.2.3.4] :80 :443 :8080
    utm_source=x sid=0123456789abcdef gclid PHPSESSID=1 a=1 b=2
"""
ODD_PARTS = " \t\n\r\x00\x0b\x7f\xa0\u2028\u0301\u00ad\u200d\ud800\udc00"
PARTS = st.sampled_from([*URL_PARTS.split(), *ODD_PARTS, "a" * 700])
PLAIN_PARTS = [
    *("/", "/a", "a", ".", "index.htm", "b.example", "//", ":", "?", "#", "&", "b=2", "a=1", " "),
    *("sid=1", "utm_source=x", "%20", "%2e", "%2E", "%41", "%5F", "%c3", "%C3", "%", "'", ";"),
]
ANY_CHARACTER = st.characters(exclude_categories=())
URLS = st.one_of(
    st.text(ANY_CHARACTER),
    st.lists(PARTS, max_size=14).map("".join),
    st.lists(PARTS, max_size=14).map(lambda parts: "http://example.org/" + "".join(parts)),
    st.lists(st.one_of(PARTS, ANY_CHARACTER), max_size=10).map(lambda p: "https://" + "".join(p)),
)
FORM = re.compile(
    r"https?://(?:(?![/?#@%])[!-~])+/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*"
)


def rows(table: list[tuple[str, ...]]) -> list[object]:
    return [pytest.param(*row[1:], id=f"{n}-{row[0]}") for n, row in enumerate(table)]


@pytest.mark.parametrize(("url", "expected"), rows(ABSOLUTE))
def test_canonical(url: str, expected: str | None) -> None:
    """An absolute URL has the form that the rules give."""
    assert expected == canonical(url)


@pytest.mark.parametrize(("base", "href", "expected"), rows(JOINED))
def test_resolver(base: str, href: str, expected: str | None) -> None:
    """An href resolves to the form that the rules give, and does so again from the memo."""
    resolve = Resolver(base)
    assert (expected, expected) == (resolve(href), resolve(href))


@pytest.mark.parametrize("form", sorted({row[-1] for row in [*ABSOLUTE, *JOINED] if row[-1]}))
def test_every_form_of_the_table_is_its_own_form(form: str) -> None:
    """Forms are stable, and resolve to themselves on any page."""
    assert (form, form) == (canonical(form), Resolver("https://b.example/a/b?c")(form))


@settings(max_examples=1000, deadline=None)
@given(URLS)
@example("http://192.0.513../a")
@example("http://x¡n-/")
@example("http://example.org/a/..;jsessionid=1")
@example("http://example.org/(S(lit3py55t21z5v55vlm25s55));jsessionid=1/a")
def test_canonical_is_idempotent(url: str) -> None:
    """The form of a form is itself, whatever the input was."""
    form = canonical(url)
    assert form is None or form == canonical(form)


@settings(max_examples=1000, deadline=None)
@given(URLS)
def test_a_form_is_a_key(url: str) -> None:
    """A form is short ASCII, without space, control, fragment, user or irregular escape."""
    form = canonical(url)
    assert form is None or (FORM.fullmatch(form) and len(form) <= MAX_LENGTH)


@settings(max_examples=2000, deadline=None)
@given(URLS)
def test_canonical_equals_its_twin(url: str) -> None:
    """The fast way gives what the rules give one by one."""
    assert twin(url) == canonical(url)


@settings(max_examples=2000, deadline=None)
@given(URLS, URLS)
def test_resolver_is_join_then_canonical(base: str, href: str) -> None:
    """Short cuts change nothing; under a broken base only absolute hrefs are left."""
    try:
        joined = ada_url.join_url(whole_characters(base), whole_characters(href))
    except ValueError:
        joined = href if not can_be_base(base) else ""
    assert canonical(joined) == Resolver(base)(href)


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(PLAIN_PARTS)))
def test_plain_hrefs_on_a_plain_page(parts: list[str]) -> None:
    """Hrefs of the common kind, with or without the parser, come to the same."""
    href = "".join(parts)
    try:
        joined = ada_url.join_url("http://example.org/x/y", href)
    except ValueError:
        joined = ""
    assert twin(joined) == Resolver("http://example.org/x/y")(href)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/", None),
        ("http://example.org/index.html", None),
        ("", "unparsable"),
        ("/a", "unparsable"),
        ("http://exam ple.org/", "unparsable"),
        ("http://./", "unparsable"),
        ("http://192.0.2.256../", "unparsable"),
        ("mailto:ann@example.org", "scheme"),
        ("ftp://example.org/", "scheme"),
        (f"data:,{'a' * 3000}", "scheme"),
        (f"{SITE}/{'a' * 1982}", "too_long"),
        (f"{SITE}/a;jsessionid=1?{'a' * 2000}", "too_long"),
    ],
)
def test_refusal(url: str, expected: str | None) -> None:
    """A URL without a form has a named reason, and only such a one."""
    assert (expected, expected is None) == (refusal(url), canonical(url) is not None)


@settings(deadline=None)
@given(URLS, URLS)
def test_a_refusal_is_exactly_what_resolves_to_none(base: str, href: str) -> None:
    """Every None of a resolver can be counted under a reason."""
    resolve = Resolver(base)
    assert (resolve(href) is None) == (resolve.refusal(href) is not None)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/", "example.org"),
        ("https://www.example.org/a/b?c=http://b.example/", "www.example.org"),
        ("http://example.org:8080/", "example.org"),
        ("https://localhost/a:1", "localhost"),
        ("http://192.0.2.1:81/", "192.0.2.1"),
        ("http://[2001:db8::1]/a", "[2001:db8::1]"),
        ("http://[2001:db8::1]:8080/a", "[2001:db8::1]"),
        ("http://[::]/", "[::]"),
        ("http://xn--bcher-kva.example/@a", "xn--bcher-kva.example"),
    ],
)
def test_host(url: str, expected: str) -> None:
    """The host is the name or address alone."""
    assert expected == host(url)


@settings(deadline=None)
@given(URLS)
def test_host_is_the_parsers(url: str) -> None:
    """Slicing finds the host that the parser finds, in every form."""
    form = canonical(url)
    assert form is None or ada_url.URL(form).hostname == host(form)


def test_the_doctests_hold() -> None:
    """The examples in the docstrings are true."""
    found = doctest.testmod(urls)
    assert (found.failed, found.attempted > 0) == (0, True)


def can_be_base(base: str) -> bool:
    try:
        ada_url.URL(whole_characters(base))
    except ValueError:
        return False
    return True


def whole_characters(text: str) -> str:
    """Text with U+FFFD for every surrogate that has no partner."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def twin(url: str) -> str | None:
    """`canonical`, rule by rule and without short cuts, until nothing changes any more."""
    while True:
        changed = twin_round(url)
        if changed is None or changed == url:
            return changed if changed is None or len(changed) <= MAX_LENGTH else None
        url = changed


def twin_round(url: str) -> str | None:
    try:
        parsed = ada_url.URL(whole_characters(url))
    except ValueError:
        return None
    name = parsed.hostname
    if "xn--" in name and not can_be_base(parsed.href):
        return None
    while name.endswith("."):
        name = name[:-1]
    if parsed.protocol not in ("http:", "https:") or not name:
        return None
    port = f":{parsed.port}" if parsed.port else ""
    query = twin_query(twin_escapes(parsed.search[1:]))
    path = twin_path(twin_escapes(parsed.pathname))
    return f"{parsed.protocol}//{name}{port}{path}" + (f"?{query}" if query else "")


def twin_escapes(text: str) -> str:
    pieces, at = [], 0
    while at < len(text):
        if re.match(r"%[0-9A-Fa-f]{2}", text[at:]):
            character = chr(int(text[at + 1 : at + 3], 16))
            plain = character.isascii() and (character.isalnum() or character in "-._~")
            pieces.append(character if plain else text[at : at + 3].upper())
            at += 3
        else:
            pieces.append(f"%{ord(text[at]):02X}" if text[at] in "%[]\\^`{|}" else text[at])
            at += 1
    return "".join(pieces)


def twin_path(path: str) -> str:
    without = re.sub(r"(?i);jsessionid=[^/;&]*", "", path)
    without = re.sub(r"(?i)/\(([a-z]\([^()/]*\))*S\([0-9a-z]{24}\)\)(?=/)", "", without)
    if without != path:
        # Only the parser knows what the path is now; the next round goes on from there.
        return without
    folder, name = path.rsplit("/", 1)
    stem, _, ending = name.lower().partition(".")
    index_endings = {
        "index": ("html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp"),
        "default": ("html", "htm", "asp", "aspx"),
    }
    return f"{folder}/" if ending in index_endings.get(stem, ()) else path


def twin_query(query: str) -> str:
    kept: dict[str, list[str]] = {}
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if piece and not twin_drops(name.lower(), value):
            kept.setdefault(name, []).append(piece)
    return "&".join(piece for name in sorted(kept) for piece in kept[name])


def twin_drops(name: str, value: str) -> bool:
    if name in ("sid", "sess", "session"):
        long = len(value) >= 16 and value.isascii() and value.isalnum()
        return long and any(character.isdigit() for character in value)
    return name in urls.DROPPED or any(name.startswith(p) for p in urls.DROPPED_PREFIXES)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://a.example/", "http://a.example/"),
        ("a.example", "http://a.example/"),
        ("a.example/x?b=2&a=1#top", "http://a.example/x?a=1&b=2"),
        ("HTTPS://A.Example/", "https://a.example/"),
        ("https:a.example/x", "https://a.example/x"),
        ("//a.example/x", "http://a.example/x"),
        ("a.example:8080/x", "http://a.example:8080/x"),
        ("a.example:8080", "http://a.example:8080/"),
        ("a.example:80?x", "http://a.example/?x"),
        ("localhost:80#x", "http://localhost/"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
        ("a.example/index.html", "http://a.example/"),
        ("  a.example/x ", "http://a.example/x"),
        ("--all", "http://--all/"),
        ("a.example/http://b.example/", "http://a.example/http://b.example/"),
    ],
)
def test_address(text, url):
    """What people write is read as the URL that they mean."""
    assert url == address_of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "two words", "http://", "http:///", "/", "#top", "?x"),
        *("mailto:x@y.z", "ftp://a.example/", "ftp:a.example", "javascript:void(0)"),
        *("tel:+49-30-1", "urn:isbn:3-16", "data:text/plain,x", "a.example:x", "FILE:///etc"),
    ],
)
def test_no_address(text):
    """What is no web address is none, and is not made one by a scheme before it."""
    assert address_of(text) is None


@given(st.text())
def test_any_text(text):
    """Whatever is written gives a canonical URL or none."""
    url = address_of(text)
    assert url is None or canonical(url) == url


@pytest.mark.parametrize(
    ("url", "others"),
    [
        (
            "http://a.example/x",
            [
                *("http://a.example/x/", "http://www.a.example/x", "http://www.a.example/x/"),
                *("https://a.example/x", "https://a.example/x/"),
                *("https://www.a.example/x", "https://www.a.example/x/"),
            ],
        ),
        (
            "https://www.a.example/",
            ["https://a.example/", "http://www.a.example/", "http://a.example/"],
        ),
        (
            "http://a.example:8080/",
            [
                "http://www.a.example:8080/",
                "https://a.example:8080/",
                "https://www.a.example:8080/",
            ],
        ),
    ],
)
def test_spellings(url, others):
    """With and without www and a last slash, and the other scheme; nearest first."""
    assert others == spellings(url)


WORDS = st.text("abcwx.-_/?=&%0123456789", min_size=1, max_size=12)


@given(st.builds(lambda rest: canonical(f"http://a.example/{rest}"), WORDS).filter(bool))
def test_spellings_of_anything(url):
    """They are canonical, each once, and without the URL itself."""
    others = spellings(url)
    assert len(set(others)) == len(others)
    assert url not in others
    for other in others:
        assert canonical(other) == other
        assert are_spellings(url, other)


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://a.example/", "http://a.example/"),
        ("https://www.a.example/", "http://a.example/"),
        ("https://a.example/?x=http://www.b.example/", "http://a.example/?x=http://www.b.example/"),
        ("http://a.example/b/?c=d/", "http://a.example/b?c=d/"),
        ("http://a.example/%28C%2B%2B%29", "http://a.example/(C++)"),
        ("http://a.example/%2F%3F%23%25%20", "http://a.example/%2F%3F%23%25%20"),
        ("http://a.example/?x=%2B", "http://a.example/?x=%2B"),
        ("http://www.www.example:8080/a//", "http://www.example:8080/a"),
        ("http://a.example//", "http://a.example/"),
        ("http://wwwa.example/", "http://wwwa.example/"),
    ],
)
def test_plain_spelling(url, plain):
    """What several spellings have in common; what names another page stays."""
    assert canonical(url) == url
    assert plain == plain_spelling(url)


@given(st.builds(lambda rest: canonical(f"http://a.example/{rest}"), WORDS).filter(bool))
def test_numbers_of_spellings(url):
    """All spellings have the same plain one, and their number gives each of them back."""
    assert len({plain_spelling(other) for other in (url, *spellings(url))}) == 1
    for other in spellings(url):
        if "%" not in other and "//" not in other[8:]:
            assert spelt(plain_spelling(other), spelling_of(other)) == other
        assert 0 <= spelling_of(other) < SPELLINGS


def test_only_one_scheme_and_www():
    """A host whose name begins with www and a letter is another one."""
    others = spellings("http://wwwa.example/x")
    assert "http://www.wwwa.example/x" in others
    assert not any(other.startswith(("http://a.", "https://a.")) for other in others)


LABELS = st.one_of(
    st.sampled_from(
        ["", "com", "co", "uk", "ck", "www", "*", "!www", "xn--", "xn--p1ai", "1", "0"]
    ),
    st.text("abc-_!*'()", max_size=4),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("example.com", "example.com"),
        ("www.example.com", "example.com"),
        ("a.b.c.example.com", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("uk", "uk"),
        ("a.github.io", "a.github.io"),
        ("b.github.io", "b.github.io"),
        ("x.a.github.io", "a.github.io"),
        ("github.io", "github.io"),
        ("ann.blogspot.com", "ann.blogspot.com"),
        ("www.ann.blogspot.com", "ann.blogspot.com"),
        ("shop.example.com.au", "example.com.au"),
        # *.ck is a suffix, but for www.ck
        ("a.b.c.ck", "b.c.ck"),
        ("a.www.ck", "www.ck"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"),
        # 公司.cn, in punycode
        ("a.b.xn--55qx5d.cn", "b.xn--55qx5d.cn"),
        ("xn--55qx5d.cn", "xn--55qx5d.cn"),
        ("localhost", "localhost"),
        ("a.b.unknownsuffix", "b.unknownsuffix"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("a..example.com", "a..example.com"),
    ],
)
def test_top_subdomain_of_a_host(name: str, expected: str) -> None:
    """The owner is the label before the public suffix; what has none stands for itself."""
    assert expected == top_subdomain(name)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.co.uk:8080/a?b=//c.org/", "example.co.uk"),
        ("http://x.a.github.io/", "a.github.io"),
        ("http://192.0.2.1:80/", "192.0.2.1"),
        ("http://[::1]:81/a", "[::1]"),
        ("http://co.uk/", "co.uk"),
    ],
)
def test_top_subdomain_of_a_url(url: str, expected: str) -> None:
    """A URL belongs where its host belongs."""
    assert expected == top_subdomain(url)


@settings(deadline=None)
@given(st.lists(LABELS, min_size=1, max_size=5).map(".".join))
def test_the_owner_is_an_end_of_the_host_and_owns_itself(name: str) -> None:
    """Every host a form can have has an owner: its last labels, which own themselves."""
    form = canonical(f"http://{name}/")
    assume(form is not None)
    owner = top_subdomain(form)
    assert f".{host(form)}".endswith(f".{owner}")
    assert owner == top_subdomain(owner)


def test_the_memo_is_bounded() -> None:
    """A crawl of any number of hosts costs bounded memory."""
    assert urls._registered.cache_parameters()["maxsize"] == urls._HOSTS_REMEMBERED


def test_the_list_is_not_read_before_it_is_needed() -> None:
    """Importing costs no suffix list."""
    code = "from pagekin.web import urls; print(urls._suffix_list.cache_info().currsize)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"


def test_extensions():
    """Neither pages nor what ends names of sites counts as a file."""
    assert {"mp3", "doc", "pdf", "zip", "jpg", "exe"} <= FILE_EXTENSIONS
    pages = {"html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "pl", "com", "org", "net"}
    assert not pages & FILE_EXTENSIONS
