"""Helpers of an investigation, attributes and items."""

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


def helper_find(native):
    def handler(args, named):
        result = native(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
        shape, boxes = SOURCES["search"], []
        for hit in result:
            place = Piece(Doc(hit["path"], hit["line"], hit["text"]), 0, len(hit["text"]))
            shape = join(shape, place)
            boxes.append(Box(None, {key: [None, place] for key in hit}))
        return result, Box(shape, boxes)

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
        "kb_read": helper_read, "kb_search": helper_search, "kb_find": helper_find, "kb_list": lost_to_model("listing"),
        "memory_get": lost_to_model("memory"), "llm_query": lost_to_model("model"), "FINAL": final, "FINAL_VAR": final_variable,
        "llm_query_batched": lost_to_model("model"), "investigate": lost_to_model("model"), "budget": lost_to_model("budget"),
        "investigate_batched": lost_to_model("model"), "call_host": lost_to_model("context"), "cite": lost_to_model("host"),
        "propose_write": lost_to_model("host"),
    }  # fmt: skip
    for name, make in known.items():
        if name in main:
            SPECIAL[main[name]] = make(main[name])


def attribute(value, origin, name):
    if is_followed(value):
        return instance_attribute(value, name)
    if CLASSES and isinstance(value, type) and value in CLASSES and name in CLASSES[value]:
        found = getattr(value, name)
        return found, None if callable(found) else CLASSES[value][name]
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
    if isinstance(value, list) and name in ("complete", "note") and type(value).__name__ in ("Paths", "Lines"):
        return getattr(value, name), shape_of(origin)
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
    if isinstance(value, _PLAIN):
        return result, uniform(result, all_of(origin, key_origin))
    return result, uniform(result, LOST)
