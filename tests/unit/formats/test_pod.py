"""What POD says of itself, what is read of it, and which files have some."""

from __future__ import annotations

import pytest

from leafmark.formats.pod import read as read_pod
from leafmark.model import ReadableText
from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("=head1 NAME\n\nLamp - a B<light>\nhere\n\n=head1 USE\n\nx\n", "Lamp - a light here"),
        ("=head1 Name X<n>\n\n  lamp - code\n", "lamp - code"),
        ("=head1 NAME\n\n=head1 USE\n\nx\n", "NAME"),
        ("=head1 Lamps\n\nx\n", "Lamps"),
        ("=pod\n\nx\n", "lamp"),
    ],
)  # fmt: skip
def test_the_title_is_what_stands_under_name(source: str, title: str) -> None:
    assert parse(source.encode(), "lamp.pod").title == title


@pytest.mark.parametrize(
    ("path", "source", "format"),
    [
        ("Lamp.pm", "package Lamp;\n\n=head1 NAME\n", "pod"),
        ("lamp.PL", "=pod\n", "pod"),
        ("t/lamp.t", "1;\n=for x\n", "pod"),
        ("bin/lamp", "#!/usr/bin/env perl -w\n1;\n=over\n", "pod"),
        ("Lamp.pm", "package Lamp;\n1;\n", "text"),
        ("Lamp.pm", "$a\n=header\n;\n", "text"),
        ("lamp.pl", "lamp(X) :- X\n=cut\n", "text"),
        ("bin/lamp", "=head1 NAME\n", "text"),
    ],
)
def test_perl_is_read_as_pod_if_it_has_some(path: str, source: str, format: str) -> None:
    assert parse(source.encode(), path).format == format


def read(source: str, *spans: tuple[int, int]) -> ReadableText:
    data = source.encode()
    return read_pod(data, spans or [(0, len(data))])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("=pod\n\nA B<b>, C<< c->d >>,\nE<lt>.\n", "A b, c->d,\n<."),
        ("=encoding utf8\n\n=over 4\n\n=item * one\n\n=item *\n\ntwo\n\n=back\n", "- one\n\n- two"),
        ("=over\n\n=item 1.\n\none\n\n=item 2. two\n", "1. one\n\n2. two"),
        ("=over\n\n=item --all\n\n=item -a X<a>\n\nAll.\n", "--all\n-a \nAll."),
        ("=pod\n\n  code\n\n    B<b>\n\ntext\n", "  code\n\n    B<b>\n\ntext"),
        ("=begin html\n\n<b>\n\n=end html\n\n=for x y\n\ntext\n", "text"),
        ("=begin :x\n\nI<i>\n\n=end :x\n\n=for :y I<j>\n", "i\n\nj"),
        ("$a = 'B<b>';\n\n1;\n=pod\n\nx\n=cut\n\n2;\n", "$a = 'B<b>';\n\n1;\n\nx\n\n2;"),
        ("=head2 C<c>\n\n=other I<i>\n", "c\n\ni"),
        ("=pod\r\n\r\nA\r\nB<b>\r\n\r\nc\r\n", "A\r\nb\n\nc"),
        ("\ufeff=head1 À\n\nvoilà\nÅ\n\nB<é>\xa0Р\n", "À\n\nvoilà\nÅ\n\né\xa0Р"),
    ],
)  # fmt: skip
def test_commands_and_codes_are_not_read(source: str, text: str) -> None:
    assert read(source).text == text


@pytest.mark.parametrize(
    ("source", "mark", "text"),
    [
        ("=pod\n\nB<b>\n\nC<c>\n", "C<", "c"),
        ("=pod\n\n  a\n  B<b>\n\nc\n", "  B<", "  B<b>\n\nc"),
        ("=cut\n\nB<b>\n", "B<", "B<b>"),
        ("=begin x\n\nB<b>\n\n=end x\n\nc\n", "B<", "c"),
        ("a\n\nB<b>\n", "B<", "B<b>"),
    ],
)
def test_a_span_is_read_by_what_it_stands_in(source: str, mark: str, text: str) -> None:
    assert read(source, (source.index(mark), len(source))).text == text


def test_a_word_is_found_where_it_stands() -> None:
    source = "=pod\n\nThe B<light> of E<lt>x.\n"
    found = read(source)
    at = found.text.index("light")
    start, end = found.source_range(at, at + 5)
    assert source[start:end] == "light"
    at = found.text.index("<")
    assert source[slice(*found.source_range(at, at + 1))] == "E<lt>"


def test_items_have_the_names_that_links_use() -> None:
    source = b"=over\n\n=item C<light> NUMBER\n\nx\n\n=item *\n\ny\n\n=item dim\n\nz\n"
    anchors = parse(source, "lamp.pod").anchors
    assert [(anchor.name, source[anchor.at : anchor.at + 8]) for anchor in anchors] == [
        ("light NUMBER", b"=item C<"),
        ("light", b"=item C<"),
        ("dim", b"=item di"),
    ]
