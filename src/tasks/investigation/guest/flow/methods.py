"""A method of anything."""

METHODS = {
    list: sequence_method, collections.deque: sequence_method, dict: mapping_method, collections.Counter: mapping_method,
    collections.defaultdict: mapping_method, collections.OrderedDict: mapping_method, set: set_method,
    re.Match: match_method, re.Pattern: pattern_method,
}  # fmt: skip


def method(owner, origin, name, args, named):
    known = METHODS.get(type(owner))
    found = known(owner, origin, name, args, named) if known is not None else None
    if found is not None:
        return found
    if isinstance(owner, str):
        if not named and name in _TEXT_ASKED and hasattr(str, name):
            came = whole(origin)
            for _, one in args:
                if one is not None:
                    came = join(came, whole(one))
            return getattr(owner, name)(*[one for one, _ in args]), came
        if type(owner) is not str and name in ("numbered", "cite"):
            result = getattr(owner, name)(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
            return result, (whole(origin) if name == "numbered" else None)
        found = text_method(owner, origin, name, args, named)
    elif known is not None:
        if known is pattern_method and name in ("sub", "subn") and args and type(args[0][0]) is Function:
            return substituted(owner, origin, name, args, named)
    elif isinstance(owner, (list, collections.deque)):
        found = sequence_method(owner, origin, name, args, named)
    elif isinstance(owner, dict):
        found = mapping_method(owner, origin, name, args, named)
    elif isinstance(owner, set):
        found = set_method(owner, origin, name, args, named)
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


# What tells a truth value or a number of a text.
_TEXT_ASKED = {
    "startswith", "endswith", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isnumeric", "isdecimal",
    "istitle", "isidentifier", "isprintable", "isascii", "find", "rfind", "index", "rindex", "count",
}  # fmt: skip
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
