"""More-like-this of tantivy, a search library in the manner of Lucene: a page's rarest words asked.

Words are English: without stop words, and stemmed. Those of a question stand in two texts or more,
and there are up to a hundred of them: of 25 (the default), 100 and 400 that is best on wikispeedia
and debdocs together (docs/measurements/rivals.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pagekin.evaluate.rivals.rival import Made, Progress, Rival, Stopwatch, Text, Texts
from pagekin.evaluate.similarities import Representation, Similarities

__all__ = ["MORE_LIKE_THIS"]

_QUESTION = {"min_doc_frequency": 2, "min_term_frequency": 1, "max_query_terms": 100}
_MEMORY = 50 << 20  # bytes of the writer; it takes no fewer than 15,000,000


def _make(texts: Texts, progress: Progress) -> list[Made]:
    import tantivy  # noqa: PLC0415 - of the extra

    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text", stored=True, tokenizer_name="english")
    fields.add_unsigned_field("page", stored=True)
    with tempfile.TemporaryDirectory() as folder:
        watch = Stopwatch()
        index = tantivy.Index(fields.build(), path=folder)
        index.register_tokenizer("english", _english(tantivy))
        writer = index.writer(_MEMORY, 1)
        everything = [*texts.judged, *texts.others]
        for page, text in enumerate(everything):
            document = tantivy.Document()
            document.add_text("text", text.words)
            document.add_unsigned("page", page)
            writer.add_document(document)
            progress(page, len(everything))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        seconds = watch.seconds()
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        size = size * len(texts.judged) // len(everything)
        searcher = index.searcher()  # its files stay open when their names are gone
    return [Made("", _asking(searcher, tantivy, texts.judged), size, seconds, len(everything))]


def _english(tantivy: Any) -> Any:
    """Words in lower case, without stop words, stemmed, with what tantivy has for it."""
    filters = tantivy.Filter
    some = (filters.lowercase(), filters.stopword("english"), filters.stemmer("english"))
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for each in some:
        words = words.filter(each)
    return words.build()


def _asking(searcher: Any, tantivy: Any, judged: Sequence[Text]) -> Representation:
    """The scores that tantivy gives the judged pages; 0 for those that it does not find."""
    query, documents = tantivy.Query, searcher.num_docs
    everything = searcher.search(query.all_query(), limit=documents).hits
    address = {searcher.doc(place)["page"][0]: place for _, place in everything}
    pages = {(place.segment_ord, place.doc): page for page, place in address.items()}

    def similarities(source: int) -> Similarities:
        result: Similarities = np.zeros(len(judged))
        if not judged[source].words:
            return result
        question = query.more_like_this_query(address[source], **_QUESTION)
        for score, place in searcher.search(question, limit=documents).hits:
            page = pages[place.segment_ord, place.doc]
            if page < len(judged):
                result[page] = score
        return result

    return similarities


MORE_LIKE_THIS = Rival("more-like-this", "more-like-this of tantivy", ("tantivy",), True, _make)
