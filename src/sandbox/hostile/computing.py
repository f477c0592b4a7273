# Endless or very long work. Most of it in C, where Python's own checks never come by.
# === loop :: limited
while True: pass
# === loop that catches the interrupt :: limited
while True:
    try:
        while True: pass
    except BaseException: pass
# === interrupt ignored :: limited
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
# === interrupt handler that goes on :: limited
import signal
signal.signal(signal.SIGINT, lambda *a: None)
while True: pass
# === endless finally :: limited
try:
    while True: pass
finally:
    while True: pass
# === endless destructor :: limited
class D:
    def __del__(self):
        while True: pass
D()
# === endless destructor later :: contained
class D:
    def __del__(self):
        while True: pass
d = D()
# === sum of a range :: limited
sum(range(10**12))
# === power tower :: limited
x = 9**9**9
# === factorial :: limited
import math
math.factorial(10**7)
# === number to text :: limited
import sys
sys.set_int_max_str_digits(0)
x = str(1 << 20_000_000)
# === text to number :: limited
import sys
sys.set_int_max_str_digits(0)
int("9" * 10_000_000)
# === number to text, refused by Python :: denied
int("9" * 10_000_000)
# === modular power :: limited
pow(3, 10**200000, 10**200000 + 7)
# === regex, nested quantifiers :: limited
import re
re.match(r"(a+)+$", "a" * 64 + "b")
# === regex, alternatives :: limited
import re
re.match(r"(a|aa)+$", "a" * 64 + "b")
# === regex, back-reference :: limited
import re
re.match(r"(.*)(.*)(.*)(.*)(.*)\5\4\3\2\1x", "ab" * 200)
# === search for a needle :: contained
(b"a" * 10**7 + b"b").find(b"a" * 5 * 10**6 + b"c")
# === quadratic search :: contained
("a" * 200_000 + "b" * 200_000).count("b" * 100_000 + "a")
# === sort with a key :: limited
sorted(range(10**7), key=lambda x: -x)
# === sort with a hostile comparison :: limited
class C:
    def __lt__(self, other):
        while True: pass
sorted([C(), C()])
# === equality of shared structure :: limited
a = b = ()
for _ in range(60):
    a = (a, a); b = (b, b + ())
    b = tuple([*b][:1]) + (b[0],)
a == b
# === equality of two shared structures :: limited
a = (); b = ()
for _ in range(60): a = (a, a); b = (b, b)
a == b
# === hash of shared structure :: limited
a = ()
for _ in range(60): a = (a, a)
hash(a)
# === repr of shared structure :: limited
a = []
for _ in range(60): a = [a, a]
x = repr(a)
# === membership in an endless iterator :: limited
import itertools
1 in itertools.repeat(2)
# === list of an endless iterator :: limited
import itertools
list(itertools.count())
# === deque that swallows :: limited
import collections, itertools
collections.deque(itertools.repeat(0), maxlen=0)
# === min of an endless iterator :: limited
import itertools
min(itertools.cycle([1]))
# === any of an endless iterator :: limited
import itertools
any(itertools.repeat(False))
# === product :: limited
import itertools
sum(1 for _ in itertools.product(range(1000), repeat=5))
# === permutations :: limited
import itertools
len(list(itertools.permutations(range(12))))
# === join of an endless generator :: limited
import itertools
"".join(itertools.repeat(""))
# === map in C :: limited
import collections, itertools, operator
collections.deque(map(operator.add, itertools.repeat(1), itertools.repeat(2)), 0)
# === hash collisions :: contained
d = {}
for i in range(200_000): d[i * (2**61 - 1)] = i
# === difflib :: contained
import difflib
difflib.SequenceMatcher(None, "ab" * 3000, "ba" * 3000).ratio()
# === decimal precision :: limited
import decimal
decimal.getcontext().prec = 500_000
decimal.Decimal(2).sqrt().ln()
# === decimal exponent :: contained
import decimal
int(decimal.Decimal("1e100"))
# === key derivation :: denied
import hashlib
hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10**8)
# === memory-hard key derivation :: contained
import hashlib
try:
    hashlib.scrypt(b"x", salt=b"y", n=2**20, r=8, p=1)
except AttributeError as error:
    print(error)
# === random bytes :: limited
import os
while True: os.urandom(10**6)
# === clock :: limited
import time
while True: time.time()
# === sleep :: contained
import time
t = time.time()
time.sleep(3600)
print(time.time() - t < 60)
# === sleep for a minute :: contained
import time
t = time.time()
time.sleep(60)
print(time.time() - t)
# === sleep for ever :: limited
import time
while True: time.sleep(1)
# === comprehension :: limited
[x for x in iter(int, 1)]
# === generator in a generator :: limited
def g():
    while True: yield
for _ in g(): pass
# === await for ever :: limited
class A:
    def __await__(self):
        while True: yield
async def f(): await A()
c = f()
while True: c.send(None)
# === metaclass :: limited
class M(type):
    def __instancecheck__(cls, x):
        while True: pass
class X(metaclass=M): pass
isinstance(1, X)
# === format :: limited
x = "{:>2000000000}".format(1)
# === hostile format :: limited
class F:
    def __format__(self, spec):
        while True: pass
f"{F()}"
# === hostile hash in a helper's argument :: limited
class K(str):
    def __hash__(self):
        while True: pass
call_host("kb_search", query={K("a"): 1})
# === hostile iteration in a helper's argument :: limited
class L(list):
    def __iter__(self):
        while True: yield 1
kb_search(L([1]))
# === hostile length in a helper's argument :: limited
class L(list):
    def __len__(self):
        while True: pass
kb_search(L([1]))
# === hostile repr in a traceback :: contained
class E(Exception):
    def __str__(self): raise ValueError("in str")
raise E
# === endless str in a traceback :: limited
class E(Exception):
    def __str__(self):
        while True: pass
raise E
# === hostile name of an exception :: contained
class M(type):
    @property
    def __name__(cls): raise ValueError("in name")
    @property
    def __qualname__(cls): raise ValueError("in qualname")
class E(Exception, metaclass=M): pass
raise E
# === endless chain of causes :: contained
e = None
for i in range(20_000):
    new = ValueError(i)
    new.__context__ = e
    e = new
raise e
# === a cause that is itself :: contained
a = ValueError(1); b = ValueError(2)
a.__cause__ = b; b.__cause__ = a
raise a
# === many notes :: contained
e = ValueError("x")
for _ in range(2000): e.add_note("n" * 1000)
raise e
# === import for ever :: limited
import sys
class Finder:
    def find_spec(self, *a):
        while True: pass
sys.meta_path.insert(0, Finder())
import something
# === a broken finder :: contained
import sys
sys.meta_path.clear()
sys.path_hooks.clear()
# === a path that is no list :: contained
import sys
sys.path = None
sys.modules = {}
# === codec that exits :: contained
import codecs
codecs.register(lambda n: (_ for _ in ()).throw(SystemExit))
"x".encode("nothing")
