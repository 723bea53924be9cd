#!/usr/bin/env python3
"""Related pages as one would write them in an afternoon: BeautifulSoup, datasketch, dictionaries.

    naive_kin.py WARC... > answers.jsonl

Each page's words, stemmed and without stop words, count once; words of a link's text count five
times, and the 30 words around it a little less the further they are, for the page that is linked
to. Bags are weighted by tf and idf, cut to the 200 heaviest words, and sketched with
datasketch's weighted min-hash (80 samples, 4,096 hashed dimensions). Every page is compared with
every other by equal samples in numpy, and the ten best are written as `pagekin related --all
--json` writes them.

It is meant to be fair: stems are cached, files are read with FastWARC where it is installed,
lxml is BeautifulSoup's parser, and sketches are compared in arrays and not one by one. It does
less than pagekin: no redirects, no canonical URLs, no bags for pages that were not read, no
charsets other than what BeautifulSoup finds, English stems for all languages.
"""

import json
import math
import re
import sys
from collections import defaultdict
from functools import lru_cache
from urllib.parse import urldefrag, urljoin

import numpy as np
from bs4 import BeautifulSoup, NavigableString
from datasketch import WeightedMinHashGenerator
from fastwarc.warc import ArchiveIterator, WarcRecordType
from nltk.stem import PorterStemmer

WORD = re.compile(r"[^\W\d_]+")
STOP_WORDS = set(
    """
    a about after all also an and any are as at be because been but by can could did do does for
    from had has have he her him his how i if in into is it its just like may me more most my new
    no not now of on one only or other our out over s said she should so some such t than that the
    their them then there these they this those to two up us was we were what when which who will
    with would you your
    """.split()  # noqa: SIM905
)
SAMPLES, DIMENSIONS, HEAVIEST, WINDOW, BEST = 80, 4096, 200, 30, 10

stem = lru_cache(maxsize=None)(PorterStemmer().stem)


def words_of(text):
    """The stems of a text."""
    return [stem(word) for word in WORD.findall(text.lower()) if word not in STOP_WORDS]


def read_pages(paths):
    """(URL, HTML) of all pages."""
    for path in paths:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(
                stream, record_types=WarcRecordType.response, auto_decode="all"
            ):
                kind = record.http_content_type or ""
                if record.http_headers.status_code == 200 and "html" in kind:
                    yield record.headers["WARC-Target-URI"], record.reader.read()


def parse(url, html):
    """The page's words in order, and its links: URL, first word, one behind the last."""
    soup = BeautifulSoup(html, "lxml")
    for element in soup(["script", "style", "noscript", "template"]):
        element.decompose()
    words, links, starts = [], [], {}
    for node in soup.descendants:
        if isinstance(node, NavigableString):
            if type(node) is NavigableString:
                words += words_of(node)
        elif node.name == "a" and node.get("href"):
            starts[id(node)] = len(words)
            text = words_of(node.get_text(" "))
            try:
                target = urldefrag(urljoin(url, node["href"]))[0]
            except ValueError:
                continue
            links.append((target, len(words), len(words) + len(text)))
    return words, links


def gather(paths):
    """URL -> bag, for every page that was read."""
    own, around = {}, defaultdict(lambda: defaultdict(float))
    for url, html in read_pages(paths):
        words, links = parse(url, html)
        bag = own.setdefault(url, defaultdict(float))
        for word in words:
            bag[word] += 1
        for target, first, last in links:
            if target == url:
                continue
            others = around[target]
            for word in words[first:last]:
                others[word] += 5
            for distance in range(1, WINDOW + 1):
                weight = math.log2(32 / (1 + distance))
                if first - distance >= 0:
                    others[words[first - distance]] += weight
                if last + distance - 1 < len(words):
                    others[words[last + distance - 1]] += weight
    for url, bag in own.items():
        for word, weight in around[url].items():
            bag[word] += weight
    return own


def weigh(bags):
    """tf and idf, the heaviest words, sum 1."""
    df = defaultdict(int)
    for bag in bags.values():
        for word in bag:
            df[word] += 1
    weighted = {}
    for url, bag in bags.items():
        scores = {w: (1 + math.log(1 + tf)) * math.log(len(bags) / df[w]) for w, tf in bag.items()}
        best = sorted(scores.items(), key=lambda item: -item[1])[:HEAVIEST]
        total = sum(score for _, score in best)
        if total > 0:
            weighted[url] = {word: score / total for word, score in best}
    return weighted


def sketch(bags):
    """The sketches of all bags, one behind another."""
    generator = WeightedMinHashGenerator(DIMENSIONS, sample_size=SAMPLES, seed=1)
    numbers = {}
    rows = []
    for bag in bags.values():
        vector = np.zeros(DIMENSIONS)
        for word, weight in bag.items():
            vector[numbers.setdefault(word, len(numbers)) % DIMENSIONS] += weight
        rows.append(generator.minhash(vector).hashvalues)
    return np.array(rows)


def main(paths):
    """Print the answers."""
    bags = weigh(gather(paths))
    urls = list(bags)
    sketches = sketch(bags)
    for place, url in enumerate(urls):
        equal = (sketches == sketches[place]).all(axis=2).sum(axis=1)
        equal[place] = -1
        best = np.argsort(-equal, kind="stable")[:BEST]
        kin = [{"url": urls[k], "score": equal[k] / SAMPLES} for k in best.tolist() if equal[k] > 0]
        print(json.dumps({"url": url, "related": kin}))


if __name__ == "__main__":
    main(sys.argv[1:])
