"""Calls, functions and comprehensions, compiled."""

def arguments_of(node):
    positional = [(isinstance(one, ast.Starred), expression(one.value if isinstance(one, ast.Starred) else one)) for one in node.args]
    named = [(one.arg, expression(one.value)) for one in node.keywords]
    if not named and not any(starred for starred, _ in positional):
        plain = [one for _, one in positional]
        if len(plain) == 1:
            (only,) = plain
            return lambda frame: ([only(frame)], {})
        return lambda frame: ([one(frame) for one in plain], {})

    def run(frame):
        args, by_name = [], {}
        for starred, one in positional:
            pair = one(frame)
            args.extend(pairs_of(*pair)) if starred else args.append(pair)
        for name, one in named:
            if name is not None:
                by_name[name] = one(frame)
                continue
            value, origin = one(frame)
            box = box_of(value, origin)
            for key in value:
                by_name[key] = (value[key], box.items[key][1] if box else whole(origin))
        return args, by_name

    return run


_COMMON = frozenset((str, list, dict, set, tuple, int, float, re.Match, collections.Counter, collections.deque, collections.defaultdict))


def _call(node):
    given = arguments_of(node)
    if isinstance(node.func, ast.Attribute):
        owner, name = expression(node.func.value), node.func.attr

        def run_method(frame):
            value, origin = owner(frame)
            if type(value) in _COMMON and name != "format":
                return method(value, origin, name, *given(frame))
            if isinstance(value, (types.ModuleType, type)) or type(value).__name__ in ("Hit", "Finding") and name in value:
                return called(*attribute(value, origin, name), *given(frame))
            if name == "format" and isinstance(value, str):
                args, named = given(frame)
                result = value.format(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
                parts = None if origin is not None else filled(result, fields_of(value, args, named))
                return result, parts or blurred(all_of(origin, *(one for _, one in args), *(one for _, one in named.values())))
            own = getattr(value, name)
            if is_followed(value):
                return called(*instance_attribute(value, name), *given(frame))
            if type(own) is Function:
                return called(own, None, *given(frame))
            return method(value, origin, name, *given(frame))

        return run_method
    fn = expression(node.func)

    def run(frame):
        value, origin = fn(frame)
        args, named = given(frame)
        if value is str and len(args) == 1 and not named and type(args[0][0]) is str:
            return args[0]
        if value is bool and len(args) == 1:
            return bool(args[0][0]), truth(*args[0])
        return called(value, origin, args, named)

    return run


def _lambda(node):
    inner = expression(node.body)
    return function_maker("<lambda>", node.args, inner, (frozenset(), frozenset()))


def function_maker(name, spec, body, declared):
    defaults = [expression(one) for one in spec.defaults]
    keyword_defaults = [expression(one) if one is not None else None for one in spec.kw_defaults]

    def run(frame):
        given = [one(frame) for one in defaults]
        by_name = [one(frame) if one is not None else None for one in keyword_defaults]
        # What a class body holds is no name to its methods.
        home = frame.parent if frame.returned is CLASS_BODY else frame
        return Function(name, spec, body, None if home is top else home, given, by_name, declared), None

    return run


def _walrus(node):
    value, name = expression(node.value), node.target.id

    def run(frame):
        found, origin = value(frame)
        target = frame
        while getattr(target, "returned", None) is COMPREHENSION and target.parent is not None:
            target = target.parent
        target = top if target.returned is COMPREHENSION else target
        store(name, target, found, origin)
        return found, origin

    return run


COMPREHENSION, CLASS_BODY = ("comprehension",), ("class",)


def streamed(generators, element):
    """A comprehension as a stream of what `element` gives, whose shape grows with what decides."""
    compiled = [
        (target_of(one.target), expression(one.iter), [expression(test) for test in one.ifs]) for one in generators
    ]

    def run(frame):
        inner = Frame(frame)
        inner.returned = COMPREHENSION
        stream = Stream()

        def level(at, first):
            if at == len(compiled):
                yield element(inner)
                return
            assign, _, tests = compiled[at]
            value, origin = first if at == 0 else compiled[at][1](inner)
            stream.shape = join(stream.shape, whole(shape_while(value, origin)))
            for item, one in pairs_of(value, origin):
                assign(inner, item, one)
                for test in tests:
                    asked, decided_by = test(inner)
                    stream.shape = join(stream.shape, truth(asked, decided_by))
                    if not asked:
                        break
                else:
                    yield from level(at + 1, None)
            if type(value) is Stream:
                stream.shape = join(stream.shape, whole(value.shape))

        stream.pairs = level(0, compiled[0][1](frame))
        return stream

    return run


def _comprehension(kind):
    def maker(node):
        if any(one.is_async for one in node.generators):
            raise Unsupported("async")
        if kind is dict:
            key, value = expression(node.key), expression(node.value)
            run_stream = streamed(node.generators, lambda frame: (key(frame), value(frame)))

            def run_dict(frame):
                stream, result, box = run_stream(frame), {}, Box(None, {})
                for (name, origin), (one, each) in stream.pairs:
                    set_item(result, box, name, origin, one, each)
                box.shape = join(box.shape, stream.shape)
                return result, box

            return run_dict
        run_stream = streamed(node.generators, expression(node.elt))
        if kind is Stream:
            return lambda frame: (run_stream(frame), None)
        as_kind = SPECIAL[kind]
        return lambda frame: as_kind([(run_stream(frame), None)], {})

    return maker


_EXPRESSIONS = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.List: _display(list), ast.Tuple: _display(tuple), ast.Set: _display(set), ast.Dict: _dict, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.IfExp: _choice, ast.Compare: compared,
    ast.JoinedStr: _text, ast.Call: _call, ast.Lambda: _lambda, ast.NamedExpr: _walrus, ast.ListComp: _comprehension(list),
    ast.SetComp: _comprehension(set), ast.DictComp: _comprehension(dict), ast.GeneratorExp: _comprehension(Stream),
}  # fmt: skip
