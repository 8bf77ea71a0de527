"""Values with named fields. Annotations are no texts here: Python 3.14 keeps them elsewhere."""

import copy
import pickle
from typing import Any

import pytest

from leafmark.frozen import Frozen


class Lamp(Frozen):
    name: str
    watts: int = 60


class Spot(Lamp, kw_only=True):
    angle: int = 30


def test_fields_are_given_by_place_or_name_and_have_defaults() -> None:
    assert Lamp("desk") == Lamp(name="desk", watts=60)
    assert Spot("desk", angle=15)._asdict() == {"name": "desk", "watts": 60, "angle": 15}


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), (("desk", 40, 1), {}), (("desk",), {"name": "wall"}), (("desk",), {"volts": 12})],
)
def test_a_field_that_is_missing_doubled_or_unknown_is_refused(
    values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match="Lamp"):
        Lamp(*values, **named)


def test_nothing_changes_a_value() -> None:
    lamp = Lamp("desk")
    with pytest.raises(AttributeError):
        lamp.watts = 40  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del lamp.watts
    assert lamp._replace(watts=40) == Lamp("desk", 40)
    assert lamp.watts == 60


def test_values_are_equal_in_their_own_class_alone() -> None:
    assert len({Lamp("desk"), Lamp("desk"), Spot("desk"), Lamp("wall")}) == 3
    assert pickle.loads(pickle.dumps(Spot("desk"))) == copy.copy(Spot("desk")) == Spot("desk")
