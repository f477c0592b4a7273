"""Expressions, compiled to closures that give a pair."""

_ORDERS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def compared(node):
    first, rest = expression(node.left), [(type(sign), expression(one)) for sign, one in zip(node.ops, node.comparators)]
    if len(rest) == 1 and (rest[0][0] in _ORDERS or rest[0][0] in (ast.In, ast.NotIn)):
        act, second = COMPARE[rest[0][0]], rest[0][1]
        orders = rest[0][0] in _ORDERS

        def run_one(frame):
            left, origin = first(frame)
            right, other = second(frame)
            if not orders and isinstance(right, _CONTAINERS) and type(right) is not collections.deque:
                return act(left, right), join(whole(origin), membership(left, right, other))
            if type(other) in _SIMPLE and origin is None:
                return act(left, right), other
            return act(left, right), join(whole(origin), whole(other))

        return run_one

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
                if isinstance(value, _HELD) and origin is not None:
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
