# Objects of the host's language, which other sandboxes have let in.
# === js :: denied
import js
print(js.process.env)
# === js fetch :: denied
from js import fetch
# === js eval :: denied
import js
js.eval("globalThis.process")
# === js constructor :: denied
import js
js.Object.constructor("return process")().exit()
# === run_js :: denied
from pyodide.code import run_js
run_js("process.pid")
# === pyodide_js :: denied
import pyodide_js
pyodide_js.FS
# === micropip :: denied
import micropip
# === pip :: denied
import pip
# === ensurepip :: denied
import ensurepip
ensurepip.bootstrap()
# === ctypes :: denied
import ctypes
ctypes.string_at(0, 100)
# === cffi :: denied
import _cffi_backend
# === extension by path :: denied
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("x", "/lib/x.so")
importlib.util.module_from_spec(importlib.util.spec_from_loader("x", loader))
# === dynamic loading :: denied
import _imp
_imp.create_dynamic(type("S", (), {"name": "x", "origin": "/lib/x.so"})())
# === what the channel's module holds :: contained
import _sbx
print({name: getattr(_sbx, name) for name in dir(_sbx)}, type(_sbx.call).__self__ if hasattr(type(_sbx.call), "__self__") else None)
# === the channel's bound object :: contained
import _sbx
print(_sbx.call.__self__, _sbx.call.__self__.__dict__.keys())
