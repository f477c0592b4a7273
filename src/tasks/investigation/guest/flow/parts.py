"""Operators, and texts that were put together."""

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
    if type(result) in _NUMBER_TYPES:
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
