# Looking around in the interpreter: there is nothing of the host in it.
# === subclasses :: contained
print([c for c in ().__class__.__base__.__subclasses__() if "Popen" in c.__name__])
# === every object :: contained
import gc
print(len(gc.get_objects()), [type(o) for o in gc.get_objects()[:5]])
# === every string :: contained
import gc
found = [o for o in gc.get_objects() if isinstance(o, dict) and any(isinstance(k, str) and "canary" in k.lower() for k in o)]
print(len(found))
# === frames above :: contained
import sys
frame = sys._getframe()
while frame:
    print(frame.f_code.co_filename, sorted(frame.f_globals)[:3])
    frame = frame.f_back
# === change the frame above :: contained
import sys
sys._getframe().f_back.f_locals["result"] = 1
# === globals of a helper :: contained
print(sorted(kb_search.__globals__)[:5])
# === closure of a helper :: contained
print(llm_query.__closure__, call_host.__code__.co_consts)
# === source of a helper :: contained
import inspect
try:
    print(inspect.getsource(kb_search))
except OSError as error:
    print(error)
# === the driver's module :: contained
import sonde_driver
print(vars(sonde_driver).keys())
# === uninitialised memory :: contained
import array
a = array.array("B", bytes(10)) * 100000
print(sum(a))
# === memory by a crafted object :: contained
import struct, sys
print(id(object()), sys.getsizeof([]), struct.unpack("I", b"abcd"))
# === trace function :: contained
import sys
sys.settrace(lambda *a: None)
x = 1
sys.settrace(None)
# === a trace function that stays :: contained
import sys
def trace(*a):
    raise RuntimeError("trace")
sys.settrace(trace)
# === profile function that stays :: contained
import sys
sys.setprofile(lambda *a: 1 / 0)
# === audit hook that refuses all :: ruins
import sys
def hook(event, args):
    raise RuntimeError("audit")
sys.addaudithook(hook)
# === audit hook that looks :: contained
import sys
seen = []
sys.addaudithook(lambda event, args: seen.append(event) if len(seen) < 100 else None)
# === monitoring :: contained
import sys
sys.monitoring.use_tool_id(0, "x")
sys.monitoring.register_callback(0, sys.monitoring.events.PY_START, lambda *a: 1 / 0)
sys.monitoring.set_events(0, sys.monitoring.events.PY_START)
# === weak references to everything :: contained
import gc, weakref
refs = []
for o in gc.get_objects():
    try:
        refs.append(weakref.ref(o))
    except TypeError:
        pass
print(len(refs) > 0)
# === modules :: contained
import sys
print([m for m in sys.modules if "canary" in m or "secret" in m])
