"""What the profile is made from: a little of everything that cells do. See build.sh."""

import json, re, random, string
def fib(n): return n if n<2 else fib(n-1)+fib(n-2)
fib(20)
s=0
for i in range(200000): s+=i*i%7
d={}
for i in range(50000): d[str(i)]=i
x=sorted(d)
p=re.compile(r"(a+)(b|c)*d")
for i in range(500): p.search("aaabcbcbcbcbcbcx"*5)
o=[{"a":i,"b":[1,2,3],"c":"x"*20} for i in range(2000)]
for i in range(3): json.loads(json.dumps(o))
class A:
    def __init__(self,x): self.x=x
    def m(self): return self.x+1
    def __eq__(self, other): return self.x == other.x
    def __hash__(self): return hash(self.x)
t=0
for i in range(50000): t+=A(i).m()
st={A(i%100) for i in range(5000)}
words=[w.strip(string.punctuation).lower() for w in ("The quick, brown fox jumps over the lazy dog. "*500).split()]
import collections, itertools, functools, datetime, decimal, textwrap, difflib, statistics
c=collections.Counter(words); c.most_common(3)
g=collections.defaultdict(list)
for w in words: g[w[0]].append(w)
f="\n".join(f"{k}: {v:>10} {v/3:.2f}" for k,v in c.items())
def gen(n):
    for i in range(n):
        try:
            if i%5==0: raise ValueError(i)
            yield i
        except ValueError as e: yield str(e)
list(gen(5000))
text="line of log 2024-01-01T00:00:00 ERROR code=%d msg=hello\n"
log="".join(text%i for i in range(5000))
rows=[re.match(r"line of (\w+) (\S+) (\w+) code=(\d+)",l).groups() for l in log.splitlines() if "ERROR" in l]
by=sorted(rows,key=lambda r:int(r[3]),reverse=True)
m=[[i*j for j in range(40)] for i in range(40)]
tr=[list(r) for r in zip(*m)]
difflib.SequenceMatcher(None,"abcdefg"*5,"abcdxfg"*5).ratio()
statistics.mean(range(1000)); sum(decimal.Decimal(i)/7 for i in range(500))
[(a,b) for a,b in itertools.combinations(range(100),2) if a^b>5]
functools.reduce(lambda a,b:a+b, range(5000))
compile(open(__file__).read()*5,'x','exec')
"".join(reversed("abc"*1000)).replace("a","b").upper().find("ZZ")
