"""Calls of functions with pairs: those of the cell, those that are known, and those of Python itself."""

def called(value, origin, args, named):
    """Calls a function with pairs."""
    if type(value) is Function:
        return run_function(value, args, named)
    if type(value) is types.MethodType and type(value.__func__) is Function:
        held = value.__self__
        own = instance_box(held) if is_followed(held) else origin
        return run_function(value.__func__, [(held, own), *args], named)
    if CLASSES and isinstance(value, type) and value in CLASSES:
        return instance_of(value, args, named)
    handler = _by_hash(SPECIAL, value)
    if handler is not None:
        return handler(args, named)
    if isinstance(value, types.MethodType) or isinstance(value, types.BuiltinMethodType):
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType) and not isinstance(owner, type):
            return method(owner, origin, value.__name__, args, named)
    if isinstance(value, types.MethodDescriptorType) and args:
        return method(*args[0], value.__name__, args[1:], named)
    if isinstance(value, operator.itemgetter) and len(args) == 1:
        keys = value.__reduce__()[1]
        found = [subscript(*args[0], key, None) for key in keys]
        return found[0] if len(keys) == 1 else (tuple(one for one, _ in found), Box(None, [one for _, one in found]))
    if isinstance(value, operator.attrgetter) and len(args) == 1 and len(value.__reduce__()[1]) == 1:
        return attribute(*args[0], value.__reduce__()[1][0])
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return named_tuple(value, args, named)
    return plainly(value, args, named)


def _by_hash(table, value):
    try:
        return table.get(value)
    except TypeError:
        return None


def has_callback(args, named):
    return any(type(one) is Function or type(one) is Stream for one, _ in [*args, *named.values()])


def plainly(value, args, named):
    """By Python itself. What is known to be pure gives what came of its arguments, all else is lost."""
    pure = is_pure(value)
    if pure:
        args = [SPECIAL[list]([pair], {}) if type(pair[0]) is Stream else pair for pair in args]
    result = value(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
    if pure and not has_callback(args, named):
        return result, uniform(result, all_of(*(one for _, one in args), *(one for _, one in named.values())))
    for _, one in [*args, *named.values()]:
        spoil(one)
    return result, uniform(result, LOST)


PURE_MODULES = {
    "math", "cmath", "statistics", "_statistics", "posixpath", "genericpath", "urllib.parse", "textwrap", "unicodedata",
    "html", "string", "base64", "binascii", "hashlib", "_hashlib", "_md5", "_sha1", "_sha2", "calendar", "json", "json.decoder",
    "json.encoder", "_json", "difflib", "re", "_operator", "operator", "fnmatch", "shlex", "datetime", "_datetime", "decimal", "_decimal",
    "fractions", "_pydecimal",
}  # fmt: skip
PURE_BUILTINS = {
    abs, ascii, bin, chr, divmod, float, format, hex, int, oct, ord, pow, repr, round, str, bytes, bool, complex, hash,
    issubclass, callable, hasattr, type, slice, range,
}  # fmt: skip


def is_pure(value):
    try:
        if value in PURE_BUILTINS:
            return True
    except TypeError:
        return False
    owner = getattr(value, "__self__", None)
    module = getattr(value, "__module__", None)
    if isinstance(owner, type):
        module = getattr(owner, "__module__", None)
        return module in PURE_MODULES or owner in PURE_BUILTINS
    return module in PURE_MODULES and (isinstance(value, type) or isinstance(value, (types.FunctionType, types.BuiltinFunctionType)))


PURE_VALUES = (
    str, bytes, int, float, complex, tuple, frozenset, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo,
    decimal.Decimal, fractions.Fraction, re.Pattern, re.Match, range, slice, type(None),
)  # fmt: skip


_PLAIN = (*PURE_VALUES, *_CONTAINERS)


def named_tuple(kind, args, named):
    result = kind(*(one for one, _ in args), **{key: one for key, (one, _) in named.items()})
    defaults = len(kind._fields) - len(args) - len(named)
    if defaults < 0 or type(result) is not kind:
        return result, LOST
    by_name = dict(zip(kind._fields, (one for _, one in args))) | {key: one for key, (_, one) in named.items()}
    return result, Box(None, [by_name.get(name) for name in kind._fields])
