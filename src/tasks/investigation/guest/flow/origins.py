"""Runs the cells of an investigation once more, and keeps beside each value where it came from.

The cells are compiled to closures, each of which gives a pair: the value, as Python makes it, and its origin. An origin
may be lost, and then says so; none is ever guessed. What a value came to by another way than this one (a class, a
function that is not known to be pure) is `LOST`. The host compares the answer with the one that the cell gave.

Texts keep the place where they stand. Numbers, truth values and literals keep, besides, what decided on them: the
conditions and loops they were set under, and the keys they are counted by. A list keeps an origin for each item, and
one for its shape: what decided which items it has.
"""

import ast
import bisect
import builtins
import collections
import collections.abc
import datetime
import decimal
import fractions
import itertools
import json
import math
import operator
import re
import string
import sys
import types

# Of the answer as a whole, and of each value within it.
MOST_SPANS, MOST_OF_EACH = 2000, 12
MOST_LEAVES = 2000
MANY_ITEMS, MOST_ITEMS = 200, 10_000


class Unsupported(Exception):
    """Of this the origins can't be followed."""


class Doc:
    """A text that a helper gave: from which line of which path."""

    __slots__ = ("path", "start", "text", "ends")

    def __init__(self, path, start, text):
        self.path, self.start, self.text, self.ends = path, start, text, None

    def line(self, at):
        if self.ends is None:
            # Where the next line begins, of each.
            self.ends = list(itertools.accumulate(len(one) + 1 for one in self.text.split("\n")))
        return self.start + bisect.bisect_right(self.ends, at)


class Piece:
    """A stretch of a text that was read."""

    __slots__ = ("doc", "at", "size")

    def __init__(self, doc, at, size):
        self.doc, self.at, self.size = doc, at, size


class Source:
    """What is no text: a listing, the context that was passed along, a model, what agents remember."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind


class Join:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


LOST = Source("lost")
SOURCES = {kind: Source(kind) for kind in ("listing", "search", "context", "model", "memory", "budget", "host")}


class Box:
    """Of a container: what decided on its shape, and an origin for each item; `items` is None where all have `each`.

    Of a list or tuple `items` is a list, of a dict {key: [origin of the key, of the value]}, of a set {key: origin}.
    """

    __slots__ = ("shape", "items", "each")

    def __init__(self, shape=None, items=None, each=None):
        self.shape, self.items, self.each = shape, items, each


class Parts:
    """Of a text that was put together: pairs (length, origin)."""

    __slots__ = ("parts",)

    def __init__(self, parts):
        self.parts = parts


class Matched:
    """Of a match: that of the text, and of the pattern."""

    __slots__ = ("text", "pattern")

    def __init__(self, text, pattern):
        self.text, self.pattern = text, pattern


class Live:
    """Of the keys, values or items of a dict, which change with it."""

    __slots__ = ("value", "box", "kind")

    def __init__(self, value, box, kind):
        self.value, self.box, self.kind = value, box, kind


def join(a, b):
    """Both. What stands within the last one, or right behind it, makes that one longer: loops go over texts in order."""
    if a is None or a is b:
        return b
    if b is None:
        return a
    if type(a) is Join:
        last = a.b
        if last is b:
            return a
        if type(b) is Piece and type(last) is Piece and last.doc is b.doc and last.at <= b.at <= last.at + last.size + 1:
            size = b.at + b.size - last.at
            return a if size <= last.size else Join(a.a, Piece(b.doc, last.at, size))
    elif type(b) is Piece and type(a) is Piece and a.doc is b.doc and a.at <= b.at <= a.at + a.size + 1:
        return Join(None, Piece(a.doc, a.at, max(a.size, b.at + b.size - a.at)))
    return Join(a, b)


def whole(origin):
    """Everything of an origin, as one."""
    if origin is None or type(origin) in _SIMPLE:
        return origin
    kind = type(origin)
    if kind is Parts:
        result = None
        for _, one in origin.parts:
            result = join(result, whole(one))
        return result
    if kind is Matched:
        return join(whole(origin.text), whole(origin.pattern))
    return _deep(origin.box if kind is Live else origin)


_SIMPLE = (Piece, Source, Join)


def _deep(box):
    result, seen, queue = None, set(), [box]
    while queue:
        one = queue.pop()
        if type(one) is not Box:
            result = join(result, whole(one))
            continue
        if id(one) in seen:
            continue
        seen.add(id(one))
        result = join(result, join(one.shape, one.each))
        items = one.items
        if type(items) is list:
            queue.extend(item for item in items if item is not None)
        elif items is not None:
            for item in items.values():
                queue.extend(item) if type(item) is list else queue.append(item)
    return result


def all_of(*origins):
    result = None
    for one in origins:
        result = join(result, whole(one))
    return result


def shape_of(origin):
    if type(origin) is Live:
        return origin.box.shape
    return origin.shape if type(origin) is Box else whole(origin)


def uniform(value, origin):
    """For what a pure function made: all of it came from what the function was given."""
    if origin is None:
        return fresh(value)
    origin = blurred(origin)
    return Box(origin, None, origin) if isinstance(value, _CONTAINERS) else origin


def blurred(origin):
    """Of a text that was made of another: its letters no longer stand where those stand."""
    return Join(None, origin) if type(origin) is Piece else origin


def fresh(value):
    """Of a container without an origin, so that what is put into it later is kept."""
    if isinstance(value, dict):
        return Box(None, {key: [None, fresh(item)] for key, item in value.items()})
    if isinstance(value, (set, frozenset)):
        return Box(None, dict.fromkeys(value))
    if isinstance(value, (list, tuple, collections.deque)):
        return Box(None, [fresh(item) for item in value])
    return None


_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_TEXT_OR_CONTAINER = (str, *_CONTAINERS)
_HELD = (str, *_CONTAINERS, re.Match)


def spoil(origin):
    """Something unknown may have changed it, and what it holds."""
    queue = [origin.box if type(origin) is Live else origin]
    while queue:
        one = queue.pop()
        if type(one) is not Box:
            continue
        items = one.items
        one.shape, one.items, one.each = LOST, None, LOST
        if type(items) is list:
            queue += items
        elif items is not None:
            for item in items.values():
                queue.extend(item) if type(item) is list else queue.append(item)


def listed(value, origin):
    """The origins of the items of a sequence, in step with it; None where they are not known apart."""
    if type(origin) is Box and type(origin.items) is list:
        if len(origin.items) == len(value):
            return origin.items
        spoil(origin)
    return None
