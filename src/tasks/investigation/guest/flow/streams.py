"""Iterating: pairs of a value and its origin, one by one."""

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
