"""Where sentences end in technical prose."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from leafmark.chunking.cuts import sentence_starts


def split(text: str) -> list[str]:
    raw = text.encode()
    starts = [*sentence_starts(raw), len(raw)]
    return [raw[a:b].decode() for a, b in pairwise(starts)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["One sentence. ", "Another one! ", "A third? ", "End"],
        ["Use version 3.11.4 or later. ", "See setup.py for it."],
        ["Some tools, e.g. Foo, work; others (i.e. Bar) do not, cf. Baz et al. for more."],
        ["Ask Dr. Smith or J. R. Tolkien about Fig. 3 vs. No. 4."],
        ["Call `a. B()` and ``x. `Y` z. Q``. ", "Then stop."],
        ['He said "Stop." ', "Then (as agreed.) ", "We left."],
        ["Wait... what? ", "Yes."],
        ["Wait… ", "Yes."],
        ["すごい！\ufe0f 本当。 \u0301次の文。", "終わり"],
        ["Wait! \ufe0fWhat? ", "Yes.\n\n", "\u0301Accent."],
        ["これは文です。", "次の文です！", "終わり"],
        ["他说：“走吧。”", "然后离开。"],
        ["यह पहला वाक्य है। ", "यह दूसरा वाक्य है॥ ", "हाँ।"],
        ["یہ پہلا جملہ ہے۔ ", "کیا یہ دوسرا ہے؟ ", "ہاں۔"],
        ["هذه جملة أولى. ", "هل هذه ثانية؟ ", "نعم!"],
        ["Սա առաջին նախադասությունն է։ ", "Այո։"],
        ["ይህ የመጀመሪያው ነው። ", "ይህ ሁለተኛው ነው፧ ", "አዎ።"],
        ["ဒါက ပထမ ဝါကျ ဖြစ်တယ်။ ", "ဒါက ဒုတိယ ဖြစ်တယ်။"],
        ["នេះជាប្រយោគទីមួយ។ ", "នេះជាប្រយោគទីពីរ។"],
        ["འདི་ནི་དང་པོ་ཡིན། ", "འདི་ནི་གཉིས་པ་ཡིན།"],
        ["First paragraph without a stop\n\n", "Second one"],
        ["Line one.\n", "Line two.\n", "Line three."],
        ["См. рис. 3, т. е. если он есть, и др. Так же, и т. д. и т. п. ", "Далее: это Ёлка."],
        ["А. С. Пушкин и Й. Кеплер. ", "Ещё."],
        ["Το αρχείο, π.χ. ένα, δηλ. αυτό. ", "Όλα, βλ. Κεφάλαιο 2. ", "Τέλος."],
        ["Např. článek č. 5, viz obr. 3. ", "Další. ", "Úplně."],
        ["Sind z. B. Dateien, bspw. über Nr. 5 und evtl. Übungen. ", "Ähnlich."],
        ["Ver pág. 3. ", "¿Qué? ", "¡Sí! ", "Él."],
        ["Das ist „gut.“ ", "Dann »Nein.« ", "»Ja«, ‚so.‘ ", "›Gut?‹ ", "Ende."],
        [
            "Il dit : « Bonjour. » ",
            "Puis «\u00a0Quoi\u202f?\u202f» dit-il. ",
            "Voilà. ",
            "»Ja« auch.",
        ],
        ["すごい！！", "本当？！", "はい。。。", "次。", "![図](a.png)。", "終わり"],
        ["[《规范！》](https://x.org/a)很好。", "终"],
        ["再见《书。》", "后［注。］", "前〔注。〕", "终"],
        ["１．概要です．", "２．３は数．", "次の文．"],
        ["这是文件.", "然后 GET方法.", "不可以!", "请见 a.文 和 文.a 好."],
        ["1. Item one is here. ", "It has two sentences."],
        ["In 2024. ", "Next year."],
        ["Unclosed ` here. ", "Still a sentence."],
        ["Is it I. ", "No."],
        ["A sale . . . it was, of course . . . to end. ", "Then more."],
        ["See (**Op. Cit.** , p. 21) and . . . the rest. ", "Then more."],
        ["It ended (so he said.) ; and it began. ", "Then more."],
        ["See .gitignore. ", ".env is left out. ", ":ref:`x` tells more. ", "!important too."],
        ["! One item ends here.\n", "! Another ends here.\n", "? A third."],
        ["Its terms end.\n ", ".\n ", "These go on."],
        [""],
        ["."],
        ["...\n\n", "x"],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    assert split("".join(sentences)) == sentences


@pytest.mark.parametrize(
    "text",
    ["." * 50_000, "`" * 50_000, "a. " * 20_000, "\n " * 20_000, "\n! " * 70_000, ". " * 90_000],
)
def test_hostile_text_is_tiled(text: str) -> None:
    assert "".join(split(text)) == text


def test_starts_never_cut_a_character() -> None:
    text = "Ünïcode… Ça va? Ñandú. 。！？ 終。了"
    assert "".join(split(text)) == text
    assert all(re.search(r"\S", sentence) for sentence in split(text))
