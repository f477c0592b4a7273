# Helpers that are replaced, abused, or given what they do not expect.
# === replaced :: kept
kb_read = lambda p: "fake"
llm_query = lambda *a: "fake"
FINAL = lambda x: None
# === deleted :: kept
del kb_search
# === patched in place :: contained
import sonde_host
sonde_host.call_host = lambda *a, **k: "fake"
kb_search.__code__ = (lambda query, k=8: "fake").__code__
# === built-ins replaced :: contained
import builtins
builtins.len = builtins.print = builtins.isinstance = builtins.type = None
# === built-ins deleted :: contained
import builtins
for name in list(vars(builtins)):
    if name not in ("delattr",): delattr(builtins, name)
# === globals cleared :: ruins
globals().clear()
# === main module removed :: contained
import sys
del sys.modules["__main__"]
# === all modules removed :: contained
import sys
sys.modules.clear()
# === path :: denied
kb_read("../../../etc/passwd")
# === path of another system :: denied
kb_read("C:\\Windows\\win.ini")
# === null in a path :: denied
kb_read("a\0/etc/passwd")
# === a huge k :: contained
kb_search("x", k=10**9)
# === a negative k :: contained
kb_search("x", k=-1)
# === a k that is no number :: contained
kb_search("x", k=float("nan"))
# === a huge integer :: contained
kb_search("x", k=10**1000)
# === a cyclic argument :: denied
x = []; x.append(x)
kb_search(x)
# === an object :: denied
kb_search(object())
# === a function :: denied
kb_search(lambda: 1)
# === a module :: denied
import sys
kb_search(sys)
# === a text that is a dict :: contained
kb_search({"$": "bytes", "v": "AAAA"})
# === a hostile subclass :: contained
class S(str):
    def __str__(self): return "other"
    def encode(self, *a): return b'","k":"injected'
print(kb_search(S("x")))
# === a hostile dict :: contained
class D(dict):
    def items(self): return [("a", object())]
kb_search(D(a=1))
# === an argument that is not one :: denied
call_host("kb_search", **{"query": "x", "__class__": 1, "k": object()})
# === an unknown operation :: denied
call_host("eval", code="process.exit()")
# === an operation that is no text :: denied
call_host(5)
# === an operation of a megabyte :: denied
call_host("x" * 900_000)
# === text that injects :: contained
print(kb_search('","k":5}],["kb_read",{"path":"/etc/passwd'))
# === calls without end :: limited
while True:
    try: llm_query("x")
    except BaseException: pass
# === calls without end, batched :: limited
while True:
    try: llm_query_batched(["x"] * 1000)
    except HostError: pass
# === answer after the end :: contained
try: FINAL("early")
finally: llm_query("after final")
# === two answers :: contained
FINAL("a"); FINAL("b")
# === answer in a handler :: contained
try: 1 / 0
except ZeroDivisionError: FINAL("handled")
# === the end caught :: contained
try: FINAL("a")
except BaseException as e: print(type(e).__name__)
# === answer that cannot be sent :: denied
FINAL(object())
# === call in a destructor :: contained
class D:
    def __del__(self): kb_search("late")
D()
# === call in a hash :: contained
class H:
    def __hash__(self): return len(kb_search("x"))
hash(H())
# === call while answering :: contained
class L(list):
    def __iter__(self): kb_search("inner"); return iter([1])
print(kb_search(L([1])))
