"""`Frozen`: values with named fields, for types with few values that every command imports.

A dataclass is equivalent, but compiles methods for each type, up to 2 ms of every start. Here all
types share their methods. A type with many values is a `NamedTuple`; its methods for programs are
here under the same names.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Frozen:
    """An immutable value with the fields that its class declares, compared and shown by them.

    `kw_only` makes the fields keyword arguments only.

    >>> class Lamp(Frozen):
    ...     name: str
    ...     watts: int = 60
    >>> Lamp("desk")._replace(watts=40)
    Lamp(name='desk', watts=40)
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}
    _positional: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        body, own = vars(cls), tuple(cls.__annotations__)  # without those of the bases
        cls._fields += own
        cls._field_defaults = cls._field_defaults | {n: body[n] for n in own if n in body}
        if not kw_only:
            cls._positional += own

    def __init__(self, *values: Any, **named: Any) -> None:
        positional = dict(zip(self._positional, values, strict=False))
        fields = self._field_defaults | positional | named
        is_excess = len(values) > len(positional) or positional.keys() & named
        if is_excess or fields.keys() != set(self._fields):
            raise TypeError(f"{type(self).__name__} has {self._fields}, not {values} and {named}")
        vars(self).update(fields)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the values."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is never changed: {name}")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash((type(self), *self._meaning().values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._meaning().items())
        return f"{type(self).__name__}({fields})"

    def _meaning(self) -> dict[str, Any]:
        """Return the fields by which the value is compared and shown."""
        return self._asdict()

    def _asdict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**(self._asdict() | changes))
