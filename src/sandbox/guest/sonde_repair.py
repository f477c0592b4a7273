"""Modules stay as they were loaded: their functions can't be changed, and names put in place of them don't last."""

import sys
import types


class Kept:
    """Of a few modules: the names of functions, classes and modules in them, and the functions and methods themselves."""

    def __init__(self, modules):
        own = {module.__name__ for module in modules}
        self.names = [(vars(module), {name: v for name, v in vars(module).items() if _lasting(v)}) for module in modules]
        values = [value for _, kept in self.names for value in kept.values()]
        values += [m for v in values if isinstance(v, type) and v.__module__ in own for m in vars(v).values()]
        fixed = frozenset(id(v) for v in values if isinstance(v, types.FunctionType) and v.__module__ in own)
        sys.addaudithook(_refusing(fixed))

    def put_back(self):
        for live, kept in self.names:
            live.update(kept)


def _refusing(fixed):
    # An audit hook is told of every change of a function's code and defaults, and can't be taken away again.
    def refuse(event, arguments, address=id):
        if event[:8] == "object._" and event != "object.__getattr__" and address(arguments[0]) in fixed:
            raise TypeError(f"{arguments[1]} of a helper can't be changed")

    return refuse


def _lasting(value):
    return callable(value) or isinstance(value, types.ModuleType)
