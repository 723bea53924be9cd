r"""URLs: one canonical form for the whole system, and a fast resolver of the hrefs of a page.

The canonical form is the key under which everything known of a page is filed: two spellings of one
page should meet in it, and two pages should not. It rests on the WHATWG URL standard, as parsed by
ada-url, and on RFC 3986 for percent-encoding. After parsing, this is changed:

- only http and https have a form; the scheme, "www." and the case of the path are kept;
- the fragment goes, "#!" too: it never reaches the server, so a crawl holds no page for it;
- user and password go: they say who asks, not which page is asked for;
- dots at the end of the host go: they only keep the resolver from adding its search domain;
- hex digits of an escape become upper-case, escaped unreserved characters are decoded, a stray "%"
  is "%25", and what RFC 3986 allows nowhere (``[ ] \ ^ ` { | }``) is escaped. "+" and "%20" differ;
- session ids in the path go: ";jsessionid=...", and the "(S(...))" segment of ASP.NET;
- a default index file at the end of the path goes, also before a query, and leaves its folder with
  the slash. Apart from that a final slash is neither added nor removed;
- parameters of sessions and of campaign tracking go, and so do empty ones ("&&");
- the other parameters are sorted by name. Values of one name keep their order: servers ignore the
  order of names, but may take the first or the last value of a name;
- what is then longer than MAX_LENGTH has no form, nor has what is longer than MAX_FOUND at first.

A form is printable ASCII without a space, and is its own form. Deliberately not done: no redirects,
no rel=canonical, no guess that two schemes or hosts are one site, no repair of "&amp;"; and a query
is escaped as UTF-8 whatever the charset of its page.

The rules are constants, not options: stages or builds with different rules would never meet.

The top sub-domain of a URL says whose site a page belongs to, for caps and filters by domain. It is
the registered domain by the Public Suffix List with its private section, so that a.github.io and
b.github.io have two owners. The list is the one inside the package publicsuffixlist: nothing is
downloaded, and only the same version of that package gives the same domains again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final

from ada_url import join_url
from publicsuffixlist import PublicSuffixList

from pagekin.errors import UsageError
from pagekin.limits import MAX_FOUND, MAX_LENGTH

__all__ = [
    "FILE_EXTENSIONS",
    "SPELLINGS",
    "Resolver",
    "address_of",
    "among_hosts",
    "are_spellings",
    "canonical",
    "extension_of",
    "host",
    "host_named",
    "make_suffix_list",
    "origin",
    "plain_spelling",
    "refusal",
    "spelling_of",
    "spellings",
    "spelt",
    "top_subdomain",
    "within_host",
]

# No extension of a page, and none that also ends names of sites: .com, .pl, .app, .pages.
_EXTENSIONS: Final = """
    text: pdf ps eps dvi djvu doc docx docm dot dotx odt ott rtf tex txt wpd epub mobi azw chm
    tables, slides: xls xlsx xlsm xlt ods csv tsv ppt pptx pptm pps ppsx odp
    data: xml rss atom rdf json bib dat db mdb sql dbf shp kml kmz gpx ics vcf
    images: gif jpg jpeg jpe jfif png bmp tif tiff svg svgz ico webp psd ai cdr heic avif xcf
    sound: mp3 m3u m4a ogg oga wav wma aac flac mid midi ra ram aif aiff au opus pls
    films: mp4 m4v mpg mpeg mpe avi mov qt wmv asf flv f4v webm mkv ogv rm rmvb 3gp vob srt swf
    archives: zip gz tgz bz2 tbz xz txz 7z rar tar z lzh arj cab jar war sit hqx iso img dmg
    programs: exe msi bin apk ipa deb rpm pkg bat cmd dll pyc xpi crx torrent
    sources: c h cc cpp hpp java py rb sh js css patch diff ttf otf woff woff2 eot
"""
FILE_EXTENSIONS: Final = frozenset(
    word for line in _EXTENSIONS.splitlines() for word in line.partition(":")[2].split()
)

# All in lower case, as are the parameters below: names are compared without case.
INDEX_FILES: Final = frozenset(
    f"{stem}.{ending}"
    for stem, endings in (
        ("index", "html htm xhtml shtml php asp aspx jsp"),
        ("default", "html htm asp aspx"),
    )
    for ending in endings.split()
)

# Who sets them: their names. Left in, though others drop them: "ref", "source", "cid", "s", for on
# too many sites these name the page itself.
_DROPPED_BY_SETTER: Final = """
    PHP, Java, ColdFusion, ASP.NET: phpsessid jsessionid cfid cftoken asp.net_sessionid
    shops (osCommerce and kin, BroadVision): oscsid zenid xtcsid bv_sessionid bv_engineid mscssid
    any server: sessionid session_id sessid
    Google: gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl
    Meta: fbclid fb_action_ids fb_action_types fb_source fb_ref igshid igsh
    Microsoft, LinkedIn, Yandex: msclkid li_fat_id yclid ysclid _openstat
    X, TikTok, Pinterest, Snap, Reddit: twclid ttclid epik sccid rdt_cid
    Mailchimp, Marketo, Vero: mc_cid mc_eid mkt_tok vero_id vero_conv
    HubSpot: _hsenc _hsmi __hstc __hssc __hsfp hsctatracking
    Omeda, Klaviyo, MailerLite: oly_anon_id oly_enc_id _ke _kx ml_subscriber ml_subscriber_hash
    Adobe, Mapp, AT Internet: s_cid wt_mc wt_zmc xtor at_medium at_campaign
    Zanox, Awin, Impact, CJ: zanpid awc irclickid cjevent
"""
DROPPED: Final = frozenset(
    name for line in _DROPPED_BY_SETTER.splitlines() for name in line.partition(":")[2].split()
)
# Campaigns of Google, Matomo (new and old), HubSpot and Webtrends; session cookies of classic ASP.
DROPPED_PREFIXES: Final = ("utm_", "mtm_", "pk_", "piwik_", "hsa_", "wt.", "aspsessionid")
# These may name a station or a section as well, so they go only with a value that looks random.
SESSION_NAMES: Final = frozenset(("sid", "session", "sess"))
SESSION_VALUE: Final = re.compile(r"(?=.*[0-9])[0-9A-Za-z]{16,}")

_SCHEMES: Final = frozenset(("http", "https"))
# What browsers give a document without an address: nothing can be relative to it.
_NO_BASE: Final = "about:blank"

_SESSION_IN_PATH: Final = re.compile(
    r";jsessionid=[^/;&]*|/\((?:[A-Z]\([^()/]*\))*S\([0-9a-z]{24}\)\)(?=/)", re.IGNORECASE
)
# Only from the first dot of a run, else a host of many dots would cost their number squared.
_HOST_DOTS: Final = re.compile(r"(?<!\.)\.++(?=:|$)")

_LONGEST_PATH: Final = 3 * MAX_LENGTH  # of a longer one too much is left, whatever its escapes mean
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# Plain URLs are their own form but for the order of their parameters, and plain paths need only an
# origin, so no parser is asked: 88 % of the distinct hrefs of real pages. No punycode, no port, no
# last label that could make an address, no segment with a leading dot, an index file or a session,
# nothing that is ever (un)escaped.
_PLAIN_ORIGIN: Final = r"https?://(?:(?!xn--)[a-z0-9-]++\.)++[a-z]{2,}+"
# Escapes in upper case of what is no unreserved character.
_KEPT_ESCAPE: Final = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[BCDF])"
# Other escapes, "%" alone, which is a stray one, and what the parser lets through and RFC 3986
# forbids. Escapes that are kept are not even matched: a page may have 30,000 links of thousands.
_ESCAPABLE: Final = re.compile(rf"%(?!{_KEPT_ESCAPE[1:]})(?:[0-9A-Fa-f]{{2}})?|[\[\]\\^`{{|}}]")
_IN_PATH, _IN_QUERY = "[A-Za-z0-9_~!$&'()*+,=:@.-]*+", "[A-Za-z0-9_~!$()*+,;=:@.&/?-]*+"
_PLAIN_PATH: Final = (
    rf"(?:/(?![.(]|(?i:index|default)\.){_IN_PATH}(?:{_KEPT_ESCAPE}{_IN_PATH})*+)++"
)
_PLAIN_QUERY: Final = rf"(?:\?({_IN_QUERY}(?:{_KEPT_ESCAPE}{_IN_QUERY})*+))?+"
_plain_url: Final = re.compile(_PLAIN_ORIGIN + _PLAIN_PATH + _PLAIN_QUERY).fullmatch
_plain_href: Final = re.compile(rf"(?:{_PLAIN_ORIGIN}|(?!//)){_PLAIN_PATH}{_PLAIN_QUERY}").fullmatch


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None (`refusal` says why).

    >>> canonical("HTTP://Example.org:80/%7eann/./index.html?b=2&utm_source=x&a=1#top")
    'http://example.org/~ann/?a=1&b=2'
    """
    if len(url) > MAX_FOUND:
        return None
    plain = _plain_url(url)
    form = _plain_form(plain) if plain else _normalise(_join(_NO_BASE, url))
    return form if form is not None and len(form) <= MAX_LENGTH else None


def refusal(url: str) -> str | None:
    """Why a URL has no canonical form: "unparsable", "scheme", "too_long"; None if it has one."""
    return Resolver(_NO_BASE).refusal(url)


def host(url: str) -> str:
    """The host of a canonical URL, without its port; an IPv6 address stays in brackets."""
    start = url.index("/") + 2
    authority = url[start : url.index("/", start)]
    return _without_port(authority) if ":" in authority else authority


def origin(url: str) -> str:
    """Scheme, host and port of a canonical URL, with the slash behind them.

    >>> origin("http://a.example:8/b/c")
    'http://a.example:8/'
    """
    return url[: url.index("/", url.index("/") + 2) + 1]


def extension_of(url: str) -> str:
    """The extension of a canonical URL's path, in lower case; "" if it has none."""
    path = url.partition("?")[0]
    if path.endswith("/"):  # most
        return ""
    stem, _, extension = path.rpartition(".")
    return "" if "/" in extension or stem[-1:] == "/" else extension.lower()


def within_host(url: str) -> Callable[[str], bool]:
    """Whether a canonical URL is on the host of this one, by either scheme and on any port.

    >>> is_within = within_host("http://a.example/")
    >>> is_within("https://a.example:8/b"), is_within("http://b.a.example/")
    (True, False)
    """
    name = host(url)
    starts = tuple(f"{scheme}://{name}{end}" for scheme in ("http", "https") for end in "/:")
    return lambda other: other.startswith(starts)


def host_named(text: str) -> str:
    """The host that somebody names, by itself or by a URL on it; UsageError if it is none.

    >>> host_named("Example.org"), host_named("https://example.org:8080/a")
    ('example.org', 'example.org')
    """
    form = canonical(text if "://" in text else f"http://{text}/")
    if form is None or ("://" not in text and form != f"http://{host(form)}/"):
        raise UsageError(f"{text!r} names no host; write it as in example.org")
    return host(form)


def among_hosts(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a host is one of these, or below one.

    >>> [among_hosts(["A.example"])(name) for name in ("a.example", "b.a.example", "ba.example")]
    [True, True, False]
    """
    known = tuple(name.lower() for name in names)
    below = tuple(f".{name}" for name in known)
    return lambda name: name in known or name.endswith(below)


class Resolver:
    """Makes canonical URLs of the hrefs of one page, each once: a page repeats its hrefs.

    `base` is the URL of the page, or what its <base href> resolves to, as found and not canonical:
    "?a=1" and ".." mean other pages there. With a broken base only absolute hrefs resolve.
    """

    __slots__ = ("_base", "_memo", "_origin", "_plain", "too_long")

    def __init__(self, base: str) -> None:
        joined = _join(_NO_BASE, base) if len(base) <= MAX_FOUND else None
        self._base = _escaped(joined) if joined else _NO_BASE  # once, and not for each link
        form = _normalise(self._base)
        self._origin = form[: form.index("/", len("https://"))] if form else ""
        self._plain = _plain_href if form else _plain_url
        self._memo: dict[str, str | None] = {}
        self.too_long: set[str] = set()  # hrefs that resolved to nothing for that reason

    def __call__(self, href: str) -> str | None:
        """The canonical URL that `href` leads to; None if to no page (`refusal` says why)."""
        if href not in self._memo:
            self._memo[href] = self._resolve(href)
        return self._memo[href]

    def all(self, hrefs: list[str]) -> list[str | None]:
        """The same for all hrefs of a page."""
        memo = self._memo
        for href in set(hrefs).difference(memo):
            memo[href] = self._resolve(href)
        return list(map(memo.__getitem__, hrefs))

    @property
    def base(self) -> str:
        """What the hrefs are relative to."""
        return self._base

    def refusal(self, href: str) -> str | None:
        """Why `href` resolves to None: "unparsable", "scheme", "too_long"; None if it resolves."""
        if len(href) > MAX_FOUND:
            return "too_long"
        joined = _join(self._base, href)
        if joined is None:
            return "unparsable"
        if joined.partition(":")[0] not in _SCHEMES:
            return "scheme"
        form = _normalise(joined)
        if form is None:
            return "unparsable"
        return "too_long" if len(form) > MAX_LENGTH else None

    def _resolve(self, href: str) -> str | None:
        form = self._form(href)
        if form is None or len(form) <= MAX_LENGTH:
            return form
        self.too_long.add(href)
        return None

    def _form(self, href: str) -> str | None:
        """Its form, or what is too long for one."""
        if len(href) > MAX_FOUND:
            return href
        if plain := self._plain(href.partition("#")[0] if "#" in href else href):
            form = plain[0] if plain.lastindex is None else _plain_form(plain)
            return self._origin + form if form[0] == "/" else form
        if href[:1] == "#":  # a place on the page itself
            return self("")
        return _normalise(_join(self._base, href))


def _plain_form(plain: re.Match[str]) -> str:
    if plain.lastindex is None:  # no query
        return plain[0]
    path, kept = plain[0][: plain.start(1) - 1], _clean_query(plain[1])
    return f"{path}?{kept}" if kept else path


def _join(base: str, href: str) -> str | None:
    try:
        return join_url(base, href)
    except ValueError:
        # The parser takes only what UTF-8 can write: half a surrogate pair, as cut scripts and JSON
        # leave it, becomes U+FFFD as in browsers.
        mended = href.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return _join(base, mended) if mended != href else None


def _escaped(url: str) -> str:
    """A URL that the parser gave, with the escapes of a form in its path and its query."""
    head, slash, tail = url.partition("//")
    authority, end, tail = tail.partition("/")
    return f"{head}{slash}{authority}{end}{_ESCAPABLE.sub(_normal_escape, tail)}"


def _normalise(href: str | None) -> str | None:
    """The form, however long, of what the parser gave; None if the scheme is another or no host."""
    href = (href or "").partition("#")[0]
    if plain := _plain_url(href):
        return _plain_form(plain)
    scheme, _, rest = href.partition("://")
    if scheme not in _SCHEMES:
        return None
    found_authority, _, tail = rest.partition("/")
    authority = _HOST_DOTS.sub("", found_authority.rpartition("@")[2])
    if not authority or not _is_settled(authority, href):
        return None
    found_path, _, query = tail.partition("?")
    path = f"/{found_path}"
    if len(path) > _LONGEST_PATH:
        path = _SESSION_IN_PATH.sub("", path)
        if len(path) > _LONGEST_PATH:
            return href
    escaped = _ESCAPABLE.sub(_normal_escape, path)
    query = _ESCAPABLE.sub(_normal_escape, query)
    path = _SESSION_IN_PATH.sub("", escaped)
    if len(authority) < len(found_authority) or len(path) < len(escaped):
        # "1.2.." is a name and "1.2" an address, "..;jsessionid=1" a segment and ".." is none: what
        # lost a part is another URL to the parser. Each round is shorter, so this ends.
        return _normalise(_join(_NO_BASE, f"{scheme}://{authority}{path}?{query}"))
    kept = _clean_query(query) if query else ""
    return f"{scheme}://{authority}{_without_index(path)}" + (f"?{kept}" if kept else "")


def _is_settled(authority: str, href: str) -> bool:
    # ada-url 1.25 writes "x¡n-" as "xn--xn--2da", which it then refuses to read, and refuses broken
    # punycode that 4.0 lets pass. A form must be readable by the release that wrote it.
    return "xn--" not in authority or _join(_NO_BASE, href) == href


def _without_index(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/" if name.lower() in INDEX_FILES else path


def _clean_query(query: str) -> str:
    """The kept parameters, stably sorted by name; all is ASCII, so this is the order of bytes."""
    kept = [piece for piece in query.split("&") if piece and not _is_dropped(piece)]
    if len(kept) > 1:
        kept.sort(key=_name_of)
    return "&".join(kept)


def _name_of(parameter: str) -> str:
    return parameter.partition("=")[0]


def _is_dropped(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in SESSION_NAMES:
        return SESSION_VALUE.fullmatch(value) is not None
    return name in DROPPED or name.startswith(DROPPED_PREFIXES)


def _normal_escape(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 1:
        return f"%{ord(found):02X}"
    character = chr(int(found[1:], 16))
    return character if character in _UNRESERVED else found.upper()


def _without_port(authority: str) -> str:
    name, _, port = authority.rpartition(":")
    return name if port.isdigit() else authority


# --- URLs as people write them -------------------------------------------------------------------

# "mailto:" and "ftp://", but not the host and port of "example.org:8080/x"
_WRITTEN_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|\Z))", re.IGNORECASE)


def address_of(text: str) -> str | None:
    """The canonical URL that somebody means; None for what is no web address.

    >>> address_of("example.org/a"), address_of("mailto:a@example.org")
    ('http://example.org/a', None)
    """
    text = text.strip()
    return canonical(text) or (None if _WRITTEN_SCHEME.match(text) else canonical(f"http://{text}"))


# --- spellings of one page ------------------------------------------------------------------------

# Bits of the number of a spelling: what the plain spelling lacks.
_HTTPS, _WWW, _SLASH = 1, 2, 4
SPELLINGS: Final = 8
_NEAREST_FIRST: Final = (0, 4, 2, 6, 1, 5, 3, 7)  # how they differ from another one

# RFC 3986: these stand for themselves in a path, escaped or not ("C%2B%2B", "C++").
_NEEDLESS_ESCAPE: Final = re.compile("%(?:2[146789ABC]|3[ABD]|40)")


def plain_spelling(url: str) -> str:
    """What canonical URLs have in common that servers treat alike as a rule: with http, without
    "www.", without slashes at the end of the path, without needless escapes in the path.

    >>> plain_spelling("https://www.example.org/C%2B%2B/?a=%2B")
    'http://example.org/C++?a=%2B'
    """
    rest = url[7:] if url[4] == ":" else url[8:]
    if rest.startswith("www."):
        rest = rest[4:]
    if "?" in rest:
        path, mark, query = rest.partition("?")
        return f"http://{_plain_path_of(path)}{mark}{query}"
    return f"http://{_plain_path_of(rest)}"


def are_spellings(url: str, other: str) -> bool:
    """Are these two spellings of one page's URL?"""
    return plain_spelling(url) == plain_spelling(other)


def _plain_path_of(path: str) -> str:
    """The same for host and path alone."""
    if "%" in path:
        path = _NEEDLESS_ESCAPE.sub(lambda found: chr(int(found[0][1:], 16)), path)
    if path[-1] != "/":
        return path
    path = path.rstrip("/")
    return path if "/" in path else f"{path}/"


def spelling_of(url: str) -> int:
    """The number of the spelling of a canonical URL: `spelt` gives the URL back, but for needless
    escapes.
    """
    scheme, _, rest = url.partition("://")
    path = rest.partition("?")[0]
    has_slash = path.endswith("/") and path.index("/") < len(path) - 1
    return _HTTPS * (scheme == "https") + _WWW * rest.startswith("www.") + _SLASH * has_slash


def spelt(plain: str, spelling: int) -> str:
    """A plain spelling in the spelling of this number, from 0 on."""
    path, mark, query = plain[7:].partition("?")
    scheme = "https" if spelling & _HTTPS else "http"
    www = "www." * bool(spelling & _WWW)
    slash = "/" * (bool(spelling & _SLASH) and not path.endswith("/"))
    return f"{scheme}://{www}{path}{slash}{mark}{query}"


def spellings(url: str) -> list[str]:
    """Other canonical URLs that often lead to the same page.

    >>> spellings("http://example.org/a")[:3]
    ['http://example.org/a/', 'http://www.example.org/a', 'http://www.example.org/a/']
    """
    plain, own = plain_spelling(url), spelling_of(url)
    near = [spelt(plain, own ^ other) for other in _NEAREST_FIRST]
    return [form for form in dict.fromkeys(near) if form != url and canonical(form) == form]


# --- domains --------------------------------------------------------------------------------------

# Hosts; 15 MB when full. A miss costs 2.7 microseconds, a hit less than 0.1.
_HOSTS_REMEMBERED: Final = 65_536


def top_subdomain(url_or_host: str) -> str:
    """The registered domain of a canonical URL, or of the host of one.

    An address, a bare suffix ("co.uk") and a name of one label give the host itself.

    >>> top_subdomain("https://www.cs.example.co.uk:8080/a")
    'example.co.uk'
    """
    return _registered(host(url_or_host) if "://" in url_or_host else url_or_host)


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def _registered(name: str) -> str:
    # The parser makes an IPv4 address of every host that ends in a number, so no name ends in one.
    if name.rpartition(".")[2].isdecimal():
        return name
    return _suffix_list().privatesuffix(name) or name


def make_suffix_list() -> None:
    """Make the suffix list before the first `top_subdomain`."""
    _suffix_list()


@cache
def _suffix_list() -> PublicSuffixList:
    # 80 ms, which a command that asks for no domain should not pay.
    return PublicSuffixList()
