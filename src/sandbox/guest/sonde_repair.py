"""Keeps modules as they were loaded: their functions can't be changed, and replaced names are restored."""

# A copy of the built-ins for the functions of this module: cells may change the shared ones.
__builtins__ = dict(vars(__import__("builtins")))

from types import FunctionType, ModuleType


class Kept:
    """The names to restore: those of functions, classes and modules in `modules`, and the given parts of `others`.

    `others`: pairs of a dictionary and the part of it that stays. `functions`: addresses of the functions and
    methods of the modules.
    """

    def __init__(self, modules, others):
        own = {module.__name__ for module in modules}
        parts = [(vars(module), {name: v for name, v in vars(module).items() if _lasting(v)}) for module in modules]
        values = [value for _, kept in parts for value in kept.values()]
        values += [m for v in values if isinstance(v, type) and v.__module__ in own for m in vars(v).values()]
        self.functions = frozenset(id(v) for v in values if isinstance(v, FunctionType) and v.__module__ in own)
        self.parts = [*parts, *others]

    @property
    def dictionaries(self):
        return [live for live, _ in self.parts]

    def put_back(self):
        for live, kept in self.parts:
            live.update(kept)


def _lasting(value):
    return callable(value) or isinstance(value, ModuleType)
