"""Tests of sonde_repair. Run as cells inside the sandbox by guest.test.ts; every `test_` function is called."""

import sonde_driver
import sonde_host
import sonde_values


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
    before = sonde_host.call_host, sonde_values.lower
    sonde_host.call_host = sonde_values.lower = None
    del sonde_host.HostError
    sonde_driver._kept.put_back()
    assert (sonde_host.call_host, sonde_values.lower) == before and sonde_host.HostError.__name__ == "HostError"


def test_the_drivers_operations_cannot_be_emptied():
    assert not hasattr(sonde_driver._operations, "clear")
