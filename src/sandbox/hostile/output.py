# Printing too much, or what others would obey.
# === flood :: limited
while True: print("x" * 1000)
# === flood of empty lines :: limited
while True: print()
# === one huge text :: truncated
print("x" * 50_000_000)
# === huge standard error :: truncated
import sys
sys.stderr.write("z" * 50_000_000)
# === more than memory :: limited
print("x" * 10**9)
# === a huge message :: contained
raise Exception("e" * 10**7)
# === a message as large as the memory :: contained
raise Exception("e" * 60_000_000)
# === a huge message larger than memory :: limited
raise Exception("e" * 10**8 * 10)
# === a huge value :: contained
"v" * 10**7
# === a huge list :: contained
list(range(10**6))
# === a huge name :: contained
globals()["n" * 10**6] = 1
# === many names :: contained
for i in range(20_000): globals()[f"name{i}"] = i
# === names that are no text :: contained
globals()[1] = 2
globals()[(1, 2)] = 3
# === a name with control characters :: contained
globals()["\x1b[2J\u202e"] = 1
# === terminal escapes :: contained
print("\x1b[2J\x1b]0;owned\x07")
# === null bytes :: contained
print("\0" * 100)
# === surrogates :: contained
print("\ud800 \udfff")
# === raw bytes :: contained
import os
os.write(1, b"\xff\xfe\x80" * 100)
os.write(2, bytes(range(256)))
# === another stream number :: contained
import _sbx
_sbx.out(99, "hi")
_sbx.out(-1, "hi")
# === repr that fails :: kept
class R:
    def __repr__(self): raise RuntimeError("boom")
x = R()
SHOW_VARS()
# === repr that is huge :: contained
class R:
    def __repr__(self): return "A" * 10**7
x = R()
SHOW_VARS()
# === repr that never ends :: limited
class R:
    def __repr__(self):
        while True: pass
x = R()
SHOW_VARS()
# === repr that never ends, as a value :: limited
class R:
    def __repr__(self):
        while True: pass
R()
# === repr that exits :: killed
import os
class R:
    def __repr__(self): os._exit(1)
R()
# === repr that raises an exit :: contained
class R:
    def __repr__(self): raise SystemExit
R()
# === stream replaced :: contained
import sys
sys.stdout = None
# === stream that raises :: contained
import sys
class S:
    def write(self, text): raise RuntimeError("no")
sys.stdout = sys.stderr = S()
# === stream closed :: contained
import sys
sys.stdout.close()
# === display hook :: contained
import sys
sys.displayhook = sys.excepthook = None
