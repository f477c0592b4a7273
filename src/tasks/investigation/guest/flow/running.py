"""Frames, names, and what decides on a value."""

BREAK, CONTINUE, RETURN = "break", "continue", "return"


class Frame:
    __slots__ = ("names", "parent", "returned", "globals", "elsewhere")

    def __init__(self, parent, declared=(frozenset(), frozenset())):
        self.names, self.parent, self.returned = {}, parent, (None, None)
        # Names that are declared `global`, and those of them or `nonlocal`.
        self.globals, self.elsewhere = declared


class Function:
    """A function of a cell. Called by what doesn't know origins, it has none to give."""

    def __init__(self, name, spec, body, frame, defaults, keyword_defaults, declared):
        self.__name__ = self.__qualname__ = name
        self.spec, self.body, self.frame, self.declared = spec, body, frame, declared
        self.defaults, self.keyword_defaults = defaults, keyword_defaults

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args, **named):
        lost = [(one, lost_of(one)) for one in args]
        return run_function(self, lost, {key: (one, lost_of(one)) for key, one in named.items()})[0]


def lost_of(value):
    """What comes from who knows no origins: an instance of a cell's class still has its own."""
    return instance_box(value) if is_followed(value) else uniform(value, LOST)


top = Frame(None)
# Conditions and loops that are open: [origin, that of all down to here, or 0 where nobody has asked]. Those without an
# origin are left out.
deciding = []
finals = []
depth = 0


def decided():
    at = len(deciding)
    while at > 0 and deciding[at - 1][1] == 0:
        at -= 1
    result = deciding[at - 1][1] if at > 0 else None
    for one in deciding[at:]:
        result = one[1] = join(result, whole(one[0]))
    return result


def kept(value, origin):
    """As it is stored: numbers and literals keep what decided on them."""
    if deciding and (origin is None or type(value) in _NUMBER_TYPES) and not isinstance(value, _CONTAINERS):
        if not isinstance(value, _STEADY):
            return join(origin, decided())
    return origin


_NUMBERS = (int, float, bool, complex, decimal.Decimal, fractions.Fraction)
_NUMBER_TYPES = frozenset(_NUMBERS)
_STEADY = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType, Function)


def load(name, frame):
    one = frame
    while one is not None:
        if name in one.names and not (one is frame and name in frame.globals):
            return one.names[name]
        one = one.parent
    if name in top.names:
        return top.names[name]
    main = sys.modules["__main__"].__dict__
    if name in main:
        return main[name], None
    try:
        return builtins.__dict__[name], None
    except KeyError:
        raise NameError(f"name {name!r} is not defined") from None


def store(name, frame, value, origin):
    home_of(name, frame).names[name] = (value, kept(value, origin))


def home_of(name, frame):
    """The frame that holds a name which is set here."""
    if name not in frame.elsewhere:
        return frame
    one = None if name in frame.globals else frame.parent
    while one is not None and (name not in one.names or name in one.elsewhere):
        one = one.parent
    return one or top


def run_function(fn, args, named):
    global depth
    spec, frame = fn.spec, Frame(fn.frame, fn.declared)
    names, given = frame.names, dict(named)
    positional = [one.arg for one in [*spec.posonlyargs, *spec.args]]
    for name, pair in zip(positional, args):
        names[name] = pair
    if len(args) > len(positional):
        if spec.vararg is None:
            raise TypeError(f"{fn.__name__}() takes {len(positional)} positional arguments but {len(args)} were given")
    if spec.vararg is not None:
        rest = args[len(positional) :]
        names[spec.vararg.arg] = (tuple(one for one, _ in rest), Box(None, [origin for _, origin in rest]))
    first = len(positional) - len(fn.defaults)
    for at, name in enumerate(positional):
        if name in names and at < len(args):
            continue
        if name in given:
            names[name] = given.pop(name)
        elif at >= first:
            names[name] = fn.defaults[at - first]
        else:
            raise TypeError(f"{fn.__name__}() missing 1 required positional argument: {name!r}")
    for at, one in enumerate(spec.kwonlyargs):
        if one.arg in given:
            names[one.arg] = given.pop(one.arg)
        elif fn.keyword_defaults[at] is not None:
            names[one.arg] = fn.keyword_defaults[at]
        else:
            raise TypeError(f"{fn.__name__}() missing 1 required keyword-only argument: {one.arg!r}")
    if spec.kwarg is not None:
        value = {key: one for key, (one, _) in given.items()}
        names[spec.kwarg.arg] = (value, Box(None, {key: [None, origin] for key, (_, origin) in given.items()}))
    elif given:
        raise TypeError(f"{fn.__name__}() got an unexpected keyword argument {next(iter(given))!r}")
    depth += 1
    if depth > 100:
        raise RecursionError("maximum recursion depth exceeded")
    open_before = len(deciding)
    try:
        return fn.body(frame)
    finally:
        depth -= 1
        del deciding[open_before:]
