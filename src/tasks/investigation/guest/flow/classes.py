"""Classes of a cell. Python makes them and their instances; what an instance holds has its origins beside it, by identity,
since an instance may be changed by whoever has it."""

# Of each class of a cell: origins of what it holds itself. Of each instance: the instance, so that its id stays its own.
CLASSES = {}
INSTANCES = {}
# Whose instances hold no more than their attributes.
_BASES = (object, Exception, ValueError, KeyError, RuntimeError, TypeError, LookupError)


def _class(node, around):
    if node.keywords:
        raise Unsupported("a metaclass")
    bases, decorators = [expression(one) for one in node.bases], [expression(one) for one in node.decorator_list]
    body, name = block(node.body), node.name

    def run(frame):
        above = tuple(one(frame)[0] for one in bases)
        for one in above:
            if one not in _BASES and one not in CLASSES:
                raise Unsupported("a class of what is not followed")
        inner = Frame(frame if frame is not top else None)
        inner.returned = CLASS_BODY
        body(inner)
        held = {key: value for key, (value, _) in inner.names.items()}
        made = type(name, above, {**held, "__module__": "__main__", "__qualname__": name})
        made.__annotations__ = {one.target.id: None for one in node.body if _is_field(one)}
        CLASSES[made] = {key: origin for key, (_, origin) in inner.names.items()}
        value, origin = made, None
        for one in reversed(decorators):
            maker = one(frame)[0]
            if type(value) is not type or not _keeps_class(maker):
                raise Unsupported("a class that is decorated")
            value = maker(value)
            CLASSES.setdefault(value, CLASSES[made])
        home_of(name, frame).names[name] = (value, origin)

    return run


def _is_field(node):
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


def _keeps_class(maker):
    return getattr(maker, "__module__", None) == "dataclasses" or getattr(maker, "__name__", "") == "total_ordering"


def is_followed(value):
    """Whether it is an instance of a class of a cell."""
    return bool(CLASSES) and type(value) in CLASSES


def instance_box(value):
    known = INSTANCES.get(id(value))
    if known is None:
        # Made by what knows no origins.
        known = INSTANCES[id(value)] = (value, Box(LOST, {}))
    return known[1]


def instance_of(kind, args, named):
    made = kind.__new__(kind)
    box = Box(None, {})
    INSTANCES[id(made)] = (made, box)
    start = kind.__init__
    if type(start) is Function:
        run_function(start, [(made, box), *args], named)
    elif hasattr(kind, "__dataclass_fields__"):
        fields = [one for one in kind.__dataclass_fields__.values() if one.init]
        start(made, *(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
        given = dict(zip((one.name for one in fields), (origin for _, origin in args)))
        given.update((key, origin) for key, (_, origin) in named.items())
        for key, value in vars(made).items():
            box.items[key] = [None, given[key] if key in given else fresh(value)]
        if hasattr(kind, "__post_init__"):
            called(made.__post_init__, None, [], {})
    else:
        start(made, *(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
        box.each = all_of(*(one for _, one in args)) if args else None
    return made, box


def instance_attribute(value, name):
    """Of a number, what decided on the instance did so on it, too."""
    box, held = instance_box(value), getattr(type(value), name, None)
    if isinstance(held, property):
        if type(held.fget) is not Function:
            return held.fget(value), LOST
        return run_function(held.fget, [(value, box)], {})
    result = getattr(value, name)
    if name in getattr(value, "__dict__", ()):
        origin = box.items[name][1] if type(box.items) is dict and name in box.items else uniform(result, LOST)
        return result, join(whole(origin), box.shape) if type(result) in _NUMBER_TYPES or result is None else origin
    for kind in type(value).__mro__:
        if kind in CLASSES and name in CLASSES[kind]:
            return result, None if callable(result) else CLASSES[kind][name]
    return result, box.each if box.each is not None or callable(result) else uniform(result, LOST)


def set_instance_attribute(value, name, item, origin):
    if isinstance(getattr(type(value), name, None), property):
        raise Unsupported("a property that is set")
    setattr(value, name, item)
    box = instance_box(value)
    if type(box.items) is dict:
        box.items[name] = [None, kept(item, origin)]
        put(box)


def touch_instance(value, origin):
    box = instance_box(value)
    box.shape = join(box.shape, origin)
    for _, one in box.items.values() if type(box.items) is dict else ():
        if type(one) is Box:
            one.shape = join(one.shape, origin)


_STATEMENTS[ast.ClassDef] = _class
