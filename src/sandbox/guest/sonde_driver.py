"""Runs cells. Loaded once, while the snapshot is built; every session starts with this module in place.

`run` takes and returns JSON. Requests, by their "op":
    cell {code, number, value_bytes}   runs code in the session's namespace
    variables {previews}               rows for SHOW_VARS
    value {name, value_bytes}          the value of one name
    seed {seed}                        makes `random` this session's own
Nothing here guards a secret, and nothing here grants anything: the host knows which operations it offers and counts
what is asked of it. So code in a cell can reach and break all of this, and harms its own session only. What it
overwrites by mistake, or in a helper, is put back before the next cell: see `_sbx.keep`.
"""

import builtins

# Functions of this module look up built-in names here, whatever a cell makes of those that all others share.
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
MOST_NAMES = 1000


class _Stream(io.TextIOBase):
    """sys.stdout and sys.stderr: straight to the host, which keeps as much as the session's limit says."""

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


# Held here by name, so that a cell that changes a module by mistake doesn't change the driver.
_out, _execute = _sbx.out, _sbx.execute
_TracebackException = traceback.TracebackException
_cache = linecache.cache
_streams = (io.StringIO(""), _Stream(1, "<stdout>"), _Stream(2, "<stderr>"))


def SHOW_VARS():
    """The names that this session's code has made: a list of {name, type, size, preview}. Without what is left of
    imports and loops."""
    return sonde_variables.describe(_namespace, _given | _left)


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
_left = set()
_given = frozenset(_namespace) | frozenset(_helpers) | {"__builtins__", "__annotations__"}
_driver_files = frozenset(
    module.__spec__.origin for name, module in sys.modules.items() if name.startswith("sonde_")
)
# Names of the module itself that no code has a reason to delete.
_base = frozenset(_namespace) & {"__doc__", "__loader__", "__spec__", "__package__"}
# The exit code that says so; the host's side of it is src/sandbox/cell-result.ts.
WRECKED = 86
RESERVE_BYTES = 2 << 20
# Given up when memory runs out, so that there is room to report it, and for the cells that free some.
_reserve = bytearray(RESERVE_BYTES)
_sources = []


def run(request):
    try:
        asked = _scan(request.decode(), 0)[0]
        return dumps(_operations[asked["op"]](asked))
    except BaseException as error:  # a limit that was met outside of the cell's own code
        return dumps(_failure(error))


def _tidy():
    """What steers the interpreter itself is as it was, whatever the cell before made of it."""
    sys.settrace(None)
    sys.setprofile(None)
    for live, kept in _lists:
        if live != kept:
            live[:] = kept
    if not _modules.items() <= sys.modules.items():
        sys.modules.update(_modules)


def _usable():
    """Whether code can still be compiled, run and imported for, in the namespace that cells share."""
    try:
        _tidy()
        names = {"__builtins__": builtins}
        _execute("import keyword\ntwo = len([1, 1])", "<check>", names)
        return names["two"] == 2 and not _base.isdisjoint(_namespace)
    except MemoryError:  # full, and still of use: names can be deleted
        return True
    except BaseException:
        return False


def _cell(asked):
    """Runs a cell. One that leaves the interpreter of no use ends here: the host goes on with what was before it."""
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
        _left.update(loops)
        _left.difference_update(bound)
        value = _execute(asked["code"], name, _namespace)
        result = {"status": "ok", "value": _sent(value, asked["value_bytes"])}
    except sonde_host.EndCell:
        result = {"status": "ok", "value": None}
    except BaseException as error:
        if isinstance(error, MemoryError):
            _reserve = None
        result = _failure(error)
        error.__traceback__ = None
    result["names"] = sonde_variables.names(_namespace, _given)[:MOST_NAMES]
    return result


def _new_reserve():
    """Taken anew only where enough is left besides, so that a full session can still be emptied."""
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


def _sent(value, limit):
    """The value of a cell: its type, a short text, and itself where it can be sent."""
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
    """Of a part of the standard library that is not here: what it is that is missing, and no misspelling."""
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
    return {"status": "ok", "rows": sonde_variables.describe(_namespace, _given | _left, asked["previews"])[:MOST_NAMES]}


def _value(asked):
    name = asked["name"]
    if name not in _namespace or name in _given:
        return {"status": "missing"}
    value = _namespace[name]
    empty = {"type": "NoneType", "repr": "None", "value": None}
    return {"status": "ok", "value": _sent(value, asked["value_bytes"]) or empty}


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
    # What imports are made of.
    for name in ("_frozen_importlib", "_frozen_importlib_external", "zipimport"):
        part = vars(sys.modules[name]) if name in sys.modules else {}
        others.append((part, {key: value for key, value in part.items() if callable(value)}))
    kept = sonde_repair.Kept(own + _helper_modules, others)
    _put_back = kept.put_back
    _sbx.keep(kept.put_back, _namespace, _helpers, kept.dictionaries, kept.functions)


_keep()
_modules.update(sys.modules)
