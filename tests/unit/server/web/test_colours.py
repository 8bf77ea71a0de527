"""Colours of chunks stay apart for people who do not see all colours, in both schemes.

Colour blindness is simulated by the matrices of Machado, Oliveira and Fernandes (2009, severity
1.0), and differences are measured in CIELAB (ΔE 1976): 10 is seen at a glance.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from leafmark.server import web

STYLE = (Path(web.__file__).parent / "page" / "style.css").read_text(encoding="utf-8")
SCHEMES = dict(
    zip(("light", "dark"), STYLE.split("@media (prefers-color-scheme: dark)"), strict=False)
)

SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def colour(scheme: str, name: str) -> tuple[float, ...]:
    found = re.search(rf"--{name}: #([0-9a-f]{{6}})", SCHEMES[scheme])
    assert found, name
    values = (int(found[1][at : at + 2], 16) / 255 for at in (0, 2, 4))
    return tuple(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)


def lab(rgb: tuple[float, ...]) -> tuple[float, float, float]:
    weights = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        sum(w * min(1.0, max(0.0, v)) for w, v in zip(row, rgb, strict=True)) / at
        for row, at in zip(weights, white, strict=True)
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def luminance(rgb: tuple[float, ...]) -> float:
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), rgb, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", ["k", "e"])
@pytest.mark.parametrize("seen", SEEN)
def test_chunks_beside_each_other_differ(scheme: str, kind: str, seen: str) -> None:
    colours = {}
    for number in range(4):
        rgb = colour(scheme, f"{kind}{number}")
        made = tuple(sum(w * v for w, v in zip(row, rgb, strict=True)) for row in SEEN[seen])
        colours[number] = lab(made)
    for one, other in combinations(range(4), 2):
        if other - one in (1, 3):  # beside each other
            distance = sum((a - b) ** 2 for a, b in zip(colours[one], colours[other], strict=True))
            assert distance**0.5 >= 10, (one, other, round(distance**0.5, 1))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [
        *(("ink", f"k{number}", 7.0) for number in range(4)),
        *(
            (text, ground, 4.5)
            for text in ("ink", "dim", "accent", "warn")
            for ground in ("paper", "card", "k0", "k1", "k2", "k3")
        ),
        ("dim", "sunk", 4.5),
        ("edge", "paper", 3.0),
        ("on-accent", "accent", 4.5),
        ("mark-ink", "mark", 4.5),
    ],
)
def test_text_stands_out_from_its_ground(scheme: str, front: str, back: str, least: float) -> None:
    light, dark = sorted((luminance(colour(scheme, one)) for one in (front, back)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= least
