"""Tests of sonde_values. Run as cells inside the sandbox by guest.test.ts; every `test_` function is called."""

import collections
import dataclasses
import datetime
import decimal
import enum
import math

from sonde_values import MAX_DEPTH, MAX_ITEMS, TransportError, dumps, loads, lower


def round_trip(value):
    return loads(dumps(lower(value)))


def same(value):
    back = round_trip(value)
    assert back == value and type(back) is type(value), (value, back)


def problem(value):
    try:
        lower(value)
    except TransportError as error:
        return str(error)
    raise AssertionError(f"{value!r} was sent")


def test_plain_values():
    for value in (None, True, False, 0, -1, 1.5, "", "ü\x00\U0001f600", [], {}, [1, [2]], {"a": {"b": None}}):
        same(value)


def test_large_integers():
    for value in (2**53 - 1, 2**53, -(2**53), 10**5000, -(10**5000)):
        same(value)


def test_special_floats():
    same(math.inf)
    same(-math.inf)
    assert math.isnan(round_trip(math.nan))
    assert math.copysign(1, round_trip(-0.0)) == -1


def test_bytes():
    same(b"\x00\xff")
    assert round_trip(bytearray(b"ab")) == b"ab"
    assert round_trip(memoryview(b"ab")) == b"ab"


def test_containers():
    for value in ((), (1, (2,)), {1, "a"}, set(), frozenset({2}), {1: 2}, {(1, 2): {3}}, {"$": 5}, {"$": {"$": []}}):
        same(value)


def test_times():
    zone = datetime.timezone(datetime.timedelta(hours=-3))
    for value in (
        datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
        datetime.datetime(2026, 1, 2, tzinfo=zone),
        datetime.date(1, 1, 1),
        datetime.time(23, 59, 59, 999999),
        datetime.timedelta(days=-1, microseconds=5),
        decimal.Decimal("1.10"),
        decimal.Decimal("1e-400"),
    ):
        same(value)


def test_surrogates():
    same("\ud800")
    same({"\udfff": ["\ud800"]})


def test_subclasses_become_what_they_extend():
    Point = collections.namedtuple("Point", "x y")
    assert round_trip(Point(1, 2)) == (1, 2)
    assert round_trip(collections.Counter("aab")) == {"a": 2, "b": 1}
    assert round_trip(collections.OrderedDict(a=1)) == {"a": 1}
    assert round_trip(enum.IntEnum("E", "A").A) == 1


def test_what_cannot_be_sent_says_why():
    @dataclasses.dataclass
    class D:
        x: int

    assert "dataclasses.asdict()" in problem(D(1))
    assert "use list()" in problem(iter([1]))
    assert "call it" in problem(len)
    assert problem({"a": [1, {2: object()}]}).startswith("value['a'][1][2]: a value of type object")


def test_cycles():
    a = []
    a.append({"k": a})
    assert problem(a) == "value[0]['k']: the list contains itself"
    shared = [1]
    same([shared, shared])


def test_limits():
    deep = 1
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    assert "nested more than" in problem(deep)
    assert "more than" in problem([0] * (MAX_ITEMS + 1))
