"""`typing.NamedTuple` in a third of its time, for what every command imports: some 180 classes.

The time goes into types that are never looked at: that of `typing` compiles each annotation that is
a text. These keep the texts, as dataclasses do; `typing.get_type_hints` reads them. So the module
that defines one says `from __future__ import annotations`.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Maker(type):
        def __new__(cls, name: str, _: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = body["__annotations__"]
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__annotations__ = made.__new__.__annotations__ = fields
            for key, value in body.items():
                if key not in fields and key not in _GIVEN:
                    setattr(made, key, value)
            return made

    _GIVEN = frozenset(("__annotations__", "__module__"))

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
