"""Tests of sonde_driver. Run as cells inside the sandbox by guest.test.ts; every `test_` function is called."""

import json

import sonde_driver
from sonde_host import EndCell


def ask(**request):
    return json.loads(sonde_driver.run(json.dumps(request).encode()))


def cell(code, number=1000):
    return ask(op="cell", code=code, number=number, value_bytes=1000)


def test_last_expression():
    assert cell("1 + 1")["value"] == {"type": "int", "repr": "2", "value": 2}
    assert cell("t_x = 1")["value"] is None
    assert cell("")["value"] is None
    assert cell("for i in (): pass")["value"] is None


def test_a_value_too_large_is_described():
    value = cell("'v' * 5000")["value"]
    assert "value" not in value and "5002 bytes, where 1000 are allowed" in value["problem"]


def test_errors_have_the_guests_frames_only():
    error = cell("def t_f(): raise KeyError('k')\nt_f()", 1001)["error"]
    assert error["type"] == "KeyError" and error["message"] == "'k'"
    assert '<cell 1001>", line 1, in t_f' in error["traceback"]
    assert "sonde_" not in error["traceback"]


def test_chained_errors_are_shown():
    text = cell("try: 1/0\nexcept ZeroDivisionError as e: raise ValueError('v') from e")["error"]["traceback"]
    assert "ZeroDivisionError" in text and "direct cause" in text


def test_deep_tracebacks_are_cut():
    text = cell("def t_f(n): return t_f(n + 1)\nt_f(0)")["error"]["traceback"]
    assert "RecursionError" in text and len(text) < 8001


def test_end_cell():
    sonde_driver._namespace["T_End"] = EndCell
    assert cell("t_end = 1\nraise T_End")["status"] == "ok"


def test_values_by_name():
    cell("t_v = {'a': (1,)}")
    assert ask(op="value", name="t_v", value_bytes=100)["value"]["value"] == {"a": {"$": "tuple", "v": [1]}}
    assert ask(op="value", name="nope", value_bytes=100) == {"status": "missing"}
    assert ask(op="value", name="SHOW_VARS", value_bytes=100) == {"status": "missing"}


def test_bad_requests_are_errors():
    assert json.loads(sonde_driver.run(b"\xff"))["status"] == "error"
    assert ask(op="nope")["error"]["type"] == "KeyError"
