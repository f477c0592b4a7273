# The interpreter itself: bytecode, the collector, pickles, encodings, source text.
# === bytecode :: contained
f = (lambda: 0)
f.__code__ = f.__code__.replace(co_code=bytes(range(1, 255)) * 4)
f()
# === bytecode that reads the stack :: contained
f = (lambda: 0)
f.__code__ = f.__code__.replace(co_code=bytes([1, 0] * 500), co_stacksize=1)
f()
# === constants out of range :: contained
f = (lambda: "x")
import dis
f.__code__ = f.__code__.replace(co_consts=())
f()
# === locals out of range :: contained
def f(a): return a
g = f.__code__.replace(co_code=f.__code__.co_code.replace(bytes([f.__code__.co_code[2], 0]), bytes([f.__code__.co_code[2], 255])))
f.__code__ = g
f(1)
# === marshal garbage :: contained
import marshal
for seed in range(200):
    try: marshal.loads(bytes((seed * 7 + i * 13) % 256 for i in range(200)))
    except Exception: pass
# === marshal code :: contained
import marshal
code = marshal.loads(b"\xe3" + bytes(100))
exec(code)
# === pickle that calls :: denied
import pickle, os
class E:
    def __reduce__(self): return (os.system, ("id",))
pickle.loads(pickle.dumps(E()))
# === pickle that exits :: killed
import pickle, os
class E:
    def __reduce__(self): return (os._exit, (1,))
pickle.loads(pickle.dumps(E()))
# === pickle garbage :: contained
import pickle
for seed in range(200):
    try: pickle.loads(bytes((seed * 31 + i * 17) % 256 for i in range(100)))
    except Exception: pass
# === pickle memo :: denied
import pickle
pickle.loads(b"\x80\x04\x8c\x04test\x94r\xff\xff\xff\x7f.")
# === collector in a destructor :: contained
import gc
class D:
    def __del__(self): gc.collect()
for _ in range(50): a = D(); a.a = a; del a
gc.collect()
# === collector off :: contained
import gc
gc.disable()
gc.set_threshold(0)
# === resurrection :: contained
import gc
kept = []
class D:
    def __del__(self): kept.append(self)
D(); gc.collect()
print(len(kept))
# === list changed while sorted :: contained
l = list(range(100))
def key(x):
    l.clear()
    return x
try: l.sort(key=key)
except ValueError as e: print(e)
# === dict changed while read :: contained
d = {i: i for i in range(100)}
class K:
    def __hash__(self): return 5
    def __eq__(self, o):
        d.clear()
        return False
d[K()] = 1
# === buffer released :: contained
b = bytearray(1000)
m = memoryview(b)
try: b.extend(b"x" * 10**6)
except BufferError as e: print(e)
# === slice with hostile index :: contained
l = [0] * 1000
class I:
    def __index__(self):
        l.clear()
        return 5
l[I():I()] = [1]
# === slots and descriptors :: contained
class A:
    __slots__ = ("x",)
A.x.__get__(A())
# === wrong self :: denied
str.join(5, [])
# === type changed under an instance :: contained
class A: pass
class B: __slots__ = ()
a = A()
try: a.__class__ = B
except TypeError as e: print(e)
# === module replaced :: contained
import sys
sys.modules["json"] = 5
# === random state :: contained
import random
random.seed = None
# === hash seed :: contained
print(hash("a") == hash("a"))
# === fullwidth name :: contained
ｐｒｉｎｔ("fullwidth")
# === form feed :: contained
print("a")
print("b")
# === another encoding :: contained
# -*- coding: rot13 -*-
cevag(1)
# === an encoding cookie, compiled :: contained
exec(b"# -*- coding: utf-7 -*-\nprint('+AGE-')")
# === direction overrides :: contained
admin = False # ‮ ⁦if admin:⁩ ⁦ nothing
print(admin)
# === null in the source :: denied
exec("x = 1\0\nprint(2)")
# === a line of a megabyte :: contained
exec("x = '" + "a" * 900_000 + "'")
# === many lines :: contained
exec("x = 1\n" * 50_000)
# === many names :: contained
exec("\n".join(f"v{i} = {i}" for i in range(5000)), {})
# === many arguments :: contained
exec("def f(" + ",".join(f"a{i}" for i in range(2000)) + "): pass")
# === constant folding :: contained
exec("x = (1 << 1000) * (1 << 1000) + 'a'.__len__()")
# === missing package :: denied
import numpy
# === not in this build :: denied
import tkinter
# === faulthandler :: denied
import faulthandler
faulthandler._sigsegv()
# === standard input :: denied
input()
# === breakpoint :: contained
breakpoint()
# === help :: contained
help(int)
# === exec of garbage :: contained
for seed in range(300):
    try: compile(bytes((seed * 11 + i * 29) % 128 for i in range(60)), "x", "exec")
    except (SyntaxError, ValueError, MemoryError): pass
# === names persist :: kept
_private = 1
__x = 2
# === the cell number :: contained
import linecache
linecache.cache.clear()
1 / 0
# === a hostile line cache :: contained
import linecache
linecache.getline = linecache.updatecache = None
1 / 0
# === traceback module broken :: contained
import traceback
traceback.TracebackException = None
1 / 0
# === ast module broken :: contained
import ast
ast.parse = None
# === time goes on :: contained
import time
print(time.time() > 1_700_000_000, time.get_clock_info("monotonic").resolution)
# === locale and zone :: contained
import locale, time
print(locale.getlocale(), time.tzname)
