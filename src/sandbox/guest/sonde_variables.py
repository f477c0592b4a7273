"""Describes the variables of a namespace, in texts of limited length."""

# A copy of the built-ins for the functions of this module: cells may change the shared ones.
__builtins__ = dict(vars(__import__("builtins")))

import ast
import functools
import re
import reprlib
import types

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


_FOREIGN = (types.ModuleType, types.BuiltinFunctionType, re.Match)
_NAMED = (types.FunctionType, functools._lru_cache_wrapper)


def _is_left_over(value):
    """Whether a value was imported, or is left over from a lookup: nobody asks for it later."""
    kind = type(value)
    if kind in _FOREIGN:
        return True
    if kind in _NAMED:
        return value.__module__ != "__main__"
    return kind is type and type.__dict__["__dict__"].__get__(value).get("__module__") != "__main__"


def loop_names(code):
    """Names that a cell binds only by loops, and names that it binds otherwise. Leaves out names within functions."""
    try:
        todo = list(ast.parse(code).body)
    except Exception:  # invalid, or nested too deep to parse
        return set(), set()
    targets, bound = set(), set()
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
            continue
        if isinstance(node, ast.For):
            targets |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
            todo += [node.iter, *node.body, *node.orelse]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        if not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            todo += ast.iter_child_nodes(node)
    return targets - bound, bound


def describe(namespace, skip, previews=True):
    """A row for each name that the user's code made: name, type, size, preview."""
    rows = []
    for name, value in list(namespace.items()):
        if type(name) is not str or name in skip or _is_left_over(value):
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
