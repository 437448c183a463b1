"""Lists that the options of several functions have."""
from __future__ import annotations

from ctypes import POINTER, Array, c_char_p, cast
from typing import Any, Iterable, Mapping

from . import _structs
from ._arguments import listed_argument, wrong_type
from ._call import encode
from .constants import DATA_RECIPIENTS_MAX
from .errors import RangeError


def set_recipients(options: Any, to: str | Iterable[str] | None) -> None:
    """One user id, or several; None: everybody else."""
    if to is None:
        return
    recipients = texts([to] if isinstance(to, str) else to, "to")
    if not recipients:  # which must not reach everybody
        raise RangeError(f"to is empty; 1 to {DATA_RECIPIENTS_MAX} user ids are accepted, or None for everybody else")
    options.recipients, options.recipient_count = recipients, len(recipients)


def texts(values: Iterable[str], name: str) -> Array[c_char_p]:
    """An array of them."""
    encoded = [encode(value, name) for value in listed_argument(values, name, "a str, or several,")]
    return (c_char_p * len(encoded))(*encoded)


def set_attributes(options: Any, attributes: Mapping[str, str] | None) -> None:
    """Texts by key."""
    if not isinstance(attributes, (Mapping, type(None))):
        raise wrong_type("attributes", attributes, "a dict of texts by key")
    pairs = [_structs.KeyValue(encode(key, "a key of attributes"), encode(value, "a value of attributes"))
             for key, value in (attributes or {}).items()]
    array = (_structs.KeyValue * len(pairs))(*pairs)
    options.attributes, options.attribute_count = cast(array, POINTER(_structs.KeyValue)), len(pairs)
