"""Functions that yield. They are gone through at once: what they do between two items is done before the first is used."""

MOST_YIELDED = 20_000
# The name under which a frame keeps what it has yielded.
YIELDED = "<yielded>"


def yields(nodes):
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes)


def generator_body(body):
    def run_body(frame):
        values, box = [], Box(None, [])
        frame.names[YIELDED] = (values, box)
        body(frame)
        # Its shape is what decided on what was yielded.
        return Stream(zip(values, box.items), box.shape), None

    return run_body


def give(frame, value, origin):
    values, box = frame.names[YIELDED]
    if len(values) >= MOST_YIELDED:
        raise Unsupported("a generator without an end")
    values.append(value)
    box.items.append(kept(value, origin))
    put(box)
    return box


def _yield(node):
    value = expression(node.value) if node.value is not None else None

    def run(frame):
        give(frame, *(value(frame) if value is not None else (None, None)))
        return None, None

    return run


def _yield_from(node):
    given = expression(node.value)

    def run(frame):
        value, origin = given(frame)
        box = frame.names[YIELDED][1]
        for item, one in pairs_of(value, origin):
            give(frame, item, one)
        box.shape = join(box.shape, whole(shape_while(value, origin)))
        return None, None

    return run


_EXPRESSIONS[ast.Yield], _EXPRESSIONS[ast.YieldFrom] = _yield, _yield_from
