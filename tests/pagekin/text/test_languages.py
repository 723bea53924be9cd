"""pagekin.text.languages: the attribute is believed, the rest is detected or left unknown."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.lang import supported_langs

from pagekin.text import languages
from pagekin.text.languages import detect_language, language_of

# Written for these tests; some 250 to 400 characters each.
TEXTS = {
    "de": "Am Morgen ging der alte Gärtner durch das Tor und sah nach den Bäumen. Die Äpfel "
    "waren noch grün, aber in wenigen Wochen würden sie reif sein, und dann käme die "
    "ganze Familie, um bei der Ernte zu helfen. Er freute sich darauf, denn im Winter "
    "war es still auf dem Hof, und niemand hörte ihm zu, wenn er von früher erzählte.",
    "en": "In the morning the old gardener went through the gate and looked after the trees. "
    "The apples were still green, but within a few weeks they would be ripe, and then "
    "the whole family would come to help with the harvest. He was looking forward to it, "
    "because in winter the farm was quiet and nobody listened when he told them about "
    "the past.",
    "es": "Por la mañana el viejo jardinero cruzó la puerta y miró los árboles. Las manzanas "
    "estaban todavía verdes, pero en pocas semanas estarían maduras, y entonces vendría "
    "toda la familia para ayudar en la cosecha. Se alegraba de ello, porque en invierno "
    "la granja estaba tranquila y nadie lo escuchaba cuando hablaba de los tiempos "
    "pasados.",
    "fr": "Le matin, le vieux jardinier passa la porte et regarda les arbres. Les pommes "
    "étaient encore vertes, mais dans quelques semaines elles seraient mûres, et toute "
    "la famille viendrait alors aider à la récolte. Il s'en réjouissait, car en hiver la "
    "ferme était silencieuse et personne ne l'écoutait quand il parlait du passé.",
    "ru": "Утром старый садовник вошёл в ворота и посмотрел на деревья. Яблоки были ещё "
    "зелёные, но через несколько недель они созреют, и тогда вся семья приедет помогать "
    "с урожаем. Он ждал этого, потому что зимой на дворе было тихо и никто не слушал "
    "его, когда он рассказывал о прошлом.",
    "ja": "朝、年老いた庭師は門をくぐって木々を見まわった。りんごはまだ青かったが、あと数週間で"
    "熟すだろう。",
    "ko": "아침에 늙은 정원사는 문을 지나 나무들을 살펴보았다. 사과는 아직 푸르렀지만 몇 주 뒤"
    "에는 익을 것이다.",
    "zh": "早上，老园丁走进大门，看了看那些树。苹果还是青的，但是再过几个星期就会成熟，全家人都"
    "会来帮忙收获。",
}


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("De", "de"),
        ("de_CH", "de"),
        ("de-DE-formal", "de"),
        ("de-ere", "de"),
        ("EN_us", "en"),
        (" en-GB ", "en"),
        ("zh-Hans", "zh"),
        ("zh-Hant-TW-x-" + "y" * 100_000, "zh"),
        ("pt-br", "pt"),
        ("nb-NO", "no"),
        ("nn", "no"),
        ("iw", "he"),
        ("deu", "de"),
        ("eng-US", "en"),
        ("lb", "lb"),
    ],
)
def test_a_good_attribute_is_believed(attribute: str, expected: str) -> None:
    """The first subtag counts, in any case, whatever the text says."""
    assert expected == language_of(attribute, TEXTS["fr"].encode())


@pytest.mark.parametrize(
    "attribute",
    [
        "",
        " ",
        "xx",
        "{{lang}}",
        "{{site.current.page.locale}}",
        "lang=",
        "german",
        "d",
        "-de",
        "de,en",
        "x-default",
        "qqq",
        "\0",
        "ı̇",
        "-" * 1000,
    ],
)
def test_a_junk_attribute_is_as_good_as_none(attribute: str) -> None:
    """What is no code of ISO 639-1 leaves the text to speak."""
    assert language_of("", TEXTS["fr"].encode()) == language_of(attribute, TEXTS["fr"].encode())
    assert language_of(attribute, TEXTS["fr"].encode()) == "fr"


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_plain_text_is_detected(language: str) -> None:
    """A paragraph is enough, and for East Asian scripts two sentences."""
    assert language == detect_language(TEXTS[language])


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_page_is_detected_by_its_middle(language: str) -> None:
    """Menus and notices of another language before and after the text do not decide."""
    menu = "Home Products Company Contact Sign in Subscribe Follow us on Facebook "
    assert language == detect_language(menu + TEXTS[language] * 20 + menu)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        "Wir freuen uns auf Ihren Besuch in unserem Haus.",
        " " * 5000,
        "1234 5678 " * 100,
        "\0" * 5000,
        "\ud800" * 5000,
        "中文",
        "qzx jkv wvq xzz " * 50,
        TEXTS["zh"][:19],
    ],
)
def test_too_little_to_go_by_is_unknown(text: str) -> None:
    """A few words, or what is no language, have no language: a wrong guess costs more than none."""
    unknown = ""
    assert unknown == detect_language(text)


def test_a_few_east_asian_signs_do_not_make_a_page_east_asian() -> None:
    """A page of figures with one address in Chinese stays unknown."""
    assert (
        detect_language("12.50 13.20 " * 60 + "北京市海淀区中关村大街五十九号中国人民大学图书馆")
        == ""
    )


def test_chinese_may_quote_some_japanese() -> None:
    """Next to no Kana: Chinese; Japanese has about as many Kana as Han."""
    assert detect_language(TEXTS["zh"] * 3 + "りんご") == "zh"


def test_small_languages_are_passed_over_only_in_detection() -> None:
    """What is passed over is something that detection knows, and an attribute may still name."""
    assert set(supported_langs()) >= languages._PASSED_OVER
    assert [*languages._PASSED_OVER] == [language_of(c, b"") for c in languages._PASSED_OVER]


def test_detection_speaks_the_codes_that_attributes_do() -> None:
    """Every language that can be detected is a code that an attribute is understood by."""
    codes = supported_langs()
    assert codes == [language_of(code, b"") for code in codes]


def test_there_are_183_codes() -> None:
    """ISO 639-1 has 183 codes in force; two of them are understood as a third."""
    assert len({*languages._CODES, "nb", "nn"}) == 183
    assert {"no"} == {language_of(code, b"") for code in ("nb", "nn", "no")}


TEXT_BYTES = st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace"))


@given(st.text(max_size=40), TEXT_BYTES, st.integers(1, 20))
def test_any_text_has_a_code_or_none(attribute: str, text: bytes, times: int) -> None:
    """Whatever comes in, two small letters or nothing come out, and always the same."""
    found = language_of(attribute, text * times)
    assert found == language_of(attribute, text * times)
    assert not found or found in languages._CODES


@given(st.text(st.characters(categories=["L", "Z", "C"]), max_size=100), st.integers(1, 200))
def test_the_sample_is_bounded(text: str, times: int) -> None:
    """A text of any length is judged by some 1,200 of its characters, a short one by all."""
    sample = languages._sample(text * times)
    assert len(sample) == min(len(text * times), 1207)


def test_examples_in_the_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(languages).failed == 0
