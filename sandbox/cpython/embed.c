/*
 * CPython as a WebAssembly reactor: five imports, a handful of exports, nothing else.
 *
 * The host calls sbx_init once, while the snapshot is built, and sbx_run for every request afterwards. Both sides
 * of sbx_run and of the back-channel are bytes; what they mean is agreed between the host and the guest's driver.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* The parser and the compiler by themselves: see module_compile. */
#define Py_BUILD_CORE
#include "internal/pycore_ast.h"
#include "internal/pycore_compile.h"
#include "internal/pycore_parser.h"
#include "internal/pycore_pyarena.h"
#undef Py_BUILD_CORE

#define IMPORT(name) __attribute__((import_module("sbx"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name), used, visibility("default")))

/* The back-channel. Returns the length of the answer, which host_take then copies; below zero: refused. */
IMPORT("call") extern int32_t host_call(const char *request, uint32_t length);
IMPORT("take") extern void host_take(char *destination);
/* What the guest prints. stream: 1 standard output, 2 standard error. */
IMPORT("out") extern void host_out(int32_t stream, const char *bytes, uint32_t length);
/* The fuel counter is below zero: the host refills it, or never returns. */
IMPORT("fuel_out") extern void host_fuel_out(void);
/* May the memory have this many bytes in all? 0: no. */
IMPORT("grow") extern int32_t host_grow(uint32_t bytes);

/* Called by the metered code. Never metered itself. */
EXPORT("sbx_fuel_slow") void sbx_fuel_slow(void) { host_fuel_out(); }
/* Makes the interpreter raise KeyboardInterrupt at the next bytecode. */
EXPORT("sbx_interrupt") void sbx_interrupt(void) { PyErr_SetInterrupt(); }
EXPORT("sbx_alloc") char *sbx_alloc(uint32_t length) { return malloc(length); }
EXPORT("sbx_free") void sbx_free(char *bytes) { free(bytes); }

static PyObject *module_call(PyObject *self, PyObject *request) {
  char *bytes;
  Py_ssize_t length;
  if (PyBytes_AsStringAndSize(request, &bytes, &length) < 0) return NULL;
  int32_t answer = host_call(bytes, (uint32_t)length);
  if (answer < 0) {
    PyErr_SetString(PyExc_ValueError, "the request is too large for the host");
    return NULL;
  }
  PyObject *result = PyBytes_FromStringAndSize(NULL, answer);
  if (!result) return NULL;
  host_take(PyBytes_AS_STRING(result));
  return result;
}

static PyObject *module_out(PyObject *self, PyObject *args) {
  int stream;
  const char *bytes;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(args, "is#", &stream, &bytes, &length)) return NULL;
  host_out(stream, bytes, (uint32_t)length);
  Py_RETURN_NONE;
}

static PyObject *compiled(mod_ty part, PyObject *name, PyCompilerFlags *flags, PyArena *arena) {
  return part ? (PyObject *)_PyAST_Compile(part, name, flags, -1, arena) : Py_NewRef(Py_None);
}

static PyObject *evaluated(PyObject *code, PyObject *names) {
  return code == Py_None ? Py_NewRef(Py_None) : PyEval_EvalCode(code, names, names);
}

/*
 * Runs a cell: all of it is compiled before any of it runs. Returns the value of the expression that it ends with,
 * or None. Python's own compile() would have to make objects of the whole tree and read them back, to cut it in two.
 */
static PyObject *module_execute(PyObject *self, PyObject *args) {
  const char *source;
  Py_ssize_t length;
  PyObject *name, *names;
  if (!PyArg_ParseTuple(args, "s#UO!", &source, &length, &name, &PyDict_Type, &names)) return NULL;
  if (strlen(source) != (size_t)length) {
    PyErr_SetString(PyExc_SyntaxError, "source code string cannot contain null bytes");
    return NULL;
  }
  PyArena *arena = _PyArena_New();
  if (!arena) return NULL;
  PyCompilerFlags flags = {PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE, PY_MINOR_VERSION};
  PyObject *statements = NULL, *last = NULL, *value = NULL;
  mod_ty tree = _PyParser_ASTFromString(source, name, Py_file_input, &flags, arena);
  if (tree) {
    asdl_stmt_seq *body = tree->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    stmt_ty end = count > 0 ? asdl_seq_GET(body, count - 1) : NULL;
    mod_ty expression = NULL;
    if (end && end->kind == Expr_kind) {
      expression = _PyAST_Expression(end->v.Expr.value, arena);
      body->size = --count;
    }
    if (expression || !PyErr_Occurred()) {
      statements = compiled(count > 0 ? tree : NULL, name, &flags, arena);
      if (statements) last = compiled(expression, name, &flags, arena);
    }
  }
  _PyArena_Free(arena);
  if (last) {
    PyObject *done = evaluated(statements, names);
    if (done) value = evaluated(last, names);
    Py_XDECREF(done);
  }
  Py_XDECREF(statements);
  Py_XDECREF(last);
  return value;
}

/* What cells may not change for good: see module_keep. Set once, by the driver, before any cell runs. */
static PyObject *repair;    /* puts back what was changed in the watched dictionaries */
static PyObject *namespace; /* of the cells */
static PyObject *helpers;   /* names that are in it before every request */
static PyObject *fixed;     /* addresses of functions */
static int changed;         /* something in a watched dictionary was, since `repair` was called last */

static int on_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value) {
  changed = 1;
  return 0;
}

/* Every change of a function's code, defaults and other fixed parts is told to audit hooks before it is made. */
static int on_audit(const char *event, PyObject *args, void *data) {
  if (!fixed || (strcmp(event, "object.__setattr__") != 0 && strcmp(event, "object.__delattr__") != 0)) return 0;
  PyObject *address = PyLong_FromVoidPtr(PyTuple_GET_ITEM(args, 0));
  int found = address ? PySet_Contains(fixed, address) : -1;
  Py_XDECREF(address);
  if (found > 0) PyErr_Format(PyExc_TypeError, "%S of a helper can't be changed", PyTuple_GET_ITEM(args, 1));
  return found ? -1 : 0;
}

/*
 * keep(repair, namespace, helpers, watched, fixed), once. Before every request: `repair()` is called if a dictionary
 * of the list `watched` has changed since; `helpers` is merged into `namespace`. The functions with these addresses
 * refuse a change at once. It is done in C, where no cell can reach what decides it, and where it costs nothing.
 */
static PyObject *module_keep(PyObject *self, PyObject *args) {
  PyObject *kept[5];
  if (!PyArg_ParseTuple(args, "OO!O!O!O!", &kept[0], &PyDict_Type, &kept[1], &PyDict_Type, &kept[2], &PyList_Type,
                        &kept[3], &PyFrozenSet_Type, &kept[4]))
    return NULL;
  if (repair) {
    PyErr_SetString(PyExc_RuntimeError, "what is kept can't be changed");
    return NULL;
  }
  int watcher = PyDict_AddWatcher(on_change);
  if (watcher < 0) return NULL;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(kept[3]); i++)
    if (PyDict_Watch(watcher, PyList_GET_ITEM(kept[3], i)) < 0) return NULL;
  repair = Py_NewRef(kept[0]);
  namespace = Py_NewRef(kept[1]);
  helpers = Py_NewRef(kept[2]);
  fixed = Py_NewRef(kept[4]);
  Py_RETURN_NONE;
}

#define RECURSION_LIMIT 1000

/* Below zero, with an exception, where it could not be done; then it is tried again before the next request. */
static int restore(void) {
  if (Py_GetRecursionLimit() != RECURSION_LIMIT) Py_SetRecursionLimit(RECURSION_LIMIT);
  if (changed) {
    PyObject *done = PyObject_CallNoArgs(repair);
    if (!done) return -1;
    Py_DECREF(done);
    changed = 0;
  }
  return repair ? PyDict_Update(namespace, helpers) : 0;
}

static PyMethodDef methods[] = {
    {"call", module_call, METH_O, "call(request: bytes) -> bytes"},
    {"out", module_out, METH_VARARGS, "out(stream: int, text: str) -> None"},
    {"execute", module_execute, METH_VARARGS, "execute(source: str, name: str, names: dict) -> last expression's value"},
    {"keep", module_keep, METH_VARARGS, "keep(repair, namespace: dict, helpers: dict, watched: list, fixed: frozenset)"},
    {0},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_sbx", NULL, -1, methods};
static PyObject *module_init(void) { return PyModule_Create(&definition); }

static PyObject *runner; /* driver.run: bytes -> bytes */
static PyObject *result; /* what it returned last */

static int add_paths(PyConfig *config, const char *paths) {
  char *copy = strdup(paths), *rest = NULL;
  config->module_search_paths_set = 1;
  for (char *path = strtok_r(copy, ":", &rest); path; path = strtok_r(NULL, ":", &rest)) {
    wchar_t *wide = Py_DecodeLocale(path, NULL);
    PyStatus status = PyWideStringList_Append(&config->module_search_paths, wide);
    PyMem_RawFree(wide);
    if (PyStatus_Exception(status)) return -1;
  }
  free(copy);
  return 0;
}

/* paths: module search path, separated by colons. driver: the module whose `run` answers sbx_run. */
EXPORT("sbx_init") int32_t sbx_init(const char *paths, const char *driver) {
  PyImport_AppendInittab("_sbx", module_init);
  PySys_AddAuditHook(on_audit, NULL);
  PyPreConfig before;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;
  if (PyStatus_Exception(Py_PreInitialize(&before))) return -1;

  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.use_hash_seed = 1; /* the order of sets is part of what must be equal in every process */
  config.hash_seed = 0;
  config.site_import = 0;
  config.install_signal_handlers = 1;
  config.write_bytecode = 0;
  config.pathconfig_warnings = 0;
  config.use_frozen_modules = 1;
  if (add_paths(&config, paths) < 0) return -2;
  PyConfig_SetString(&config, &config.prefix, L"/");
  PyConfig_SetString(&config, &config.exec_prefix, L"/");
  PyConfig_SetString(&config, &config.base_prefix, L"/");
  PyConfig_SetString(&config, &config.base_exec_prefix, L"/");
  PyConfig_SetString(&config, &config.executable, L"");
  PyConfig_SetString(&config, &config.program_name, L"python");
  PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    if (status.err_msg) host_out(2, status.err_msg, strlen(status.err_msg));
    return -3;
  }
  PyObject *module = PyImport_ImportModule(driver);
  runner = module ? PyObject_GetAttrString(module, "run") : NULL;
  if (!runner) {
    PyErr_Print();
    return -4;
  }
  return 0;
}

/* Answers one request. Returns the length of the result, or -1 where the driver itself failed. */
EXPORT("sbx_run") int32_t sbx_run(const char *request, uint32_t length) {
  Py_CLEAR(result);
  /* An interrupt that came when the cell before had ended is not for this one. */
  if (PyErr_CheckSignals() < 0) PyErr_Clear();
  PyObject *bytes = restore() < 0 ? NULL : PyBytes_FromStringAndSize(request, length);
  if (bytes) {
    result = PyObject_CallOneArg(runner, bytes);
    Py_DECREF(bytes);
  }
  if (result && PyBytes_Check(result)) return (int32_t)PyBytes_GET_SIZE(result);
  Py_CLEAR(result);
  PyErr_Clear();
  return -1;
}
EXPORT("sbx_result") const char *sbx_result(void) { return result ? PyBytes_AS_STRING(result) : NULL; }

/*
 * sbrk: wasi-libc grows the memory by 64 KiB at a time, and on V8 every memory.grow costs about 5 ms. So it grows
 * by 4 MiB here, asks the host first, and remembers the true top, so that a checkpoint knows how much to copy.
 */
#define GROW_PAGES 64
static uintptr_t top;

static int grow(uintptr_t from, uintptr_t pages) {
  return host_grow((uint32_t)from + (uint32_t)(pages << 16)) && __builtin_wasm_memory_grow(0, pages) != (uintptr_t)-1;
}

void *sbrk(intptr_t increment) {
  uintptr_t size = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
  if (!top) top = size;
  if (increment == 0) return (void *)top;
  uintptr_t want = top + (uintptr_t)increment;
  if (increment < 0 || want < top || want > UINTPTR_MAX - (GROW_PAGES << 16)) {
    errno = ENOMEM;
    return (void *)-1;
  }
  if (want > size) {
    uintptr_t need = (want - size + 65535) >> 16;
    uintptr_t step = (need + GROW_PAGES - 1) & ~(uintptr_t)(GROW_PAGES - 1);
    if (!grow(size, step) && (step == need || !grow(size, need))) {
      errno = ENOMEM;
      return (void *)-1;
    }
  }
  uintptr_t old = top;
  top = want;
  return (void *)old;
}
EXPORT("sbx_top") uint32_t sbx_top(void) {
  return (uint32_t)(top ? top : (uintptr_t)__builtin_wasm_memory_size(0) << 16);
}
