"""Tests of sonde_repair. Run as cells inside the sandbox by guest.test.ts; every `test_` function is called."""

import types

import _sbx
import sonde_driver
import sonde_host
import sonde_values
from sonde_repair import Kept


def refused(change, *arguments):
    try:
        change(*arguments)
    except TypeError as error:
        return "of a helper can't be changed" in str(error)
    return False


def test_functions_of_helpers_keep_their_code_and_defaults():
    other = lambda *a, **k: "forged"
    for function in (sonde_host.call_host, sonde_driver.SHOW_VARS, sonde_driver.run, sonde_values.TransportError.__init__):
        assert refused(setattr, function, "__code__", other.__code__), function
        for name in ("__defaults__", "__kwdefaults__"):
            assert refused(setattr, function, name, None) and refused(delattr, function, name), (function, name)


def test_functions_of_cells_can_be_changed():
    one, two = (lambda: 1), (lambda: 2)
    one.__code__ = two.__code__
    assert one() == 2


def test_names_are_put_back():
    module, other = types.ModuleType("m"), {"a": 1, "b": 2}
    module.f = first = lambda: 1
    module.n = 1
    kept = Kept([module], [(other, {"a": 1})])
    assert kept.dictionaries == [vars(module), other]
    module.f, module.n, other["a"], other["b"] = None, 2, 3, 4
    kept.put_back()
    assert (module.f, module.n, other) == (first, 2, {"a": 1, "b": 4})
    del module.f
    kept.put_back()
    assert module.f is first


def test_what_is_kept_is_said_once():
    try:
        _sbx.keep(print, {}, {}, [], frozenset())
    except RuntimeError as error:
        assert "can't be changed" in str(error)
    else:
        assert False


def test_the_drivers_operations_cannot_be_emptied():
    assert not hasattr(sonde_driver._operations, "clear")
