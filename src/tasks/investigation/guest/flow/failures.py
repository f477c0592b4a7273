"""Failing, deleting, and the table of statements."""

def is_end(error):
    """What FINAL raises."""
    return type(error).__name__ == "EndCell"


def _try(node, around):
    body, otherwise, last = block(node.body, around), block(node.orelse, around), block(node.finalbody, around)
    handlers = [
        (expression(one.type) if one.type is not None else None, one.name, block(one.body, around)) for one in node.handlers
    ]
    names = changed_in([node])

    def run(frame):
        try:
            try:
                signal = body(frame)
            except Unsupported:
                raise
            except BaseException as error:
                # The answer stands: what catches it to go on does nothing that counts, and may never end.
                if is_end(error):
                    raise
                for kind, name, handle in handlers:
                    if isinstance(error, kind(frame)[0] if kind is not None else BaseException):
                        if name is not None:
                            frame.names[name] = (error, LOST)
                        # What failed decided on this: which part of it did is not known.
                        deciding.append([LOST, LOST])
                        try:
                            return handle(frame)
                        finally:
                            deciding.pop()
                raise
            return otherwise(frame) if signal is None else signal
        finally:
            signal = last(frame)
            if signal is not None:
                raise Unsupported("leaving by finally")

    return run


def _raise(node, around):
    error = expression(node.exc) if node.exc is not None else None
    cause = expression(node.cause) if node.cause is not None else None

    def run(frame):
        if error is None:
            raise
        if cause is not None:
            raise error(frame)[0] from cause(frame)[0]
        raise error(frame)[0]

    return run


def _delete(node, around):
    actions = []
    for one in node.targets:
        if isinstance(one, ast.Name):
            actions.append(lambda frame, name=one.id: frame.names.pop(name))
        elif isinstance(one, ast.Subscript):
            actions.append(deleted(expression(one.value), expression(one.slice)))
        else:
            raise Unsupported("del of an attribute")

    def run(frame):
        for act in actions:
            act(frame)

    return run


def deleted(owner, key):
    def act(frame):
        (value, origin), (at, _) = owner(frame), key(frame)
        box = box_of(value, origin)
        del value[at]
        if box is not None:
            del box.items[at]
            put(box)

    return act


def _assert(node, around):
    test = expression(node.test)

    def run(frame):
        if not test(frame)[0]:
            raise AssertionError

    return run


_STATEMENTS = {
    ast.Expr: _expr, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.If: _if, ast.For: _for,
    ast.While: _while, ast.FunctionDef: _function, ast.Return: _return, ast.Import: _import, ast.ImportFrom: _import,
    ast.Pass: lambda node, around: lambda frame: None, ast.Break: lambda node, around: lambda frame: BREAK,
    ast.Continue: lambda node, around: lambda frame: CONTINUE, ast.Try: _try, ast.Raise: _raise, ast.Delete: _delete,
    ast.Assert: _assert, ast.Global: lambda node, around: lambda frame: None,
    ast.Nonlocal: lambda node, around: lambda frame: None,
}  # fmt: skip
