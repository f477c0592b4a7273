# Asking for more than there is.
# === a list :: limited
x = [0] * 10**10
# === a list that just fits no more :: limited
x = [0] * 10**8
# === a bytearray :: limited
x = bytearray(10**9)
# === a text :: limited
x = "a" * 10**10
# === appending :: limited
l = []
while True: l.append(bytearray(10**6))
# === appending small pieces :: limited
l = []
while True: l.append(object())
# === doubling :: limited
s = "x"
while True: s += s
# === a dict :: limited
d = {}
while True: d[len(d)] = str(len(d)) * 10
# === a dict, counted apart :: limited
d = {}
i = 0
while True:
    d[i] = str(i) * 10
    i += 1
# === a set :: limited
s = set()
while True: s.add(len(s))
# === nested lists :: limited
l = []
while True: l = [l, l.copy()]
# === bytes from a size :: limited
x = bytes(2**31 - 1)
# === replace :: limited
x = ("a" * 10**5).replace("a", "b" * 10**5)
# === join :: limited
x = ",".join(["x" * 10**6] * 1000)
# === repeat in a format :: limited
x = f"{1:{10**9}}"
# === percent :: limited
x = "%1000000000d" % 1
# === center :: limited
x = "a".center(10**9)
# === expandtabs :: limited
x = ("\t" * 1000).expandtabs(10**7)
# === translate :: limited
x = ("a" * 10**5).translate({97: "b" * 10**5})
# === big shift :: limited
x = 1 << 10**10
# === multiplication :: limited
x = (1 << 10**8) * (1 << 10**8)
# === integer from bytes :: limited
x = int.from_bytes(bytes(10**9))
# === array :: limited
import array
x = array.array("d", [0.0]) * 10**9
# === deque :: limited
import collections
x = collections.deque([0]) * 10**9
# === struct :: limited
import struct
struct.pack("2000000000s", b"x")
# === regex group :: contained
import re
re.compile("(?:a{1000}){1000}").match("a" * 10**7)
# === a regex of many repeats :: contained
import re
re.compile("a{4294967294}")
# === swallow the error and go on :: limited
l = []
while True:
    try: l.append(bytearray(10**6))
    except MemoryError: pass
# === memory error in a memory error :: limited
l = []
def fill():
    try:
        while True: l.append(bytearray(10**5))
    except MemoryError:
        fill()
fill()
# === all of it kept :: limited
hold = []
try:
    while True: hold.append(bytearray(10**5))
except MemoryError:
    pass
while True: hold.append(object())
# === compression :: denied
import zlib
zlib.decompress(zlib.compress(b"0" * 10**9))
# === a zip bomb :: contained
import io, zipfile
b = io.BytesIO()
zipfile.ZipFile(b, "w").writestr("x", "0" * 10**6)
# === xml entities :: contained
import xml.etree.ElementTree as E
text = "<!DOCTYPE x [" + "".join(f'<!ENTITY e{i} "{"&e%d;" % (i - 1) * 10 if i else "lol"}">' for i in range(10)) + "]><x>&e9;</x>"
E.fromstring(text)
# === json number :: contained
import json
json.loads("9" * 4000)
# === an error that holds the memory :: limited
def f():
    x = bytearray(60_000_000)
    y = bytearray(60_000_000)
    raise ValueError(x, y)
f()
