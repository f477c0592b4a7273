"""Statements, compiled to closures that tell how they ended."""

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
    if isinstance(target, ast.Attribute):
        return _augmented_attribute(value, sign, target)
    if not isinstance(target, ast.Subscript):
        raise Unsupported("what is added to")
    owner, key = expression(target.value), expression(target.slice)

    def run(frame):
        (container, box), (at, at_origin) = owner(frame), key(frame)
        before = subscript(container, box, at, at_origin)
        put_at(container, box, at, at_origin, *in_place(sign, before, value(frame)))

    return run


def _augmented_attribute(value, sign, target):
    owner, name = expression(target.value), target.attr

    def run(frame):
        found, _ = owner(frame)
        if not is_followed(found):
            raise Unsupported("an attribute that is added to")
        set_instance_attribute(found, name, *in_place(sign, instance_attribute(found, name), value(frame)))

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
    test, yes = expression(node.test), block(node.body, around)
    no = block(node.orelse, around) if node.orelse else lambda frame: None
    names = changed_in([*node.body, *node.orelse])
    beyond = around if leaves_early([*node.body, *node.orelse]) else ()

    def run(frame):
        asked, origin = test(frame)
        came = origin if type(origin) in _SIMPLE else truth(asked, origin)
        if came is None:
            return yes(frame) if asked else no(frame)
        # What is open already decides no more by being asked again.
        deciding.append(deciding[-1] if deciding and deciding[-1][0] is came else [came, 0])
        try:
            return yes(frame) if asked else no(frame)
        finally:
            deciding.pop()
            touched(names, frame, came)
            if beyond:
                touched(beyond, frame, came)

    return run


def _for(node, around):
    given, assign = expression(node.iter), target_of(node.target)
    names = changed_in(node.body)
    body, otherwise = block(node.body, names), block(node.orelse, around) if node.orelse else None

    def run(frame):
        value, origin = given(frame)
        turn = [None, 0]
        deciding.append(turn)
        try:
            for item, one in pairs_of(value, origin):
                turn[0], turn[1] = one, 0
                assign(frame, item, one)
                signal = body(frame)
                if signal is not None and signal is not CONTINUE:
                    return None if signal is BREAK else signal
                # What gives the next one is not decided by this one.
                turn[0], turn[1] = None, 0
        finally:
            deciding.pop()
        touched(names, frame, whole(shape_while(value, origin)))
        return otherwise(frame) if otherwise is not None else None

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
    own = list(own_nodes(node))
    everywhere = frozenset(name for one in own if isinstance(one, ast.Global) for name in one.names)
    outer = frozenset(name for one in own if isinstance(one, ast.Nonlocal) for name in one.names)
    declared = (everywhere, everywhere | outer)
    body = block(node.body)
    CHANGES.setdefault(node.name, set()).update(changed_in(node.body))

    def run_body(frame):
        frame.returned = (None, None)
        body(frame)
        return frame.returned

    made = generator_body(body) if yields(own) else run_body
    make, name = function_maker(node.name, node.args, made, declared), node.name
    decorators = [expression(one) for one in node.decorator_list]

    def run(frame):
        pair = make(frame)
        for one in reversed(decorators):
            pair = called(*one(frame), [pair], {})
        home_of(name, frame).names[name] = pair

    return run


def own_nodes(node):
    """What is within a function, and not within one inside of it."""
    queue = list(node.body)
    while queue:
        one = queue.pop()
        yield one
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            queue.extend(ast.iter_child_nodes(one))


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
