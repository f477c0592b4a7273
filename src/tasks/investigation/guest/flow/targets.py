"""What is assigned to, and what a stretch of code may change."""

def target_of(node):
    if isinstance(node, ast.Name):
        name = node.id

        def assign(frame, value, origin):
            # A text that was read stands where it stands, whatever decided on it.
            if origin is None or type(value) is not str:
                origin = kept(value, origin)
            (home_of(name, frame) if frame.elsewhere else frame).names[name] = (value, origin)

        return assign
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
            if is_followed(found):
                set_instance_attribute(found, name, value, origin)
                return
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


# Of each function of a cell, by its name: the names that it may change.
CHANGES = {}


def changed_in(nodes):
    """Names that a stretch of code may set, or call a method of."""
    names = set()
    for node in nodes:
        for one in ast.walk(node):
            if isinstance(one, (ast.Yield, ast.YieldFrom)):
                names.add(YIELDED)
            if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name is not None:
                names.add(one.name)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                names.add(one.id)
            if isinstance(one, (ast.Subscript, ast.Attribute)) and isinstance(one.ctx, ast.Store):
                names.add(owner_of(one.value))
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
                names.add(owner_of(one.func.value))
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                names |= CHANGES.get(one.func.id, set())
    names.discard(None)
    return tuple(names)


def owner_of(node):
    """The name that `name.of[what].ever` begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


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
        if is_followed(value):
            touch_instance(value, origin)
        elif type(before) is Box and not isinstance(value, (tuple, str)):
            before.shape = join(before.shape, origin)
        elif type(value) in _NUMBER_TYPES or value is None:
            one.names[name] = (value, join(whole(before), origin))


def block(nodes, around=()):
    statements = [statement(node, around) for node in nodes]
    if len(statements) == 1:
        return statements[0]

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
