"""Bare addresses: those that GFM makes links of, with the bytes that it gives them."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from leafmark.parsing import parse

SPEC = Path(__file__).parents[2] / "spec" / "gfm-0.29.json"
EXAMPLES = {
    example["example"]: example
    for example in json.loads(SPEC.read_text(encoding="utf-8"))["examples"]
    if 621 <= example["example"] <= 631
}


def addresses(source: str) -> list[tuple[str, str]]:
    """What stands in the source, and where it leads, for each bare address."""
    data = source.encode()
    return [
        (data[link.start : link.end].decode(), link.target)
        for link in parse(data, "p.md").links
        if link.kind == "autolink"
    ]


@pytest.mark.parametrize("number", EXAMPLES)
def test_examples_of_the_specification(number: int) -> None:
    example = EXAMPLES[number]
    expected = re.findall(r'<a href="(.*?)">(.*?)</a>', example["html"])

    assert addresses(example["markdown"]) == [
        (html.unescape(shown), html.unescape(target)) for target, shown in expected
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("`http://a.b` <http://c.d> [http://e.f](g) ![http://h.i](j)", ["<http://c.d>"]),
        ("    http://a.b\n\n```\nhttp://c.d\n```\n\n<!-- http://e.f -->\n", []),
        ("[r]\n\n[r]: http://a.b\n", []),
        (
            "# See http://a.b\n\n> - *http://c.d*, __https://e.f/g_h__\n",
            "http://a.b http://c.d https://e.f/g_h",
        ),
        ("| a | b |\n|---|---|\n| http://a.b|www.c.d x|www.e.f|\n", "http://a.b www.c.d"),
        ("https://\u201d a|www.b.c a\\_b\\@c\\.de", ["a\\_b\\@c\\.de"]),
        ("http://localhost:8001/x, HTTPS://A.B", "http://localhost:8001/x HTTPS://A.B"),
        ("日本語http://例え.jp/ü é://x", "http://例え.jp/ü"),
        ("xhttp://a.b x.www.a.b http:// http://-a http://a_b.c http://a.b_c", []),
        ("pkg@1.2.3 a@b a@b.c- mailto:a@b.c git@host.org:x/y", "mailto:a@b.c git@host.org"),
        ("http://a.b[c](d)", "http://a.b"),
        ("http://a.b/?c=0; http://a.b/?c&d;", "http://a.b/?c=0 http://a.b/?c"),
        ("http://a.b/[c]/d'", "http://a.b/[c]/d"),
        ("http://a.b/c&copy;&lt; (http://a.b/(c))", "http://a.b/c http://a.b/(c)"),
    ],
)
def test_what_is_an_address(source: str, shown: list[str] | str) -> None:
    expected = shown.split() if isinstance(shown, str) else shown

    assert [text for text, _ in addresses(source)] == expected


def test_where_addresses_lead() -> None:
    assert addresses("www.a.b x\\_y\\@a\\.b x@y.z mailto:x@y.z xmpp:x@y.z ftp://a.b") == [
        ("www.a.b", "http://www.a.b"),
        ("x\\_y\\@a\\.b", "mailto:x_y@a.b"),
        ("x@y.z", "mailto:x@y.z"),
        ("mailto:x@y.z", "mailto:x@y.z"),
        ("xmpp:x@y.z", "xmpp:x@y.z"),
        ("ftp://a.b", "ftp://a.b"),
    ]


def test_addresses_and_links_are_in_order() -> None:
    source = "http://a.b [[Page]] [c](d) www.e.f [[http://g.h]] http://i.j/[k](l)\n"
    links = parse(source.encode(), "p.md").links

    assert [source[link.start : link.end] for link in links] == [
        "http://a.b",
        "[[Page]]",
        "[c](d)",
        "www.e.f",
        "[[http://g.h]]",
        "http://i.j/",
        "[k](l)",
    ]
