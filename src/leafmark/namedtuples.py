"""`typing.NamedTuple` in a third of its time, for some 180 classes that every command imports.

The one of `typing` spends the time on compiling each annotation that is a text, although nothing
reads them. This one keeps the texts, as dataclasses do; `typing.get_type_hints` reads them. So a
module that defines such a class needs `from __future__ import annotations`.
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
            result = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            result.__annotations__ = result.__new__.__annotations__ = fields
            for key, value in body.items():
                if key not in fields and key not in _ALREADY_SET:
                    setattr(result, key, value)
            return result

    _ALREADY_SET = frozenset(("__annotations__", "__module__"))

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
