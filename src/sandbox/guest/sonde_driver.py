"""Runs cells. Loaded once, while the snapshot is built; every session starts with this module in place.

`run` takes and returns JSON. Requests, by their "op":
    cell {code, number, value_bytes}   runs code in the session's namespace
    variables {previews}               rows for SHOW_VARS
    value {name, value_bytes}          the value of one name
    seed {seed}                        makes `random` this session's own
This module holds no secret and grants no right: the host checks and counts all requests. Code in a cell can break this
module, and harms its own session only. Names that a cell overwrites here or in a helper are restored before the next
cell: see `_sbx.keep`.
"""

import builtins

# A copy of the built-ins for the functions of this module: cells may change the shared ones.
__builtins__ = dict(vars(builtins))

import io
import json
import linecache
import sys
import traceback

from posix import _exit

import _sbx
import sonde_host
import sonde_repair
import sonde_variables
from sonde_values import TransportError, dumps, lower

# Modules that cells use most, loaded into the snapshot so that importing them costs nothing.
import ast, base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, difflib, enum  # noqa: E401
import fractions, functools, hashlib, heapq, itertools, math, operator, random, re, statistics  # noqa: E401
import string, textwrap, time, types, typing, unicodedata  # noqa: E401

TRACEBACK_CHARACTERS = 8000
TRACEBACK_FRAMES = 40
MESSAGE_CHARACTERS = 2000
REPR_CHARACTERS = 2000
SOURCES_KEPT = 200
MAX_NAMES = 1000


class _Stream(io.TextIOBase):
    """sys.stdout and sys.stderr: writes to the host at once, which keeps output up to the session's limit."""

    def __init__(self, number, name):
        self._number = number
        self.name = name

    encoding = "utf-8"
    errors = "surrogateescape"

    def writable(self):
        return True

    def write(self, text):
        if type(text) is not str:
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        try:
            _out(self._number, text)
        except UnicodeEncodeError:  # half of a surrogate pair
            _out(self._number, text.encode("utf-8", "backslashreplace").decode())
        return len(text)


# Bound here, so that a cell that changes these modules by mistake doesn't change the driver.
_out, _execute = _sbx.out, _sbx.execute
_TracebackException = traceback.TracebackException
_cache = linecache.cache
_streams = (io.StringIO(""), _Stream(1, "<stdout>"), _Stream(2, "<stderr>"))


def SHOW_VARS():
    """The names that this session's code has made: a list of {name, type, size, preview}. Without what is left of
    imports and loops."""
    return sonde_variables.describe(_namespace, _own_names | _loop_names)


def _no_audit_hooks(hook):
    raise RuntimeError("an audit hook could never be taken away again, so none is taken here")


_namespace = sys.modules["__main__"].__dict__
_helpers = {
    "__builtins__": builtins,
    "__name__": "__main__",
    "call_host": sonde_host.call_host,
    "HostError": sonde_host.HostError,
    "SHOW_VARS": SHOW_VARS,
}


def _load_helpers():
    """Helper modules that the host put beside this one: their public names belong to every cell."""
    with open("/guest/helpers.json") as file:
        for name in json.load(file):
            module = __import__(name)
            _helper_modules.append(module)
            for public in module.__all__:
                _helpers[public] = getattr(module, public)


_helper_modules = []
_load_helpers()
# Names that loops left behind.
_loop_names = set()
_own_names = frozenset(_namespace) | frozenset(_helpers) | {"__builtins__", "__annotations__"}
_driver_files = frozenset(
    module.__spec__.origin for name, module in sys.modules.items() if name.startswith("sonde_")
)
# Names of the module itself that no code has a reason to delete.
_base = frozenset(_namespace) & {"__doc__", "__loader__", "__spec__", "__package__"}
# The exit code for an interpreter that can run no further cell: see src/sandbox/cell-result.ts.
WRECKED = 86
RESERVE_BYTES = 2 << 20
# Freed when memory runs out, to leave room for the report, and for cells that delete names.
_reserve = bytearray(RESERVE_BYTES)
_sources = []


def run(request):
    try:
        asked = _scan(request.decode(), 0)[0]
        return dumps(_operations[asked["op"]](asked))
    except BaseException as error:  # a limit that was exceeded outside of the cell's own code
        return dumps(_failure(error))


def _tidy():
    """Restores tracing, import paths and modules, which the last cell may have changed."""
    sys.settrace(None)
    sys.setprofile(None)
    for live, kept in _lists:
        if live != kept:
            live[:] = kept
    if not _modules.items() <= sys.modules.items():
        sys.modules.update(_modules)


def _usable():
    """Whether code can still be compiled and run in the namespace of the cells, and can import."""
    try:
        _tidy()
        names = {"__builtins__": builtins}
        _execute("import keyword\ntwo = len([1, 1])", "<check>", names)
        return names["two"] == 2 and not _base.isdisjoint(_namespace)
    except MemoryError:  # memory is full, but a cell can still delete names
        return True
    except BaseException:
        return False


def _cell(asked):
    """Runs a cell. Exits if it leaves the interpreter unusable: the host then restores the state before the cell."""
    result = _run(asked)
    if not _usable():
        _put_back()
        if not _usable():
            _exit(WRECKED)
    return result


def _run(asked):
    global _reserve
    _tidy()
    if _reserve is None:
        _reserve = _new_reserve()
    name = f"<cell {asked['number']}>"
    try:
        _remember(asked["code"], name)
        loops, bound = sonde_variables.loop_names(asked["code"])
        _loop_names.update(loops)
        _loop_names.difference_update(bound)
        value = _execute(asked["code"], name, _namespace)
        result = {"status": "ok", "value": _encode_value(value, asked["value_bytes"])}
    except sonde_host.EndCell:
        result = {"status": "ok", "value": None}
    except BaseException as error:
        if isinstance(error, MemoryError):
            _reserve = None
        result = _failure(error)
        error.__traceback__ = None
    result["names"] = sonde_variables.names(_namespace, _own_names)[:MAX_NAMES]
    return result


def _new_reserve():
    """A new reserve; None if too little memory is left besides, so that a full session can still be emptied."""
    try:
        bytes(4 * RESERVE_BYTES)
        return bytearray(RESERVE_BYTES)
    except MemoryError:
        return None


def _remember(code, name):
    """Keeps a cell's source where tracebacks and `inspect` look for it."""
    _cache[name] = (len(code), None, code.splitlines(True), name)
    _sources.append(name)
    if len(_sources) > SOURCES_KEPT:
        _cache.pop(_sources.pop(0), None)


def _encode_value(value, limit):
    """The value of a cell: its type, a short text, and the value itself if it can be sent."""
    if value is None:
        return None
    result = {"type": sonde_variables.type_name(value), "repr": sonde_variables.preview(value, REPR_CHARACTERS)}
    try:
        lowered = lower(value)
        size = len(dumps(lowered))
        if size > limit:
            raise TransportError(f"{size} bytes, where {limit} are allowed; send a part of it, or a summary")
        result["value"] = lowered
    except TransportError as error:
        result["problem"] = sonde_variables.cut(str(error), 300)
    return result


def _failure(error):
    try:
        return {"status": "error", "error": _report(error)}
    except BaseException as second:
        kind = sonde_variables.type_name(error)
        note = f"(could not be shown: {sonde_variables.type_name(second)})"
        report = {"type": kind, "message": note, "traceback": f"{kind}: {note}\n"}
        return {"status": "error", "error": report}


def _report(error):
    kind = sonde_variables.type_name(error)
    missing = _missing_module(error)
    if missing:
        error.add_note(missing)
    shown = _TracebackException(type(error), error, _trim(error.__traceback__), compact=True)
    _shorten(shown, set())
    text = sonde_variables.cut("".join(shown.format()), TRACEBACK_CHARACTERS)
    message = str(shown) if kind == "SyntaxError" else f"{shown._str}. {missing}" if missing else shown._str
    return {"type": kind, "message": sonde_variables.cut(str(message), MESSAGE_CHARACTERS), "traceback": text}


def _missing_module(error):
    """Says that a module of the standard library is missing in the sandbox; empty for any other error."""
    if not isinstance(error, ModuleNotFoundError):
        return ""
    name = str(error.name).partition(".")[0].removeprefix("_sysconfigdata").removeprefix("_") or "zoneinfo"
    if name not in _standard and f"_{name}" not in _standard and not str(error.name).startswith("_sysconfigdata"):
        return ""
    return (
        "This part of the standard library is not in the sandbox, which has none that needs an operating system or a "
        "library in C: no sqlite3, zlib, gzip, bz2, lzma, zoneinfo, asyncio, unittest, socket, ssl, subprocess, "
        "multiprocessing, ctypes. Write what you need of it in plain Python"
    )


def _trim(tb):
    """The traceback without the driver's own frames at its top, and with only the last frames of a deep one."""
    while tb is not None and tb.tb_frame.f_code.co_filename in _driver_files:
        tb = tb.tb_next
    length, first = 0, tb
    while tb is not None:
        length, tb = length + 1, tb.tb_next
    for _ in range(length - TRACEBACK_FRAMES):
        first = first.tb_next
    return first


def _shorten(shown, seen):
    """Cuts the messages of an exception and of those it came from, and leaves out frames of the driver."""
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    shown._str = sonde_variables.cut(str(shown._str), MESSAGE_CHARACTERS)
    kept = [frame for frame in shown.stack if frame.filename not in _driver_files]
    shown.stack[:] = kept[-TRACEBACK_FRAMES:]
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        _shorten(other, seen)


def _variables(asked):
    rows = sonde_variables.describe(_namespace, _own_names | _loop_names, asked["previews"])
    return {"status": "ok", "rows": rows[:MAX_NAMES]}


def _value(asked):
    name = asked["name"]
    if name not in _namespace or name in _own_names:
        return {"status": "missing"}
    value = _namespace[name]
    empty = {"type": "NoneType", "repr": "None", "value": None}
    return {"status": "ok", "value": _encode_value(value, asked["value_bytes"]) or empty}


def _seed(asked):
    random.seed(asked["seed"])
    return {"status": "ok"}


_operations = types.MappingProxyType({"cell": _cell, "variables": _variables, "value": _value, "seed": _seed})
_scan = json.JSONDecoder().scan_once


_standard = sys.stdlib_module_names
_lists = [(live, list(live)) for live in (sys.meta_path, sys.path, sys.path_hooks)]
_modules = {}


def _keep():
    global _put_back
    own = [module for name, module in sys.modules.items() if name.startswith("sonde_")]
    lasting = dict(zip(("stdin", "stdout", "stderr"), _streams)) | {"addaudithook": _no_audit_hooks}
    lasting |= {name: getattr(sys, name) for name in ("modules", "meta_path", "path", "path_hooks", "path_importer_cache")}
    sys.__dict__.update(lasting)
    others = [(builtins.__dict__, dict(builtins.__dict__)), (sys.__dict__, lasting)]
    # The import system.
    for name in ("_frozen_importlib", "_frozen_importlib_external", "zipimport"):
        part = vars(sys.modules[name]) if name in sys.modules else {}
        others.append((part, {key: value for key, value in part.items() if callable(value)}))
    kept = sonde_repair.Kept(own + _helper_modules, others)
    _put_back = kept.put_back
    _sbx.keep(kept.put_back, _namespace, _helpers, kept.dictionaries, kept.functions)


_keep()
_modules.update(sys.modules)
