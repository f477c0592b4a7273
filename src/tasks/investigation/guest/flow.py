"""Runs the cells of an investigation once more, and keeps beside each value where it came from.

The cells are compiled to closures, each of which gives a pair: the value, as Python makes it, and its origin. An origin
may be lost, and then says so; none is ever guessed. What a value came to by another way than this one (a class, a
function that is not known to be pure) is `LOST`. The host compares the answer with the one that the cell gave.

Texts keep the place where they stand. Numbers, truth values and literals keep, besides, what decided on them: the
conditions and loops they were set under, and the keys they are counted by. A list keeps an origin for each item, and
one for its shape: what decided which items it has.
"""

import ast
import builtins
import collections
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


class Unsupported(Exception):
    """Of this the origins can't be followed."""


# --- origins -----------------------------------------------------------------------------------------------------


class Doc:
    """A text that a helper gave: from which line of which path."""

    __slots__ = ("path", "start", "text", "ends")

    def __init__(self, path, start, text):
        self.path, self.start, self.text, self.ends = path, start, text, None

    def line(self, at):
        import bisect

        if self.ends is None:
            self.ends = [place for place, sign in enumerate(self.text) if sign == "\n"]
        return self.start + bisect.bisect_left(self.ends, at)


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
    if a is None or a is b:
        return b
    if b is None:
        return a
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
    return Join(origin, None) if type(origin) is Piece else origin


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


# --- iterating ---------------------------------------------------------------------------------------------------


class Stream:
    """An iterator of pairs, which Python sees as one of values."""

    __slots__ = ("pairs", "shape")

    def __init__(self, pairs=None, shape=None):
        self.pairs, self.shape = pairs, shape

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.pairs)[0]


def pairs_of(value, origin):
    if type(value) is Stream:
        yield from value.pairs
        return
    if type(origin) is Live:
        if box_of(origin.value, origin.box) is None:
            for item in value:
                yield item, uniform(item, LOST)
            return
        for item, key in zip(value, list(origin.value)):
            pair = origin.box.items.get(key, [LOST, LOST])
            yield item, Box(None, list(pair)) if origin.kind is None else pair[origin.kind]
        return
    if isinstance(value, (list, tuple)):
        items = origin.items if type(origin) is Box else None
        if type(items) is list and len(items) == len(value):
            if type(value) is list:
                at = 0
                while at < len(value):
                    yield value[at], (items[at] if at < len(items) else LOST)
                    at += 1
            else:
                yield from zip(value, list(items))
            return
    elif isinstance(value, dict) and type(origin) is Box and type(origin.items) is dict:
        for key in value:
            yield key, (origin.items[key][0] if key in origin.items else LOST)
        return
    elif isinstance(value, (set, frozenset)) and type(origin) is Box and type(origin.items) is dict:
        for key in value:
            yield key, origin.items.get(key, LOST)
        return
    elif isinstance(value, collections.deque) and listed(value, origin) is not None:
        yield from zip(list(value), list(origin.items))
        return
    elif isinstance(value, str) and type(origin) is Piece:
        for at, sign in enumerate(value):
            yield sign, Piece(origin.doc, origin.at + at, 1)
        return
    each = LOST if type(origin) is Box and origin.items is not None else whole(origin)
    for item in value:
        yield item, uniform(item, each)



def shape_while(value, origin):
    """What decided which items there were; of a stream known only behind it."""
    return value.shape if type(value) is Stream else shape_of(origin)


def collected(value, origin):
    values, origins = [], []
    for item, one in pairs_of(value, origin):
        values.append(item)
        origins.append(one)
    return values, origins, shape_while(value, origin)


# --- running -----------------------------------------------------------------------------------------------------

BREAK, CONTINUE, RETURN = "break", "continue", "return"


class Frame:
    __slots__ = ("names", "parent", "returned", "globals")

    def __init__(self, parent, declared=frozenset()):
        self.names, self.parent, self.returned, self.globals = {}, parent, (None, None), declared


class Function:
    """A function of a cell. Called by what doesn't know origins, it has none to give."""

    def __init__(self, name, spec, body, frame, defaults, keyword_defaults, declared):
        self.__name__ = self.__qualname__ = name
        self.spec, self.body, self.frame, self.declared = spec, body, frame, declared
        self.defaults, self.keyword_defaults = defaults, keyword_defaults

    def __call__(self, *args, **named):
        lost = [(one, uniform(one, LOST)) for one in args]
        return run_function(self, lost, {key: (one, uniform(one, LOST)) for key, one in named.items()})[0]


top = Frame(None)
deciding = []  # conditions and loops that are open: [origin, whole origin or 0]
finals = []
depth = 0


def decided():
    result = None
    for one in deciding:
        if one[1] == 0:
            one[1] = whole(one[0])
        result = join(result, one[1])
    return result


def kept(value, origin):
    """As it is stored: numbers and literals keep what decided on them."""
    if deciding and (origin is None or type(value) in _NUMBERS) and not isinstance(value, _CONTAINERS):
        if not isinstance(value, _STEADY):
            return join(origin, decided())
    return origin


_NUMBERS = (int, float, bool, complex, decimal.Decimal, fractions.Fraction)
_STEADY = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType, Function)


def load(name, frame):
    one = frame
    while one is not None:
        if name in one.names and not (one is frame and name in frame.globals):
            return one.names[name]
        one = one.parent
    if name in top.names:
        return top.names[name]
    main = sys.modules["__main__"].__dict__
    if name in main:
        return main[name], None
    try:
        return builtins.__dict__[name], None
    except KeyError:
        raise NameError(f"name {name!r} is not defined") from None


def store(name, frame, value, origin):
    target = top if name in frame.globals else frame
    target.names[name] = (value, kept(value, origin))


def run_function(fn, args, named):
    global depth
    spec, frame = fn.spec, Frame(fn.frame, fn.declared)
    names, given = frame.names, dict(named)
    positional = [one.arg for one in [*spec.posonlyargs, *spec.args]]
    for name, pair in zip(positional, args):
        names[name] = pair
    if len(args) > len(positional):
        if spec.vararg is None:
            raise TypeError(f"{fn.__name__}() takes {len(positional)} positional arguments but {len(args)} were given")
    if spec.vararg is not None:
        rest = args[len(positional) :]
        names[spec.vararg.arg] = (tuple(one for one, _ in rest), Box(None, [origin for _, origin in rest]))
    first = len(positional) - len(fn.defaults)
    for at, name in enumerate(positional):
        if name in names and at < len(args):
            continue
        if name in given:
            names[name] = given.pop(name)
        elif at >= first:
            names[name] = fn.defaults[at - first]
        else:
            raise TypeError(f"{fn.__name__}() missing 1 required positional argument: {name!r}")
    for at, one in enumerate(spec.kwonlyargs):
        if one.arg in given:
            names[one.arg] = given.pop(one.arg)
        elif fn.keyword_defaults[at] is not None:
            names[one.arg] = fn.keyword_defaults[at]
        else:
            raise TypeError(f"{fn.__name__}() missing 1 required keyword-only argument: {one.arg!r}")
    if spec.kwarg is not None:
        value = {key: one for key, (one, _) in given.items()}
        names[spec.kwarg.arg] = (value, Box(None, {key: [None, origin] for key, (_, origin) in given.items()}))
    elif given:
        raise TypeError(f"{fn.__name__}() got an unexpected keyword argument {next(iter(given))!r}")
    depth += 1
    if depth > 100:
        raise RecursionError("maximum recursion depth exceeded")
    open_before = len(deciding)
    try:
        return fn.body(frame)
    finally:
        depth -= 1
        del deciding[open_before:]


def called(value, origin, args, named):
    """Calls a function with pairs."""
    if type(value) is Function:
        return run_function(value, args, named)
    handler = _by_hash(SPECIAL, value)
    if handler is not None:
        return handler(args, named)
    if isinstance(value, types.MethodType) or isinstance(value, types.BuiltinMethodType):
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType) and not isinstance(owner, type):
            return method(owner, origin, value.__name__, args, named)
    if isinstance(value, types.MethodDescriptorType) and args:
        return method(*args[0], value.__name__, args[1:], named)
    if isinstance(value, operator.itemgetter) and len(args) == 1:
        keys = value.__reduce__()[1]
        found = [subscript(*args[0], key, None) for key in keys]
        return found[0] if len(keys) == 1 else (tuple(one for one, _ in found), Box(None, [one for _, one in found]))
    if isinstance(value, operator.attrgetter) and len(args) == 1 and len(value.__reduce__()[1]) == 1:
        return attribute(*args[0], value.__reduce__()[1][0])
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return named_tuple(value, args, named)
    return plainly(value, args, named)


def _by_hash(table, value):
    try:
        return table.get(value)
    except TypeError:
        return None


def has_callback(args, named):
    return any(type(one) is Function or type(one) is Stream for one, _ in [*args, *named.values()])


def plainly(value, args, named):
    """By Python itself. What is known to be pure gives what came of its arguments, all else is lost."""
    pure = is_pure(value)
    if pure:
        args = [SPECIAL[list]([pair], {}) if type(pair[0]) is Stream else pair for pair in args]
    result = value(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
    if pure and not has_callback(args, named):
        return result, uniform(result, all_of(*(one for _, one in args), *(one for _, one in named.values())))
    for _, one in [*args, *named.values()]:
        spoil(one)
    return result, uniform(result, LOST)


PURE_MODULES = {
    "math", "cmath", "statistics", "_statistics", "posixpath", "genericpath", "urllib.parse", "textwrap", "unicodedata",
    "html", "string", "base64", "binascii", "hashlib", "_hashlib", "_md5", "_sha1", "_sha2", "calendar", "json", "json.decoder",
    "json.encoder", "_json", "difflib", "re", "_operator", "operator", "fnmatch", "shlex", "datetime", "_datetime", "decimal", "_decimal",
    "fractions", "_pydecimal",
}  # fmt: skip
PURE_BUILTINS = {
    abs, ascii, bin, chr, divmod, float, format, hex, int, oct, ord, pow, repr, round, str, bytes, bool, complex, hash,
    issubclass, callable, hasattr, type, slice, range,
}  # fmt: skip


def is_pure(value):
    try:
        if value in PURE_BUILTINS:
            return True
    except TypeError:
        return False
    owner = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None)
    if isinstance(owner, type):
        module = getattr(owner, "__module__", None)
        return module in PURE_MODULES or owner in PURE_BUILTINS
    return module in PURE_MODULES and (isinstance(value, type) or isinstance(value, (types.FunctionType, types.BuiltinFunctionType)))


PURE_VALUES = (
    str, bytes, int, float, complex, tuple, frozenset, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo,
    decimal.Decimal, fractions.Fraction, re.Pattern, re.Match, range, slice, type(None),
)  # fmt: skip


def named_tuple(kind, args, named):
    result = kind(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
    defaults = len(kind._fields) - len(args) - len(named)
    if defaults < 0 or type(result) is not kind:
        return result, LOST
    by_name = dict(zip(kind._fields, (one for _, one in args))) | {key: one for key, (_, one) in named.items()}
    return result, Box(None, [by_name.get(name) for name in kind._fields])


# --- methods -----------------------------------------------------------------------------------------------------


def text_of(value, origin):
    """The place of a text that is a stretch of one that was read, character by character."""
    return origin if type(origin) is Piece and origin.size == len(value) else None


def cut(piece, at, size):
    return Piece(piece.doc, piece.at + at, size)


def pieces(value, piece, parts):
    """Parts of a text in their order, each with its place."""
    at, origins = 0, []
    for part in parts:
        at = value.index(part, at)
        origins.append(cut(piece, at, len(part)))
        at += len(part)
    return origins


def text_method(value, origin, name, args, named):
    """Null where nothing more is known than that it is pure."""
    piece = text_of(value, origin)
    plain = [one for one, _ in args]
    if name == "join":
        values, origins, shape = collected(*args[0])
        result = value.join(values)
        parts = []
        for at, (one, each) in enumerate(zip(values, origins)):
            if at > 0:
                parts.append((len(value), origin))
            parts.append((len(one), each))
        parts.append((0, whole(shape)))
        return result, (all_of(shape, origin, *origins) if len(parts) > 400 else Parts(parts))
    if piece is None or named.keys() - {"sep", "maxsplit", "keepends"}:
        return None
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        result = getattr(value, name)(*plain, **{key: one for key, (one, _) in named.items()})
        if name == "splitlines":
            at, origins = 0, []
            for part, ended in zip(value.splitlines(), value.splitlines(True)):
                origins.append(cut(piece, at, len(part)))
                at += len(ended)
        elif name == "split" and plain and isinstance(plain[0], str):
            at, origins, gap = 0, [], len(plain[0])
            for part in result:
                origins.append(cut(piece, at, len(part)))
                at += len(part) + gap
        elif name in ("partition", "rpartition"):
            origins = [cut(piece, 0, len(result[0])), cut(piece, len(result[0]), len(result[1]))]
            origins.append(cut(piece, len(result[0]) + len(result[1]), len(result[2])))
        elif name == "split":
            origins = pieces(value, piece, result)
        else:
            return None
        return result, Box(join(piece, all_of(*(one for _, one in args))), origins)
    if name in ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix"):
        result = getattr(value, name)(*plain)
        if name in ("strip", "lstrip"):
            at = len(value) - len(value.lstrip(*plain))
        else:
            at = len(value) - len(result) if name == "removeprefix" else 0
        return result, cut(piece, min(at, len(value) - len(result)), len(result))
    if name in ("lower", "upper", "casefold", "title", "capitalize", "swapcase") and not args:
        result = getattr(value, name)()
        return result, (piece if len(result) == len(value) else blurred(piece))
    return None


def box_of(value, origin):
    """With an origin for each item, where that is known."""
    if type(origin) is not Box or origin.items is None:
        return None
    if len(origin.items) != len(value):
        spoil(origin)
        return None
    return origin


def put(origin):
    """What is put into a container was put there under what is open."""
    if type(origin) is Box and deciding:
        origin.shape = join(origin.shape, decided())


def sequence_method(value, origin, name, args, named):
    box = box_of(value, origin)
    if box is None:
        return None
    items = box.items
    if name in ("append", "appendleft"):
        if isinstance(value, collections.deque) and value.maxlen is not None:
            return None
        getattr(value, name)(args[0][0])
        items.insert(0 if name == "appendleft" else len(items), kept(*args[0]))
        put(box)
        return None, None
    if name == "extend":
        values, origins, shape = collected(*args[0])
        value.extend(values)
        items.extend(origins)
        box.shape = join(box.shape, whole(shape))
        put(box)
        return None, None
    if name == "insert":
        at = range(len(value) + 1)[args[0][0]] if -len(value) <= args[0][0] <= len(value) else None
        if at is None or args[0][0] < 0:
            return None
        value.insert(at, args[1][0])
        items.insert(at, kept(*args[1]))
        put(box)
        return None, None
    if name in ("pop", "popleft"):
        at = 0 if name == "popleft" else args[0][0] if args else -1
        result = value.popleft() if name == "popleft" else value.pop(*[one for one, _ in args])
        put(box)
        return result, items.pop(at)
    if name == "clear":
        value.clear()
        items.clear()
        put(box)
        return None, None
    if name == "reverse":
        value.reverse()
        items.reverse()
        return None, None
    if name == "copy":
        return value.copy(), Box(box.shape, list(items))
    if name == "sort":
        values, one = ordered([(value, box)], named)
        value[:], box.items, box.shape = values, one.items, join(one.shape, decided())
        return None, None
    if name in ("index", "count"):
        return getattr(value, name)(*[one for one, _ in args]), all_of(box, *(one for _, one in args))
    return None


def mapping_method(value, origin, name, args, named):
    box = box_of(value, origin)
    if box is None:
        return None
    items = box.items
    if name in ("get", "setdefault", "pop") and args:
        key, default = args[0][0], args[1] if len(args) > 1 else (None, None)
        if key in value:
            result = value[key]
            pair = items.pop(key) if name == "pop" else items[key]
            if name == "pop":
                del value[key]
                put(box)
            return result, pair[1]
        if name == "pop" and len(args) < 2:
            raise KeyError(key)
        if name == "setdefault":
            set_item(value, box, *args[0], *default)
        number = not isinstance(default[0], _CONTAINERS)
        return default[0], join(default[1], join(box.shape, whole(args[0][1]))) if number else default[1]
    if name == "items":
        return value.items(), Live(value, box, None)
    if name == "keys":
        return value.keys(), Live(value, box, 0)
    if name == "values":
        return value.values(), Live(value, box, 1)
    if name == "copy":
        return value.copy(), Box(box.shape, {key: list(pair) for key, pair in items.items()})
    if name == "clear":
        value.clear()
        items.clear()
        return None, None
    if name == "most_common":
        sorted_pairs = value.most_common(*[one for one, _ in args])
        shape = join(box.shape, _deep(box))
        return sorted_pairs, Box(shape, [Box(None, [*items[key]]) for key, _ in sorted_pairs])
    if name == "total" and not args:
        return value.total(), _deep(box)
    if name == "elements":
        return None
    if name == "update" and len(args) <= 1:
        if args:
            put_all(value, box, *args[0])
        for key, (one, each) in named.items():
            count(value, box, key, None, one, each) if isinstance(value, collections.Counter) else set_item(
                value, box, key, None, one, each
            )
        return None, None
    return None


def put_all(value, box, given, origin):
    """As `update` does, and as the constructors do."""
    counts = isinstance(value, collections.Counter)
    if isinstance(given, dict):
        inner = box_of(given, origin)
        each = None if inner else whole(origin)
        for key, one in given.items():
            pair = inner.items[key] if inner else [each, uniform(one, each)]
            (count if counts else set_item)(value, box, key, pair[0], one, pair[1])
        box.shape = join(box.shape, shape_of(origin))
        put(box)
        return
    for one, each in pairs_of(given, origin):
        if counts:
            count(value, box, one, each, 1, each)
            continue
        key, item = one
        both = (listed(one, each) if isinstance(one, (tuple, list)) else None) or [blurred(whole(each))] * 2
        set_item(value, box, key, both[0], item, both[1])
    box.shape = join(box.shape, whole(shape_while(given, origin)))
    put(box)


def count(value, box, key, key_origin, number, origin):
    before = box.items.get(key)
    value[key] += number
    decided_by = join(whole(key_origin), whole(origin))
    box.items[key] = [before[0] if before else key_origin, join(before[1] if before else None, decided_by)]


def set_item(value, box, key, key_origin, item, origin):
    if not isinstance(item, (str, *_CONTAINERS)):
        origin = join(whole(origin), whole(key_origin)) if type(item) in _NUMBERS or item is None else origin
    value[key] = item
    before = box.items.get(key)
    box.items[key] = [before[0] if before else key_origin, kept(item, origin)]
    put(box)


def set_method(value, origin, name, args, named):
    box = box_of(value, origin)
    if box is None:
        return None
    items = box.items
    if name in ("add", "discard", "remove"):
        (one, each), before = args[0], len(value)
        getattr(value, name)(one)
        if name == "add" and len(value) > before:
            items[one] = each
        elif name != "add":
            items.pop(one, None)
        put(box)
        return None, None
    if name == "pop" and not args:
        one = value.pop()
        return one, items.pop(one)
    if name == "clear":
        value.clear()
        items.clear()
        return None, None
    if name == "copy":
        return value.copy(), Box(box.shape, dict(items))
    if name in ("union", "update", "intersection", "difference", "symmetric_difference"):
        others = [collected(*pair) for pair in args]
        result = getattr(value, name)(*(values for values, _, _ in others))
        known = dict(items)
        for values, origins, _ in others:
            for one, each in zip(values, origins):
                known.setdefault(one, each)
        left = value if name == "update" else result
        shape = all_of(box.shape, *(shape for _, _, shape in others))
        if name in ("intersection", "difference", "symmetric_difference"):
            shape = all_of(shape, box, *(each for _, origins, _ in others for each in origins))
        made = {one: known[one] for one in left}
        if name != "update":
            return result, Box(shape, made)
        box.items, box.shape = made, shape
        put(box)
        return None, None
    if name in ("issubset", "issuperset", "isdisjoint"):
        return getattr(value, name)(*(one for one, _ in args)), all_of(box, *(one for _, one in args))
    return None


def group_of(match, origin, which):
    value = match[which]
    if value is None:
        return None, whole(origin)
    piece = text_of(match.string, origin.text) if type(origin) is Matched else None
    if piece is None or isinstance(value, bytes):
        return value, blurred(whole(origin))
    return value, cut(piece, match.start(which), len(value))


def match_method(value, origin, name, args, named):
    plain = [one for one, _ in args]
    if name == "group" and len(plain) < 2:
        return group_of(value, origin, plain[0] if plain else 0)
    if name in ("groups", "group"):
        numbers = plain if name == "group" else range(1, value.re.groups + 1)
        pairs = [group_of(value, origin, one) for one in numbers]
        default = plain[0] if name == "groups" and plain else None
        return tuple(default if one is None else one for one, _ in pairs), Box(None, [one for _, one in pairs])
    if name == "groupdict":
        pairs = {key: group_of(value, origin, key) for key in value.re.groupindex}
        default = plain[0] if plain else None
        made = {key: default if one is None else one for key, (one, _) in pairs.items()}
        return made, Box(None, {key: [None, one] for key, (_, one) in pairs.items()})
    return None


def pattern_method(value, origin, name, args, named):
    """`re` with the place of what it finds."""
    if named or not args or not isinstance(args[0][0] if name not in ("sub", "subn") else "", str):
        return None
    if name in ("match", "search", "fullmatch"):
        found = getattr(value, name)(*(one for one, _ in args))
        text = args[0][1]
        if found is None:
            return None, all_of(text, origin)
        return found, Matched(text, whole(origin))
    if name == "finditer":
        text = args[0][1]
        both = all_of(text, origin)
        found = value.finditer(*(one for one, _ in args))
        return Stream(((one, Matched(text, whole(origin))) for one in found), both), None
    if name == "findall":
        piece = text_of(args[0][0], args[0][1])
        if piece is None:
            return None
        result, origins = [], []
        for found in value.finditer(*(one for one, _ in args)):
            groups = value.groups
            if groups > 1:
                result.append(tuple(one or "" for one in found.groups()))
                spans = [found.span(one) for one in range(1, groups + 1)]
                origins.append(Box(None, [cut(piece, max(0, a), max(0, b - a)) for a, b in spans]))
            else:
                result.append(found[groups] or "")
                start, end = found.span(groups)
                origins.append(cut(piece, max(0, start), max(0, end - start)))
        return result, Box(join(piece, whole(origin)), origins)
    return None


def method(owner, origin, name, args, named):
    found = None
    if isinstance(owner, str):
        if type(owner) is not str and name in ("numbered", "cite"):
            result = getattr(owner, name)(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
            return result, (whole(origin) if name == "numbered" else None)
        found = text_method(owner, origin, name, args, named)
    elif isinstance(owner, (list, collections.deque)):
        found = sequence_method(owner, origin, name, args, named)
    elif isinstance(owner, dict):
        found = mapping_method(owner, origin, name, args, named)
    elif isinstance(owner, set):
        found = set_method(owner, origin, name, args, named)
    elif isinstance(owner, re.Match):
        found = match_method(owner, origin, name, args, named)
    elif isinstance(owner, re.Pattern):
        found = pattern_method(owner, origin, name, args, named)
        if found is None and name in ("sub", "subn") and args and type(args[0][0]) is Function:
            return substituted(owner, origin, name, args, named)
    elif isinstance(owner, tuple) and hasattr(owner, "_fields") and name == "_replace":
        box = listed(owner, origin)
        result = owner._replace(**{key: one for key, (one, _) in named.items()})
        if box is not None:
            changed = dict(zip(owner._fields, box)) | {key: one for key, (_, one) in named.items()}
            return result, Box(None, [changed[key] for key in owner._fields])
    elif isinstance(owner, tuple) and hasattr(owner, "_fields") and name == "_asdict":
        box = listed(owner, origin)
        if box is not None:
            return owner._asdict(), Box(None, {key: [None, one] for key, one in zip(owner._fields, box)})
    if found is not None:
        return found
    values = [one for one, _ in args]
    result = getattr(owner, name)(*values, **{key: one for key, (one, _) in named.items()})
    pure = isinstance(owner, PURE_VALUES) or (
        isinstance(owner, (list, dict, set, collections.deque)) and name in _ASKING
    )
    if pure and not has_callback(args, named):
        came = all_of(origin, *(one for _, one in args), *(one for _, one in named.values()))
        return result, uniform(result, came)
    for one in (origin, *(one for _, one in args), *(one for _, one in named.values())):
        spoil(one)
    return result, uniform(result, LOST)


_ASKING = {
    "get", "items", "keys", "values", "copy", "most_common", "total", "elements", "index", "count", "union",
    "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
}  # fmt: skip


def substituted(pattern, origin, name, args, named):
    """`re.sub` with a function of the cell."""
    if named or len(args) != 2 or name != "sub":
        raise Unsupported("re.sub with a function and more")
    (fn, _), (text, text_origin) = args
    made = [text_origin, origin]

    def replaced(found):
        value, one = run_function(fn, [(found, Matched(text_origin, whole(origin)))], {})
        made.append(one)
        return value

    result = pattern.sub(replaced, text)
    return result, all_of(*made)


# --- functions that are known ------------------------------------------------------------------------------------


def ordered(args, named):
    """Values in order, with their origins. What is first hangs on all of them."""
    values, origins, shape = collected(*args[0])
    key, backwards = named.get("key", (None, None)), named.get("reverse", (False, None))
    keyed = keys_of(key, values, origins)
    order = sorted(range(len(values)), key=lambda at: keyed[at][0], reverse=backwards[0])
    shape = all_of(shape, *(one for _, one in keyed))
    return [values[at] for at in order], Box(shape, [origins[at] for at in order])


def keys_of(key, values, origins):
    if key[0] is None:
        return list(zip(values, origins))
    return [called(key[0], key[1], [pair], {}) for pair in zip(values, origins)]


def extreme(choose):
    def handler(args, named):
        if len(args) > 1:
            args = [(tuple(one for one, _ in args), Box(None, [one for _, one in args]))]
        values, origins, shape = collected(*args[0])
        if not values and "default" in named:
            value, origin = named["default"]
            return value, join(whole(origin), whole(shape))
        keyed = keys_of(named.get("key", (None, None)), values, origins)
        if not values:
            return choose(values), None
        at = choose(range(len(values)), key=lambda one: keyed[one][0])
        value, origin = values[at], origins[at]
        # A number is told by all that it was compared with, a text or an item stands where it stands.
        if isinstance(value, (str, *_CONTAINERS)):
            return value, origin
        return value, all_of(shape, *(one for _, one in keyed))

    return handler


def summed(args, named):
    values, origins, shape = collected(*args[0])
    start = args[1] if len(args) > 1 else named.get("start", (0, None))
    result = sum(values, start[0])
    if isinstance(result, list):
        items, known = list(listed(*start) or []), True
        for value, one in zip(values, origins):
            inner = listed(value, one)
            known = known and inner is not None
            items.extend(inner or [])
        if known and len(items) == len(result):
            return result, Box(whole(shape), items)
    return result, uniform(result, all_of(shape, start[1], *origins))


def any_all(stop):
    def handler(args, named):
        (given, origin), decided_by = args[0], None
        for value, one in pairs_of(given, origin):
            decided_by = join(decided_by, whole(one))
            if bool(value) is stop:
                return stop, all_of(shape_while(given, origin), decided_by)
        return not stop, all_of(shape_while(given, origin), decided_by)

    return handler


def as_list(kind):
    def handler(args, named):
        if not args:
            return kind(), Box(None, [])
        values, origins, shape = collected(*args[0])
        return kind(values), Box(whole(shape), origins)

    return handler


def as_set(kind):
    def handler(args, named):
        if not args:
            return kind(), Box(None, {})
        values, origins, shape = collected(*args[0])
        known = {}
        for value, one in zip(values, origins):
            known.setdefault(value, one)
        result = kind(values)
        return result, Box(join(whole(shape), all_of(*origins) if len(known) < len(values) else None), known)

    return handler


def as_dict(kind):
    def handler(args, named):
        result, box = kind(), Box(None, {})
        if args:
            put_all(result, box, *args[0])
        for key, (value, one) in named.items():
            set_item(result, box, key, None, value, one)
        return result, box

    return handler


def default_dict(args, named):
    factory = args[0][0] if args else None
    # A function of the cell is called by what knows origins.
    result, box = collections.defaultdict(factory), Box(None, {})
    if len(args) > 1:
        put_all(result, box, *args[1])
    return result, box


def numbered(args, named):
    (given, origin), start = args[0], (args[1] if len(args) > 1 else named.get("start", (0, None)))[0]
    stream = Stream()
    stream.shape = shape_while(given, origin)

    def pairs():
        for at, (value, one) in enumerate(pairs_of(given, origin), start):
            yield (at, value), Box(None, [whole(one), one])
        stream.shape = shape_while(given, origin)

    stream.pairs = pairs()
    return stream, None


def zipped(args, named):
    stream = Stream(shape=all_of(*(shape_while(*pair) for pair in args)))

    def pairs():
        sides = [pairs_of(*pair) for pair in args]
        for row in zip(*sides, **{key: one for key, (one, _) in named.items()}):
            yield tuple(one for one, _ in row), Box(None, [origin for _, origin in row])
        stream.shape = all_of(*(shape_while(*pair) for pair in args))

    stream.pairs = pairs()
    return stream, None


def mapped(args, named):
    (fn, fn_origin), *rest = args
    stream = Stream(shape=all_of(*(shape_while(*pair) for pair in rest)))

    def pairs():
        for row in zip(*(pairs_of(*pair) for pair in rest)):
            yield called(fn, fn_origin, list(row), {})
        stream.shape = all_of(*(shape_while(*pair) for pair in rest))

    stream.pairs = pairs()
    return stream, None


def filtered(args, named):
    (fn, fn_origin), (given, origin) = args
    stream = Stream(shape=whole(shape_while(given, origin)))

    def pairs():
        for value, one in pairs_of(given, origin):
            passed, decided_by = (value, one) if fn is None else called(fn, fn_origin, [(value, one)], {})
            stream.shape = join(stream.shape, whole(decided_by))
            if passed:
                yield value, one

    stream.pairs = pairs()
    return stream, None


def reversed_of(args, named):
    values, origins, shape = collected(*args[0])
    return Stream(zip(reversed(values), reversed(origins)), whole(shape)), None


def iterated(args, named):
    (given, origin) = args[0]
    if type(given) is Stream:
        return given, None
    return Stream(pairs_of(given, origin), whole(shape_of(origin))), None


def next_of(args, named):
    stream, origin = args[0]
    if type(stream) is not Stream:
        return plainly(next, args, named)
    for value, one in stream.pairs:
        if isinstance(value, (str, *_CONTAINERS)):
            return value, one
        return value, join(whole(one), whole(stream.shape))
    if len(args) > 1:
        return args[1][0], join(whole(args[1][1]), whole(stream.shape))
    raise StopIteration


def length(args, named):
    value, origin = args[0]
    return len(value), shape_of(origin)


def chained(args, named):
    def pairs():
        for pair in args:
            yield from pairs_of(*pair)

    return Stream(pairs(), all_of(*(shape_while(*pair) for pair in args))), None


def chained_lists(args, named):
    (given, origin) = args[0]
    stream = Stream(shape=whole(shape_while(given, origin)))

    def pairs():
        for value, one in pairs_of(given, origin):
            stream.shape = join(stream.shape, whole(shape_of(one)))
            yield from pairs_of(value, one)

    stream.pairs = pairs()
    return stream, None


def attribute_of(args, named):
    if not isinstance(args[1][0], str):
        raise TypeError("attribute name must be string")
    try:
        return attribute(args[0][0], args[0][1], args[1][0])
    except AttributeError:
        if len(args) < 3:
            raise
        return args[2]


def compiled_call(name):
    """`re.search(pattern, text, flags)` as the method of the pattern."""

    def handler(args, named):
        flags = named.get("flags", (0, None))[0]
        (pattern, origin), rest = args[0], list(args[1:])
        at = {"sub": 3, "subn": 3, "split": 2}.get(name, 1)
        if len(rest) > at:
            flags = rest.pop(at)[0]
        rest_named = {key: one for key, one in named.items() if key != "flags"}
        found = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, flags)
        return method(found, whole(origin), name, rest, rest_named)

    return handler


def lost_to_model(kind):
    def make(native):
        def handler(args, named):
            result = native(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
            return result, uniform(result, SOURCES[kind])

        return handler

    return make


def helper_read(native):
    def handler(args, named):
        result = native(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
        return result, Piece(Doc(result.path, result.start, str(result)), 0, len(result))

    return handler


def helper_search(native):
    def handler(args, named):
        result = native(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
        found = SOURCES["search"]
        boxes = []
        for hit in result:
            items = {key: [None, uniform(value, found)] for key, value in hit.items()}
            if isinstance(hit.get("text"), str) and isinstance(hit.get("start"), int):
                items["text"] = [None, Piece(Doc(hit["path"], hit["start"], hit["text"]), 0, len(hit["text"]))]
            boxes.append(Box(None, items))
        return result, Box(found, boxes)

    return handler


def final(native):
    def handler(args, named):
        value, origin = args[0] if args else named["answer"]
        finals.append((value, kept(value, origin)))
        return native(value), None

    return handler


def final_variable(native):
    def handler(args, named):
        name = args[0][0]
        value, origin = top.names[name] if name in top.names else (None, LOST)
        finals.append((value, origin))
        sys.modules["__main__"].__dict__[name] = value
        return native(name), None

    return handler


def printed(args, named):
    print(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
    return None, None


def is_instance(args, named):
    return isinstance(*(one for one, _ in args)), shape_of(args[0][1])


def made_pattern(args, named):
    plain = {key: one for key, (one, _) in named.items()}
    return re.compile(*(one for one, _ in args), **plain), all_of(*(one for _, one in args))


SPECIAL = {
    len: length, sum: summed, min: extreme(min), max: extreme(max), any: any_all(True), all: any_all(False),
    sorted: lambda args, named: ordered(args, named), list: as_list(list), tuple: as_list(tuple), set: as_set(set),
    frozenset: as_set(frozenset), dict: as_dict(dict), collections.Counter: as_dict(collections.Counter),
    collections.OrderedDict: as_dict(collections.OrderedDict), collections.defaultdict: default_dict,
    enumerate: numbered, zip: zipped, map: mapped, filter: filtered, reversed: reversed_of, iter: iterated, next: next_of,
    itertools.chain: chained, itertools.chain.from_iterable: chained_lists, getattr: attribute_of, print: printed,
    re.compile: made_pattern, isinstance: is_instance,
}  # fmt: skip
for _name in ("match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split"):
    SPECIAL[getattr(re, _name)] = compiled_call(_name)


def know_helpers():
    main = sys.modules["__main__"].__dict__
    known = {
        "kb_read": helper_read, "kb_search": helper_search, "kb_list": lost_to_model("listing"),
        "memory_get": lost_to_model("memory"), "llm_query": lost_to_model("model"), "FINAL": final, "FINAL_VAR": final_variable,
        "llm_query_batched": lost_to_model("model"), "investigate": lost_to_model("model"), "budget": lost_to_model("budget"),
        "investigate_batched": lost_to_model("model"), "call_host": lost_to_model("context"), "cite": lost_to_model("host"),
        "propose_write": lost_to_model("host"),
    }  # fmt: skip
    for name, make in known.items():
        if name in main:
            SPECIAL[main[name]] = make(main[name])


def attribute(value, origin, name):
    if isinstance(value, str) and type(value) is not str:
        if name == "lines":
            result = value.lines
            piece = text_of(value, origin)
            if piece is None:
                return result, uniform(result, whole(origin))
            at, boxes = 0, []
            for _, line in result:
                place = cut(piece, at, len(line))
                boxes.append(Box(None, [place, place]))
                at += len(line) + 1
            return result, Box(piece, boxes)
        if name in ("path", "start", "end", "total"):
            return getattr(value, name), SOURCES["listing"]
    if isinstance(value, tuple) and name in getattr(value, "_fields", ()):
        items = listed(value, origin)
        result = getattr(value, name)
        return result, (items[value._fields.index(name)] if items is not None else uniform(result, whole(origin)))
    if isinstance(value, dict) and type(value) is not dict and name in value and type(value).__name__ in ("Hit", "Finding"):
        return subscript(value, origin, name, None)
    result = getattr(value, name)
    if isinstance(value, (types.ModuleType, type)) or callable(result):
        return result, origin if isinstance(value, PURE_VALUES) else None
    if isinstance(value, PURE_VALUES):
        return result, uniform(result, whole(origin))
    return result, uniform(result, LOST)


def subscript(value, origin, key, key_origin):
    if type(value) is collections.defaultdict and key not in value and value.default_factory is not None:
        box = box_of(value, origin)
        made, one = called(value.default_factory, None, [], {})
        if box is None:
            value[key] = made
            return made, LOST
        value[key] = made
        box.items[key] = [key_origin, one if isinstance(made, _CONTAINERS) else whole(key_origin)]
        return made, box.items[key][1]
    result = value[key]
    if isinstance(value, str):
        piece = text_of(value, origin)
        if piece is not None and isinstance(key, int):
            return result, cut(piece, range(len(value))[key], 1)
        if piece is not None and key.step in (None, 1):
            start, end, _ = key.indices(len(value))
            return result, cut(piece, start, max(0, end - start))
        return result, blurred(whole(origin))
    if isinstance(value, re.Match):
        return group_of(value, origin, key)
    if isinstance(value, (list, tuple, collections.deque)):
        items = listed(value, origin)
        if items is not None:
            return result, Box(origin.shape, items[key]) if isinstance(key, slice) else items[key]
    if isinstance(value, dict):
        box = box_of(value, origin)
        if box is not None:
            if key in box.items:
                return result, box.items[key][1]
            return result, join(box.shape, whole(key_origin))
    if isinstance(value, (*PURE_VALUES, *_CONTAINERS)):
        return result, uniform(result, all_of(origin, key_origin))
    return result, uniform(result, LOST)


# --- expressions -------------------------------------------------------------------------------------------------

BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.BitAnd: operator.and_, ast.MatMult: operator.matmul,
}  # fmt: skip
IN_PLACE = {ast.Add: operator.iadd, ast.Sub: operator.isub, ast.BitOr: operator.ior, ast.BitAnd: operator.iand}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_}
COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def combined(sign, a, b):
    """A binary operation of two pairs."""
    (left, left_origin), (right, right_origin) = a, b
    result = BINARY[sign](left, right)
    if isinstance(result, str):
        if sign is ast.Add:
            return result, added_parts(left, left_origin, right, right_origin)
        parts = None
        if sign is ast.Mod and isinstance(left, str) and left_origin is None:
            parts = filled(result, places_of(left, right, right_origin))
        return result, parts or blurred(all_of(left_origin, right_origin))
    if type(result) in _NUMBERS:
        return result, all_of(left_origin, right_origin)
    if isinstance(result, (list, tuple)) and sign is ast.Add:
        one, two = listed(left, left_origin), listed(right, right_origin)
        if one is not None and two is not None:
            return result, Box(join(left_origin.shape, right_origin.shape), [*one, *two])
    if isinstance(result, (set, frozenset)):
        known = {}
        for value, origin in (a, b):
            for item, one in pairs_of(value, origin):
                known.setdefault(item, one)
        shape = join(shape_of(left_origin), shape_of(right_origin))
        if sign is not ast.BitOr:
            shape = all_of(left_origin, right_origin)
        return result, Box(shape, {item: known[item] for item in result})
    if isinstance(result, dict) and sign is ast.BitOr and type(result) is dict:
        box = Box(None, {})
        made = {}
        put_all(made, box, *a)
        put_all(made, box, *b)
        return made, box
    return result, uniform(result, all_of(left_origin, right_origin))


def filled(text, stretches):
    """Parts of a text that a form was filled in with, by stretches with their origins. Null where they don't make it up."""
    if stretches is None or len(stretches) > 400 or "".join(one for one, _ in stretches) != text:
        return None
    return Parts([(len(one), origin) for one, origin in stretches])


def fields_of(form, args, named):
    """Of `form.format(...)`. Null for fields that look into what they are given, and for forms within forms."""
    found, at = [], 0
    for fixed, name, spec, conversion in string.Formatter().parse(form):
        found.append((fixed, None))
        if name is None:
            continue
        if name == "":
            name, at = str(at), at + 1
        pair = args[int(name)] if name.isdigit() and int(name) < len(args) else named.get(name)
        if pair is None or "{" in spec:
            return None
        text = ("{0" + (f"!{conversion}" if conversion else "") + ":" + spec + "}").format(pair[0])
        found.append((text, stretch_origin(text, *pair)))
    return found


_PLACE = re.compile(r"%(?:\((\w+)\))?([-+ #0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa])|%%")


def places_of(form, value, origin):
    """Of `form % value`. Null for widths that are given beside it."""
    is_named = isinstance(value, dict)
    pairs = None if is_named else pairs_of(value, origin) if isinstance(value, tuple) else iter([(value, origin)])
    box = box_of(value, origin) if is_named else None
    found, start = [], 0
    for match in _PLACE.finditer(form):
        found.append((form[start : match.start()], None))
        start = match.end()
        name, spec = match.groups()
        if spec is None:
            found.append(("%", None))
            continue
        if is_named != (name is not None):
            return None
        pair = next(pairs, None) if not is_named else (value[name], box.items[name][1] if box else whole(origin))
        if pair is None:
            return None
        text = ("%" + spec) % (pair[0],)
        found.append((text, stretch_origin(text, *pair)))
    return [*found, (form[start:], None)]


def stretch_origin(text, value, origin):
    """Where a value comes from that stands in a text as `text`."""
    return origin if type(origin) in (Piece, Parts) and text == value else blurred(whole(origin))


def added_parts(left, left_origin, right, right_origin):
    if left_origin is None and right_origin is None:
        return None
    parts = []
    for value, origin in ((left, left_origin), (right, right_origin)):
        if type(origin) is Parts and sum(size for size, _ in origin.parts) == len(value):
            parts.extend(origin.parts)
        else:
            parts.append((len(value), origin))
    return Parts(parts) if len(parts) < 400 else all_of(*(origin for _, origin in parts))


def compared(node):
    first, rest = expression(node.left), [(type(sign), expression(one)) for sign, one in zip(node.ops, node.comparators)]

    def run(frame):
        left, origin = first(frame)
        came, result = None, True
        for sign, other in rest:
            right, right_origin = other(frame)
            result = COMPARE[sign](left, right)
            if sign in (ast.In, ast.NotIn) and isinstance(right, (dict, set, frozenset, list, tuple)):
                came = join(came, join(whole(origin), membership(left, right, right_origin)))
            elif sign not in (ast.Is, ast.IsNot) or right is not None or not isinstance(left, _CONTAINERS):
                came = join(came, join(whole(origin), whole(right_origin)))
            if not result:
                break
            left, origin = right, right_origin
        return result, came

    return run


def membership(value, container, origin):
    """That something is in a container is told by what it has of it; that it is not, by its shape."""
    if type(origin) is Box and type(origin.items) is dict:
        found = origin.items.get(value)
        return join(origin.shape, whole(found[0]) if type(found) is list else whole(found))
    return whole(origin)


def expression(node):
    maker = _EXPRESSIONS.get(type(node))
    if maker is None:
        raise Unsupported(type(node).__name__)
    return maker(node)


def _constant(node):
    pair = (node.value, None)
    return lambda frame: pair


def _name(node):
    name = node.id

    def run(frame):
        names = frame.names
        if name in names and name not in frame.globals:
            return names[name]
        return load(name, frame)

    return run


def _attribute(node):
    owner, name = expression(node.value), node.attr
    return lambda frame: attribute(*owner(frame), name)


def _subscript(node):
    owner, key = expression(node.value), expression(node.slice)

    def run(frame):
        value, origin = owner(frame)
        return subscript(value, origin, *key(frame))

    return run


def _slice(node):
    ends = [expression(one) if one is not None else None for one in (node.lower, node.upper, node.step)]

    def run(frame):
        found = [(None, None) if one is None else one(frame) for one in ends]
        return slice(*(value for value, _ in found)), all_of(*(origin for _, origin in found))

    return run


def _display(kind):
    def maker(node):
        items = [(isinstance(one, ast.Starred), expression(one.value if isinstance(one, ast.Starred) else one)) for one in node.elts]

        def run(frame):
            values, origins, shape = [], [], None
            for starred, item in items:
                value, origin = item(frame)
                if starred:
                    more, more_origins, one = collected(value, origin)
                    values += more
                    origins += more_origins
                    shape = join(shape, whole(one))
                else:
                    values.append(value)
                    origins.append(origin)
            if kind is set:
                return set(values), Box(shape, dict(zip(values, origins)))
            return kind(values), Box(shape, origins)

        return run

    return maker


def _dict(node):
    items = [(None if key is None else expression(key), expression(value)) for key, value in zip(node.keys, node.values)]

    def run(frame):
        result, box = {}, Box(None, {})
        for key, value in items:
            if key is None:
                put_all(result, box, *value(frame))
            else:
                name, origin = key(frame)
                one, each = value(frame)
                result[name] = one
                box.items[name] = [origin, each]
        return result, box

    return run


def _binary(node):
    left, right, sign = expression(node.left), expression(node.right), type(node.op)
    return lambda frame: combined(sign, left(frame), right(frame))


def _unary(node):
    operand, act = expression(node.operand), UNARY[type(node.op)]

    def run(frame):
        value, origin = operand(frame)
        result = act(value)
        if act is operator.not_:
            return result, shape_of(origin) if isinstance(value, _CONTAINERS) else whole(origin)
        return result, whole(origin)

    return run


def truth(value, origin):
    """What decides whether it is true."""
    return shape_of(origin) if isinstance(value, _CONTAINERS) else whole(origin)


def _boolean(node):
    operands, stop = [expression(one) for one in node.values], isinstance(node.op, ast.Or)

    def run(frame):
        came = None
        for operand in operands:
            value, origin = operand(frame)
            if operand is operands[-1] or bool(value) is stop:
                if isinstance(value, (str, *_CONTAINERS, re.Match)) and origin is not None:
                    return value, origin
                return (value, fresh(value)) if isinstance(value, _CONTAINERS) else (value, join(came, whole(origin)))
            came = join(came, truth(value, origin))

    return run


def _choice(node):
    test, yes, no = expression(node.test), expression(node.body), expression(node.orelse)

    def run(frame):
        asked, origin = test(frame)
        value, came = yes(frame) if asked else no(frame)
        if isinstance(value, _CONTAINERS) or (isinstance(value, str) and came is not None):
            return value, came
        return value, join(whole(came), truth(asked, origin))

    return run


def _text(node):
    pieces_of_it = []
    for one in node.values:
        if isinstance(one, ast.Constant):
            pieces_of_it.append((one.value, None, None, None))
        else:
            form = expression(one.format_spec) if one.format_spec is not None else None
            pieces_of_it.append((None, expression(one.value), one.conversion, form))

    def run(frame):
        result, parts = [], []
        for fixed, item, conversion, form in pieces_of_it:
            if item is None:
                result.append(fixed)
                parts.append((len(fixed), None))
                continue
            value, origin = item(frame)
            kind, how = {115: str, 114: repr, 97: ascii}.get(conversion), form(frame) if form else ("", None)
            text = format(kind(value) if kind else value, how[0])
            result.append(text)
            parts.append((len(text), all_of(stretch_origin(text, value, origin), how[1]) if how[1] else stretch_origin(text, value, origin)))
        return "".join(result), Parts(parts) if any(origin is not None for _, origin in parts) else None

    return run


def arguments_of(node):
    positional = [(isinstance(one, ast.Starred), expression(one.value if isinstance(one, ast.Starred) else one)) for one in node.args]
    named = [(one.arg, expression(one.value)) for one in node.keywords]

    def run(frame):
        args, by_name = [], {}
        for starred, one in positional:
            pair = one(frame)
            args.extend(pairs_of(*pair)) if starred else args.append(pair)
        for name, one in named:
            if name is not None:
                by_name[name] = one(frame)
                continue
            value, origin = one(frame)
            box = box_of(value, origin)
            for key in value:
                by_name[key] = (value[key], box.items[key][1] if box else whole(origin))
        return args, by_name

    return run


def _call(node):
    given = arguments_of(node)
    if isinstance(node.func, ast.Attribute):
        owner, name = expression(node.func.value), node.func.attr

        def run_method(frame):
            value, origin = owner(frame)
            if isinstance(value, (types.ModuleType, type)) or type(value).__name__ in ("Hit", "Finding") and name in value:
                return called(*attribute(value, origin, name), *given(frame))
            if name == "format" and isinstance(value, str):
                args, named = given(frame)
                result = value.format(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
                parts = None if origin is not None else filled(result, fields_of(value, args, named))
                return result, parts or blurred(all_of(origin, *(one for _, one in args), *(one for _, one in named.values())))
            own = getattr(value, name)
            if type(own) is Function:
                return called(own, None, *given(frame))
            return method(value, origin, name, *given(frame))

        return run_method
    fn = expression(node.func)

    def run(frame):
        value, origin = fn(frame)
        args, named = given(frame)
        if value is str and len(args) == 1 and not named and type(args[0][0]) is str:
            return args[0]
        if value is bool and len(args) == 1:
            return bool(args[0][0]), truth(*args[0])
        return called(value, origin, args, named)

    return run


def _lambda(node):
    inner = expression(node.body)
    return function_maker("<lambda>", node.args, inner, frozenset())


def function_maker(name, spec, body, declared):
    defaults = [expression(one) for one in spec.defaults]
    keyword_defaults = [expression(one) if one is not None else None for one in spec.kw_defaults]

    def run(frame):
        given = [one(frame) for one in defaults]
        by_name = [one(frame) if one is not None else None for one in keyword_defaults]
        return Function(name, spec, body, None if frame is top else frame, given, by_name, declared), None

    return run


def _walrus(node):
    value, name = expression(node.value), node.target.id

    def run(frame):
        found, origin = value(frame)
        target = frame
        while getattr(target, "returned", None) is COMPREHENSION and target.parent is not None:
            target = target.parent
        target = top if target.returned is COMPREHENSION else target
        store(name, target, found, origin)
        return found, origin

    return run


COMPREHENSION = ("comprehension",)


def streamed(generators, element):
    """A comprehension as a stream of what `element` gives, whose shape grows with what decides."""
    compiled = [
        (target_of(one.target), expression(one.iter), [expression(test) for test in one.ifs]) for one in generators
    ]

    def run(frame):
        inner = Frame(frame)
        inner.returned = COMPREHENSION
        stream = Stream()

        def level(at, first):
            if at == len(compiled):
                yield element(inner)
                return
            assign, _, tests = compiled[at]
            value, origin = first if at == 0 else compiled[at][1](inner)
            stream.shape = join(stream.shape, whole(shape_while(value, origin)))
            for item, one in pairs_of(value, origin):
                assign(inner, item, one)
                for test in tests:
                    asked, decided_by = test(inner)
                    stream.shape = join(stream.shape, truth(asked, decided_by))
                    if not asked:
                        break
                else:
                    yield from level(at + 1, None)
            if type(value) is Stream:
                stream.shape = join(stream.shape, whole(value.shape))

        stream.pairs = level(0, compiled[0][1](frame))
        return stream

    return run


def _comprehension(kind):
    def maker(node):
        if any(one.is_async for one in node.generators):
            raise Unsupported("async")
        if kind is dict:
            key, value = expression(node.key), expression(node.value)
            run_stream = streamed(node.generators, lambda frame: (key(frame), value(frame)))

            def run_dict(frame):
                stream, result, box = run_stream(frame), {}, Box(None, {})
                for (name, origin), (one, each) in stream.pairs:
                    set_item(result, box, name, origin, one, each)
                box.shape = join(box.shape, stream.shape)
                return result, box

            return run_dict
        run_stream = streamed(node.generators, expression(node.elt))
        if kind is Stream:
            return lambda frame: (run_stream(frame), None)
        as_kind = SPECIAL[kind]
        return lambda frame: as_kind([(run_stream(frame), None)], {})

    return maker


_EXPRESSIONS = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.List: _display(list), ast.Tuple: _display(tuple), ast.Set: _display(set), ast.Dict: _dict, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.IfExp: _choice, ast.Compare: compared,
    ast.JoinedStr: _text, ast.Call: _call, ast.Lambda: _lambda, ast.NamedExpr: _walrus, ast.ListComp: _comprehension(list),
    ast.SetComp: _comprehension(set), ast.DictComp: _comprehension(dict), ast.GeneratorExp: _comprehension(Stream),
}  # fmt: skip


# --- statements --------------------------------------------------------------------------------------------------


def target_of(node):
    if isinstance(node, ast.Name):
        name = node.id
        return lambda frame, value, origin: store(name, frame, value, origin)
    if isinstance(node, (ast.Tuple, ast.List)):
        return unpacked(node)
    if isinstance(node, ast.Subscript):
        owner, key = expression(node.value), expression(node.slice)

        def set_subscript(frame, value, origin):
            (container, box), (at, at_origin) = owner(frame), key(frame)
            put_at(container, box, at, at_origin, value, origin)

        return set_subscript
    if isinstance(node, ast.Attribute):
        owner, name = expression(node.value), node.attr

        def set_attribute(frame, value, origin):
            found, box = owner(frame)
            setattr(found, name, value)
            spoil(box)

        return set_attribute
    raise Unsupported(type(node).__name__)


def put_at(container, origin, key, key_origin, value, value_origin):
    box = box_of(container, origin)
    if box is not None and isinstance(container, dict):
        set_item(container, box, key, key_origin, value, value_origin)
        return
    container[key] = value
    if box is None or not isinstance(container, list) or isinstance(key, slice):
        spoil(origin)
    else:
        box.items[key] = kept(value, value_origin)


def unpacked(node):
    targets = [(isinstance(one, ast.Starred), target_of(one.value if isinstance(one, ast.Starred) else one)) for one in node.elts]
    star = next((at for at, (starred, _) in enumerate(targets) if starred), None)

    def run(frame, value, origin):
        values, origins, _ = collected(value, origin)
        wanted = len(targets)
        if star is None:
            if len(values) != wanted:
                more = "too many" if len(values) > wanted else "not enough"
                raise ValueError(f"{more} values to unpack (expected {wanted}, got {len(values)})")
            for (_, assign), one, each in zip(targets, values, origins):
                assign(frame, one, each)
            return
        if len(values) < wanted - 1:
            raise ValueError(f"not enough values to unpack (expected at least {wanted - 1}, got {len(values)})")
        behind = len(values) - (wanted - star - 1)
        for (_, assign), one, each in zip(targets[:star], values, origins):
            assign(frame, one, each)
        targets[star][1](frame, values[star:behind], Box(shape_of(origin), origins[star:behind]))
        for (_, assign), one, each in zip(targets[star + 1 :], values[behind:], origins[behind:]):
            assign(frame, one, each)

    return run


def changed_in(nodes):
    """Names that a stretch of code may set, or call a method of."""
    names = set()
    for node in nodes:
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                names.add(one.id)
            if isinstance(one, (ast.Subscript, ast.Attribute)) and isinstance(one.ctx, ast.Store):
                one = one.value
                if isinstance(one, ast.Name):
                    names.add(one.id)
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and isinstance(one.func.value, ast.Name):
                names.add(one.func.value.id)
    return tuple(names)


def leaves_early(nodes):
    return any(isinstance(one, (ast.Break, ast.Continue, ast.Return)) for node in nodes for one in ast.walk(node))


def touched(names, frame, origin):
    """What the other branch would have changed hangs on the condition, too."""
    if origin is None:
        return
    for name in names:
        one = frame
        while one is not None and name not in one.names:
            one = one.parent
        one = one or (top if name in top.names else None)
        if one is None:
            continue
        value, before = one.names[name]
        if type(before) is Box and not isinstance(value, (tuple, str)):
            before.shape = join(before.shape, origin)
        elif type(value) in _NUMBERS or value is None:
            one.names[name] = (value, join(whole(before), origin))


def block(nodes, around=()):
    statements = [statement(node, around) for node in nodes]

    def run(frame):
        for one in statements:
            signal = one(frame)
            if signal is not None:
                return signal
        return None

    return run


def statement(node, around):
    maker = _STATEMENTS.get(type(node))
    if maker is None:
        raise Unsupported(type(node).__name__)
    return maker(node, around)


def _expr(node, around):
    value = expression(node.value)

    def run(frame):
        value(frame)

    return run


def _assign(node, around):
    value, targets = expression(node.value), [target_of(one) for one in node.targets]

    def run(frame):
        found, origin = value(frame)
        for assign in targets:
            assign(frame, found, origin)

    return run


def _annotated(node, around):
    if node.value is None:
        return lambda frame: None
    value, assign = expression(node.value), target_of(node.target)
    return lambda frame: assign(frame, *value(frame))


def _augmented(node, around):
    value, sign, target = expression(node.value), type(node.op), node.target
    if isinstance(target, ast.Name):
        read = expression(ast.Name(target.id, ast.Load()))
        return lambda frame: store(target.id, frame, *in_place(sign, read(frame), value(frame)))
    if not isinstance(target, ast.Subscript):
        raise Unsupported("an attribute that is added to")
    owner, key = expression(target.value), expression(target.slice)

    def run(frame):
        (container, box), (at, at_origin) = owner(frame), key(frame)
        before = subscript(container, box, at, at_origin)
        put_at(container, box, at, at_origin, *in_place(sign, before, value(frame)))

    return run


def in_place(sign, before, given):
    value, origin = before
    if isinstance(value, list) and sign is ast.Add:
        if sequence_method(value, origin, "extend", [given], {}) is None:
            value.extend(given[0])
            spoil(origin)
        return value, origin
    if isinstance(value, set) and sign is ast.BitOr:
        if set_method(value, origin, "update", [given], {}) is None:
            value.update(given[0])
            spoil(origin)
        return value, origin
    if isinstance(value, _CONTAINERS) and not isinstance(value, (tuple, frozenset)):
        changed, came = combined(sign, before, given)
        if sign in IN_PLACE and isinstance(value, (set, dict)):
            value.clear()
            value.update(changed)
            if type(origin) is Box and type(came) is Box and type(came.items) is dict:
                origin.shape, origin.items, origin.each = came.shape, came.items, came.each
            else:
                spoil(origin)
            return value, origin
        raise Unsupported("a container that is changed in place")
    return combined(sign, before, given)


def _if(node, around):
    test, yes, no = expression(node.test), block(node.body, around), block(node.orelse, around)
    names = changed_in([*node.body, *node.orelse])
    beyond = around if leaves_early([*node.body, *node.orelse]) else ()

    def run(frame):
        asked, origin = test(frame)
        came = truth(asked, origin)
        deciding.append([came, 0])
        try:
            return yes(frame) if asked else no(frame)
        finally:
            deciding.pop()
            touched(names, frame, came)
            touched(beyond, frame, came)

    return run


def _for(node, around):
    given, assign = expression(node.iter), target_of(node.target)
    names = changed_in(node.body)
    body, otherwise = block(node.body, names), block(node.orelse, around)

    def run(frame):
        value, origin = given(frame)
        for item, one in pairs_of(value, origin):
            deciding.append([one, 0])
            try:
                assign(frame, item, one)
                signal = body(frame)
            finally:
                deciding.pop()
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal
        touched(names, frame, whole(shape_while(value, origin)))
        return otherwise(frame)

    return run


def _while(node, around):
    test, names = expression(node.test), changed_in(node.body)
    body, otherwise = block(node.body, names), block(node.orelse, around)

    def run(frame):
        while True:
            asked, origin = test(frame)
            came = truth(asked, origin)
            if not asked:
                touched(names, frame, came)
                return otherwise(frame)
            deciding.append([came, 0])
            try:
                signal = body(frame)
            finally:
                deciding.pop()
            if signal is BREAK:
                return None
            if signal is RETURN:
                return signal

    return run


def _function(node, around):
    if any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Await, ast.Nonlocal)) for one in ast.walk(node)):
        raise Unsupported("a generator")
    declared = frozenset(name for one in ast.walk(node) if isinstance(one, ast.Global) for name in one.names)
    body = block(node.body)

    def run_body(frame):
        frame.returned = (None, None)
        body(frame)
        return frame.returned

    make, name = function_maker(node.name, node.args, run_body, declared), node.name
    decorators = [expression(one) for one in node.decorator_list]

    def run(frame):
        pair = make(frame)
        for one in reversed(decorators):
            pair = called(*one(frame), [pair], {})
        frame.names[name] = pair

    return run


def _return(node, around):
    value = expression(node.value) if node.value is not None else None

    def run(frame):
        if value is not None:
            found, origin = value(frame)
            frame.returned = (found, kept(found, origin))
        return RETURN

    return run


def _import(node, around):
    def run(frame):
        names = {}
        exec(compile(ast.Module([node], []), "<cell>", "exec"), names)
        for name, value in names.items():
            if name != "__builtins__":
                frame.names[name] = (value, None)

    return run


def is_end(error):
    """What FINAL raises."""
    return type(error).__name__ == "EndCell"


def _try(node, around):
    body, otherwise, last = block(node.body, around), block(node.orelse, around), block(node.finalbody, around)
    handlers = [
        (expression(one.type) if one.type is not None else None, one.name, block(one.body, around)) for one in node.handlers
    ]
    names = changed_in([node])

    def run(frame):
        try:
            try:
                signal = body(frame)
            except Unsupported:
                raise
            except BaseException as error:
                # The answer stands: what catches it to go on does nothing that counts, and may never end.
                if is_end(error):
                    raise
                for kind, name, handle in handlers:
                    if isinstance(error, kind(frame)[0] if kind is not None else BaseException):
                        if name is not None:
                            frame.names[name] = (error, LOST)
                        # What failed decided on this: which part of it did is not known.
                        deciding.append([LOST, LOST])
                        try:
                            return handle(frame)
                        finally:
                            deciding.pop()
                raise
            return otherwise(frame) if signal is None else signal
        finally:
            signal = last(frame)
            if signal is not None:
                raise Unsupported("leaving by finally")

    return run


def _raise(node, around):
    error = expression(node.exc) if node.exc is not None else None
    cause = expression(node.cause) if node.cause is not None else None

    def run(frame):
        if error is None:
            raise
        if cause is not None:
            raise error(frame)[0] from cause(frame)[0]
        raise error(frame)[0]

    return run


def _delete(node, around):
    actions = []
    for one in node.targets:
        if isinstance(one, ast.Name):
            actions.append(lambda frame, name=one.id: frame.names.pop(name))
        elif isinstance(one, ast.Subscript):
            actions.append(deleted(expression(one.value), expression(one.slice)))
        else:
            raise Unsupported("del of an attribute")

    def run(frame):
        for act in actions:
            act(frame)

    return run


def deleted(owner, key):
    def act(frame):
        (value, origin), (at, _) = owner(frame), key(frame)
        box = box_of(value, origin)
        del value[at]
        if box is not None:
            del box.items[at]
            put(box)

    return act


def _assert(node, around):
    test = expression(node.test)

    def run(frame):
        if not test(frame)[0]:
            raise AssertionError

    return run


_STATEMENTS = {
    ast.Expr: _expr, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.If: _if, ast.For: _for,
    ast.While: _while, ast.FunctionDef: _function, ast.Return: _return, ast.Import: _import, ast.ImportFrom: _import,
    ast.Pass: lambda node, around: lambda frame: None, ast.Break: lambda node, around: lambda frame: BREAK,
    ast.Continue: lambda node, around: lambda frame: CONTINUE, ast.Try: _try, ast.Raise: _raise, ast.Delete: _delete,
    ast.Assert: _assert, ast.Global: lambda node, around: lambda frame: None,
}  # fmt: skip


# --- what is told ------------------------------------------------------------------------------------------------


def told(origin, at):
    """Spans of lines, other sources, and whether a part of it is lost."""
    spans, sources, seen, queue = {}, set(), set(), [whole(origin)]
    while queue:
        one = queue.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if type(one) is Join:
            queue += (one.a, one.b)
        elif type(one) is Source:
            sources.add(one.kind)
        else:
            doc = one.doc
            first = doc.line(one.at)
            last = doc.line(max(one.at, one.at + one.size - 1))
            spans.setdefault(doc.path, set()).add((first, last))
    merged = [[path, *span] for path in sorted(spans) for span in together(spans[path])]
    lost = "lost" in sources
    sources.discard("lost")
    return {"spans": merged[: MOST_OF_EACH if at else MOST_SPANS], "count": len(merged), "sources": sorted(sources), "lost": lost}


def together(spans):
    result = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1] + 1:
            result[-1][1] = max(last, result[-1][1])
        else:
            result.append([first, last])
    return result


def flat_parts(origin):
    """Parts of a text, and of the texts that it was put together of: what stands in the code between them is no part."""
    for size, one in origin.parts:
        if type(one) is Parts and sum(length for length, _ in one.parts) == size:
            yield from flat_parts(one)
        else:
            yield size, one


def leaves(value, origin, at, found):
    """Of each value within the answer, and of each list as a whole."""
    if len(found) >= MOST_LEAVES:
        return
    if isinstance(value, (list, tuple, set, frozenset)):
        found.append({"at": at, "items": len(value), **told(origin, at)})
        items = listed(value, origin) if isinstance(value, (list, tuple)) else None
        pairs = zip(value, items) if items is not None else pairs_of(value, origin)
        for place, (item, one) in enumerate(sorted(pairs, key=lambda pair: repr(pair[0])) if isinstance(value, (set, frozenset)) else pairs):
            leaves(item, one, [*at, place], found)
    elif isinstance(value, dict):
        box = box_of(value, origin)
        found.append({"at": at, "items": len(value), **told(origin, at)})
        for key in value:
            leaves(value[key], box.items[key][1] if box else whole(origin), [*at, str(key)], found)
    elif isinstance(value, str) and type(origin) is Parts:
        start, parts = 0, []
        for size, one in flat_parts(origin):
            if one is not None and size > 0 and len(parts) < 60:
                parts.append({"text": value[start : start + size][:200], **told(one, at)})
            start += size
        found.append({"at": at, "parts": parts if start == len(value) else [], **told(origin, at)})
    else:
        found.append({"at": at, **told(origin, at)})


def run_cell(code):
    """Runs a cell; gives what FINAL was called with, as far as it was."""
    finals.clear()
    deciding.clear()
    know_helpers()
    try:
        tree = ast.parse(code)
        body = block(tree.body)
    except SyntaxError:
        return {"ended": "error", "error": "SyntaxError", "leaves": []}
    except Unsupported as error:
        return {"ended": "unsupported", "error": str(error), "leaves": []}
    ended, why = "ok", ""
    try:
        body(top)
    except Unsupported as error:
        return {"ended": "unsupported", "error": str(error), "leaves": []}
    except BaseException as error:
        ended, why = ("ok", "") if is_end(error) else ("error", f"{type(error).__name__}: {error}"[:200])
    found = []
    if finals:
        leaves(*finals[-1], [], found)
    return {"ended": ended, "error": why, "leaves": found}


def is_literal(codes):
    """Whether what FINAL was called with last stands in the code, as far as names lead: nothing was called for it."""
    named, given = {}, None
    for code in codes:
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    for one in ast.walk(target):
                        if isinstance(one, ast.Name):
                            named.setdefault(one.id, []).append(node.value)
            elif isinstance(node, (ast.AugAssign, ast.For, ast.comprehension, ast.NamedExpr)):
                for one in ast.walk(node.target):
                    if isinstance(one, ast.Name):
                        named.setdefault(one.id, []).append(None)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("FINAL", "FINAL_VAR"):
                given = (node.args or [one.value for one in node.keywords] or [None])[0]
                if node.func.id == "FINAL_VAR" and isinstance(given, ast.Constant):
                    given = ast.Name(given.value, ast.Load())
    queue, seen = [given], set()
    while queue:
        node = queue.pop()
        if node is None:
            return False
        for one in ast.walk(node):
            if isinstance(one, (ast.Call, ast.Subscript, ast.Attribute, ast.comprehension, ast.Lambda, ast.Await)):
                return False
            if isinstance(one, ast.Name) and one.id not in seen:
                seen.add(one.id)
                if one.id not in named:
                    return False
                queue += named[one.id]
    return True
