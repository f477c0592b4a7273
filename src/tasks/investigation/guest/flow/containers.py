"""Methods of lists, dicts and sets."""

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
    if not isinstance(item, _TEXT_OR_CONTAINER):
        origin = join(whole(origin), whole(key_origin)) if type(item) in _NUMBER_TYPES or item is None else origin
    value[key] = item
    before = box.items.get(key)
    box.items[key] = [before[0] if before else key_origin, kept(item, origin)]
    put(box)


def set_method(value, origin, name, args, named):
    box = box_of(value, origin)
    if box is None:
        return None
    items = box.items
    if name == "add":
        ((one, each),) = args
        value.add(one)
        if one not in items:
            items[one] = each
        put(box)
        return None, None
    if name in ("discard", "remove"):
        ((one, _),) = args
        getattr(value, name)(one)
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
