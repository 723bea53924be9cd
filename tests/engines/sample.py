"""A snapshot of 500 messy pages, made up anew each time and always the same.

A little web of forty hosts whose pages link to each other in lists and in running text; and all
that crawls hold besides: other charsets and languages, broken tags, redirects, repeated captures,
tabs and line ends where no one expects them, pages that are none, and a record that is damaged.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.warcs import gz, request, response, warcinfo, zst

__all__ = ["write_large_file", "write_sample"]

_HOSTS = 40
_FILES = 5
_SYLLABLES = (
    *("ba", "ke", "li", "mo", "nu", "ra", "sto", "tri", "ves", "zan"),
    *("dul", "fer", "gim", "hox", "jat", "pel", "qui", "wor", "yth", "cho"),
)
_SCRIPTS = (
    ("ru", "мёд улей пчела луг цветок пасека соты воск рой матка лето дым"),
    ("zh", "蜜蜂 采蜜 花园 春天 木箱 蜂蜡 山谷 河流 草地 夏天"),
    ("de", "Bienen Honig Wiese Imkerei Wabe Wachs Sommer Blüte Schwärme größer"),
)


def write_sample(folder: Path, pages: int = 500, seed: int = 11) -> Path:
    """Write the files; gives the folder."""
    folder.mkdir(parents=True)
    maker = _Maker(random.Random(seed), pages)
    records: list[list[bytes]] = [[warcinfo()] for _ in range(_FILES)]
    for number in range(pages):
        records[number % _FILES] += maker.records(number)
    for number, some in enumerate(records):
        path = folder / f"sample-{number}.warc"
        match number:
            case 0:
                path.write_bytes(b"".join(some))
            case 1:
                path.with_suffix(".warc.zst").write_bytes(b"".join(map(zst, some)))
            case _:
                packed = [gz(record) for record in some]
                packed[len(packed) // 2] = packed[len(packed) // 2][:-9] + b"damaged!!"
                path.with_suffix(".warc.gz").write_bytes(b"".join(packed))
    return folder


def write_large_file(path: Path, seed: int = 12) -> Path:
    """A file of 4 MB in few pages, beside pictures that are no pages; gives its path."""
    chance = random.Random(seed)
    pages = _Maker(chance, 40)
    picture = {"Content-Type": "image/jpeg"}
    with path.open("wb") as out:
        for number in range(40):
            for record in pages.records(number):
                out.write(gz(record))
            body = b"\xff\xd8\xff" + chance.randbytes(100_000)
            out.write(gz(response(f"http://pictures.example/{number}.jpg", body, 200, picture)))
    return path


class _Maker:
    def __init__(self, chance: random.Random, pages: int) -> None:
        self.chance = chance
        self.urls = [f"http://host{k % _HOSTS}.example/{self._word()}/{k}" for k in range(pages)]
        self.words = [self._word() for _ in range(3_000)]

    def _word(self) -> str:
        return "".join(self.chance.choices(_SYLLABLES, k=self.chance.randint(2, 4)))

    def records(self, number: int) -> list[bytes]:
        """What the crawl has of a page: mostly one capture."""
        url, kind = self.urls[number], self.chance.randrange(20)
        if kind == 0:
            target = self.chance.choice(self.urls)
            return [response(url, b"", 301, {"Location": target})]
        if kind == 1:
            return [
                response(url, bytes(self.chance.randbytes(300)), 200, {"Content-Type": "image/png"})
            ]
        body, charset = self._page(number)
        headers = {"Content-Type": f"text/html; charset={charset}"} if kind != 2 else {}
        found = [request(url), response(url, body, 200, headers)]
        if kind == 3:  # an older capture too
            found.append(response(url, b"<p>older", 200, warc_date="2020-01-01T00:00:00Z"))
        return found

    def _page(self, number: int) -> tuple[bytes, str]:
        language, words = "en", self._topic(number)
        if number % 9 == 0:
            language, text = _SCRIPTS[number // 9 % len(_SCRIPTS)]
            words = text.split()
        charset = "utf-8" if number % 7 or language == "zh" else "koi8-r"
        title = "\t".join(self.chance.choices(words, k=3)) + "\r\n"
        parts = [f"<html lang={language}><title>{title}</title>"]
        parts += [self._piece(words) for _ in range(self.chance.randint(2, 9))]
        return "".join(parts).encode(charset, "xmlcharrefreplace"), charset

    def _topic(self, number: int) -> list[str]:
        start = number % 25 * 100  # pages of one topic share their words
        return self.words[start : start + 160]

    def _piece(self, words: list[str]) -> str:
        text = " ".join(self.chance.choices(words, k=self.chance.randint(5, 60)))
        links = [self._link(words) for _ in range(self.chance.randint(1, 8))]
        return self.chance.choice([
            f"<p>{text} {links[0]} {text}</p>",
            "<ul>" + "".join(f"<li>{link}" for link in links) + "</ul>",
            f"<div><b><table><tr><td>{text}<td>{' '.join(links)}</b></table>",
            f"<p>{text}<!-- {links[0]} --><script>'</p>'</script><h2>{text[:40]}\t{links[-1]}",
            f"<p class='a\rb'>{text}\x0b\u2028<a name=x>{links[0]}</p></div></div>",
        ])  # fmt: skip

    def _link(self, words: list[str]) -> str:
        # few pages have most of the inlinks, as on the web
        target = self.urls[int(len(self.urls) * self.chance.random() ** 3)]
        text = " ".join(self.chance.choices(words, k=2))
        return self.chance.choice(
            [f"<a href='{target}'>{text}</a>", f'<a href="{target}#x">{text}']
        )
