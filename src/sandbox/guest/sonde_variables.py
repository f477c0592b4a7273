"""What a namespace holds, in a form that is short whatever it holds."""

# Functions of this module look up built-in names here, whatever a cell makes of those that all others share.
__builtins__ = dict(vars(__import__("builtins")))

import reprlib

PREVIEW_CHARACTERS = 120
NAME_CHARACTERS = 200
_SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset, range)


class _Preview(reprlib.Repr):
    def __init__(self):
        super().__init__(maxlevel=4, maxlist=8, maxtuple=8, maxset=8, maxfrozenset=8, maxdict=6)
        self.maxstring = self.maxother = PREVIEW_CHARACTERS

    def repr_int(self, x, level):
        # Writing a large number in decimal takes quadratic time.
        return repr(x) if x.bit_length() < 256 else f"<int of {x.bit_length()} bits>"

    def repr_instance(self, x, level):
        try:
            return cut(repr(x), PREVIEW_CHARACTERS)
        except Exception as error:
            return f"<repr failed: {type(error).__name__}: {cut(str(error), 60)}>"


_preview = _Preview()


def cut(text, limit):
    """Head and tail of a text with `...` between, at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = (limit - 3) * 2 // 3
    return text[:head] + "..." + text[len(text) - (limit - 3 - head) :]


def preview(value, limit=PREVIEW_CHARACTERS):
    try:
        return cut(_preview.repr(value), limit)
    except Exception as error:
        return f"<repr failed: {type(error).__name__}>"


def type_name(value):
    """Not `type(value).__name__`: a metaclass can make that anything."""
    return type.__dict__["__name__"].__get__(type(value))


def size_of(value):
    """Characters, bytes or items of the built-in types; None for others."""
    return len(value) if type(value) in _SIZED else None


def describe(namespace, skip, previews=True):
    """A row for each name that the user's code made: name, type, size, preview."""
    rows = []
    for name, value in list(namespace.items()):
        if type(name) is not str or name in skip:
            continue
        row = {"name": cut(name, NAME_CHARACTERS), "type": type_name(value), "size": size_of(value)}
        row["preview"] = preview(value) if previews else ""
        rows.append(row)
    return rows


def names(namespace, skip):
    return [
        name if len(name) <= NAME_CHARACTERS else cut(name, NAME_CHARACTERS)
        for name in namespace
        if type(name) is str and name not in skip
    ]
