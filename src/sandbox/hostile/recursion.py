# Deeper than any stack.
# === a function :: denied
def f(): return f()
f()
# === limit raised :: contained
import sys
sys.setrecursionlimit(2**31 - 1)
def f(n): return f(n + 1) + 1
f(0)
# === limit lowered :: contained
import sys
sys.setrecursionlimit(10)
# === repr :: denied
x = []
for _ in range(200_000): x = [x]
repr(x)
# === comparison :: contained
import sys
sys.setrecursionlimit(2**31 - 1)
a = []; b = []
for _ in range(200_000): a = [a]; b = [b]
a == b
# === getattr :: contained
import sys
sys.setrecursionlimit(2**31 - 1)
class A:
    def __getattr__(s, n): return getattr(s, n + "x")
A().q
# === call chain :: contained
import sys
sys.setrecursionlimit(2**31 - 1)
class C: pass
c = C()
C.__call__ = c
c()
# === map chain :: contained
it = iter([1])
for _ in range(50_000): it = map(lambda x: x, it)
next(it)
# === map chain, limit raised :: contained
import sys
sys.setrecursionlimit(2**31 - 1)
it = iter([1])
for _ in range(100_000): it = map(lambda x: x, it)
next(it)
# === itertools chain :: contained
import itertools
it = iter([1])
for _ in range(200_000): it = itertools.chain(it)
next(it)
# === generator chain :: contained
def g(inner): yield from inner
it = iter([1])
for _ in range(50_000): it = g(it)
next(it)
# === partial chain :: contained
import functools
f = int
for _ in range(100_000): f = functools.partial(f)
class P(functools.partial): pass
p = int
for _ in range(50_000): p = P(p)
p()
# === parser, parentheses :: denied
eval("(" * 100_000)
# === parser, minus :: denied
eval("-" * 100_000 + "1")
# === parser, balanced :: denied
eval("[" * 2000 + "]" * 2000)
# === parser, balanced, within its limit :: kept
eval("[" * 150 + "]" * 150)
# === parser, lambdas :: denied
eval("lambda: " * 50_000 + "1")
# === compile, attributes :: denied
compile("a" + ".b" * 100_000, "x", "eval")
# === compile, indentation :: denied
compile("\n".join(" " * i + "if 1:" for i in range(200)) + "\n" + " " * 200 + "pass", "x", "exec")
# === compile, else-ifs :: contained
compile("if 1: pass\n" + "elif 1: pass\n" * 20_000, "x", "exec")
# === ast, sum :: denied
import ast
ast.literal_eval("+".join(["1"] * 50_000))
# === ast of a hostile tree :: denied
import ast
tree = ast.Expression(ast.Constant(1))
for _ in range(100_000): tree.body = ast.UnaryOp(ast.USub(), tree.body)
compile(ast.fix_missing_locations(tree), "x", "eval")
# === json, deep :: denied
import json
json.loads("[" * 1_000_000)
# === json, cyclic :: denied
import json
x = []; x.append(x)
json.dumps(x)
# === pickle, deep :: denied
import pickle
x = []
for _ in range(100_000): x = [x]
pickle.dumps(x)
# === copy, deep :: denied
import copy
x = []
for _ in range(100_000): x = [x]
copy.deepcopy(x)
# === regex, deep :: denied
import re
re.compile("(" * 50_000 + ")" * 50_000)
# === deallocation :: contained
x = None
for _ in range(3_000_000): x = (x,)
del x
# === deallocation of objects :: contained
class N: pass
n = None
for _ in range(100_000):
    m = N(); m.n = n; n = m
del n, m
# === class hierarchy :: contained
C = object
for i in range(3000): C = type(f"C{i}", (C,), {})
C().x
# === isinstance :: denied
t = int
for _ in range(100_000): t = (t,)
isinstance("", t)
# === union types :: contained
import typing
t = list[int]
for _ in range(20_000): t = list[t]
x = repr(t)
# === format :: contained
class F:
    def __format__(self, s): return format(self, s)
format(F())
# === bool :: contained
class B:
    def __bool__(self): return bool(self)
bool(B())
# === xml, deep :: contained
import xml.etree.ElementTree as E
x = E.fromstring("<a>" * 50_000 + "</a>" * 50_000)
E.tostring(x)
# === a deep value as the last expression :: contained
x = []
for _ in range(100_000): x = [x]
x
# === a deep argument :: denied
x = []
for _ in range(100_000): x = [x]
kb_search(x)
