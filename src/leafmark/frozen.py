"""`Frozen`: values with named fields, for types that every command imports and few are made of.

A dataclass says the same, but writes and compiles methods for each type, up to 2 ms of every start.
Here all types share theirs. A value of which there are many is a `NamedTuple`; what these have
for programs is here by the same names.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Frozen:
    """A value of the fields that its class declares: equal and shown by them, and never changed.

    With `kw_only` fields are given by name alone.

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
        body, own = vars(cls), tuple(cls.__annotations__)  # no base's are among them
        cls._fields += own
        cls._field_defaults = cls._field_defaults | {n: body[n] for n in own if n in body}
        if not kw_only:
            cls._positional += own

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self._positional, values, strict=False))
        held = self._field_defaults | given | named
        if held.keys() != set(self._fields) or len(values) > len(given) or given.keys() & named:
            raise TypeError(f"{type(self).__name__} has {self._fields}, not {values} and {named}")
        vars(self).update(held)
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
        told = ", ".join(f"{name}={value!r}" for name, value in self._meaning().items())
        return f"{type(self).__name__}({told})"

    def _meaning(self) -> dict[str, Any]:
        """Return what the value is compared and shown by."""
        return self._asdict()

    def _asdict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**(self._asdict() | changes))
