"""Encodes values for the host, and decodes its answers: JSON, with tags for values that JSON lacks.

A tagged value is an object with a key "$", whose value names the kind, and "v", which holds the content:

    {"$": "int", "v": "0x..."}         beyond 2**53 either way
    {"$": "float", "v": "nan"}         also inf, -inf, -0.0
    {"$": "bytes", "v": base64}
    {"$": "tuple" | "set" | "frozenset", "v": [...]}
    {"$": "dict", "v": [[key, value], ...]}    keys that are no strings, or one that is "$"
    {"$": "datetime" | "date" | "time" | "decimal", "v": text}
    {"$": "timedelta", "v": [days, seconds, microseconds]}

The host's side of this is src/sandbox/value.ts.
"""

# A copy of the built-ins for the functions of this module: cells may change the shared ones.
__builtins__ = dict(vars(__import__("builtins")))

import json
from binascii import a2b_base64, b2a_base64
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import copysign, isfinite

SAFE_INTEGER = 2**53 - 1
MAX_DEPTH = 64
MAX_ITEMS = 200_000


class TransportError(TypeError):
    """A value that can't leave the sandbox. The message says which part of it, and what to do."""

    def __init__(self, problem, path=""):
        super().__init__(problem, path)
        self.problem = problem
        self.path = path

    def __str__(self):
        return f"value{self.path}: {self.problem}" if self.path else self.problem


class _Walk:
    """Walks over one value: counts its items, and tracks the containers around each."""

    __slots__ = ("inside", "items")

    def __init__(self):
        self.inside = set()
        self.items = 0

    def lower(self, value):
        kind = type(value)
        if kind is str or value is None or kind is bool:
            return value
        if kind is int:
            return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else {"$": "int", "v": hex(value)}
        if kind is float:
            return _float(value)
        if kind is list or kind is dict or isinstance(value, _CONTAINERS):
            return self.container(value)
        return _leaf(value)

    def container(self, value):
        self.items += len(value)
        if self.items > MAX_ITEMS:
            raise TransportError(f"more than {MAX_ITEMS} items; send a part of it, or a summary")
        mark = id(value)
        if mark in self.inside:
            raise TransportError(f"the {_name(value)} contains itself")
        if len(self.inside) >= MAX_DEPTH:
            raise TransportError(f"nested more than {MAX_DEPTH} deep")
        self.inside.add(mark)
        try:
            if isinstance(value, dict):
                return self.mapping(value)
            items = self.sequence(value)
        finally:
            self.inside.discard(mark)
        if isinstance(value, list):
            return items
        kind = "tuple" if isinstance(value, tuple) else "set" if isinstance(value, set) else "frozenset"
        return {"$": kind, "v": items}

    def sequence(self, value):
        result = []
        for item in value:
            try:
                result.append(self.lower(item))
            except TransportError as error:
                raise TransportError(error.problem, f"[{len(result)}]{error.path}") from None
        return result

    def mapping(self, value):
        plain = all(type(key) is str for key in value) and "$" not in value
        result = {} if plain else []
        for key, item in value.items():
            try:
                lowered = self.lower(item)
                if plain:
                    result[key] = lowered
                else:
                    result.append([self.lower(key), lowered])
            except TransportError as error:
                raise TransportError(error.problem, f"[{_short(key)}]{error.path}") from None
        return result if plain else {"$": "dict", "v": result}


_CONTAINERS = (list, dict, tuple, set, frozenset)


def _float(value):
    if isfinite(value) and (value != 0 or copysign(1, value) > 0):
        return float(value)
    return {"$": "float", "v": repr(float(value))}


def _leaf(value):
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return {"$": "int", "v": hex(value)} if abs(value) > SAFE_INTEGER else int(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$": "bytes", "v": b2a_base64(bytes(value), newline=False).decode()}
    if isinstance(value, datetime):
        return {"$": "datetime", "v": value.isoformat()}
    if isinstance(value, date):
        return {"$": "date", "v": value.isoformat()}
    if isinstance(value, time):
        return {"$": "time", "v": value.isoformat()}
    if isinstance(value, timedelta):
        return {"$": "timedelta", "v": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, Decimal):
        return {"$": "decimal", "v": str(value)}
    raise TransportError(f"a value of type {_name(value)} can't be sent; {_advice(value)}")


def _name(value):
    return type.__dict__["__name__"].__get__(type(value))


def _short(key):
    try:
        text = repr(key)
    except Exception:
        return "?"
    return text if len(text) <= 40 else text[:40] + "..."


def _advice(value):
    if hasattr(type(value), "__dataclass_fields__"):
        return "use dataclasses.asdict() on it"
    if hasattr(type(value), "__next__") or hasattr(type(value), "__iter__"):
        return "use list() on it"
    if callable(value):
        return "call it, and send what it returns"
    return "send its parts as numbers, strings, lists and dicts"


def lower(value):
    """Converts a value to what `json` can write. Raises TransportError."""
    return _Walk().lower(value)


def lower_arguments(arguments):
    """`lower` for keyword arguments: most are plain, and then there is nothing to copy."""
    for value in arguments.values():
        kind = type(value)
        if kind is str or value is None or kind is bool:
            continue
        if kind is not int or not -SAFE_INTEGER <= value <= SAFE_INTEGER:
            return lower(arguments)
    return lower(arguments) if "$" in arguments else arguments


def _encoder(quote):
    # What json.JSONEncoder builds anew for every value: no markers, no default, compact, keys in their order.
    return json.encoder.c_make_encoder(None, None, quote, None, ":", ",", False, False, True)


_chunks = _encoder(json.encoder.encode_basestring)
_chunks_ascii = _encoder(json.encoder.encode_basestring_ascii)


def dumps(plain):
    """UTF-8 bytes of what `lower` returned."""
    try:
        return "".join(_chunks(plain, 0)).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return "".join(_chunks_ascii(plain, 0)).encode()


_RAISE = {
    "int": lambda v: int(v, 16),
    "float": float,
    "bytes": a2b_base64,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda v: timedelta(*v),
    "decimal": Decimal,
}


def _hook(item):
    return _RAISE[item["$"]](item["v"]) if "$" in item else item


_scan = json.JSONDecoder(object_hook=_hook).scan_once


def loads(data):
    """The value that the host sent as these bytes."""
    return _scan(data.decode(), 0)[0]
