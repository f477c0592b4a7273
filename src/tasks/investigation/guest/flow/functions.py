"""Functions whose flow is known one by one."""

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
        if isinstance(value, _TEXT_OR_CONTAINER):
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
        if isinstance(value, _TEXT_OR_CONTAINER):
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
