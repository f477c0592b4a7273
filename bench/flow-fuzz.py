"""Random programs, each run plainly and followed: the value is the same, and a page that matters is among the origins of it,
or the flow is lost. A page matters where the value is another once one of its lines is. Run by a CPython of one's own:

    python3 bench/flow-fuzz.py PROGRAMS [SEED]
"""
import sys, types, random, collections, json, pathlib, re
import __main__

here = pathlib.Path(__file__).resolve().parent.parent / "src/tasks/investigation"
order = re.findall(r"'(\w+)'", (here / "values/flow-source.ts").read_text().split("const parts = [")[1].split("];")[0])
src = compile("\n\n".join((here / f"guest/flow/{name}.py").read_text() for name in order), "<flow>", "exec")
N = int(sys.argv[1]) if len(sys.argv) > 1 else 200
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
class Text(str):
    def __new__(cls, text, path="", start=1, end=1, total=1):
        m=super().__new__(cls,text); m.path,m.start,m.end,m.total=path,start,end,total; return m
    @property
    def lines(self): return [(self.start+i,l) for i,l in enumerate(self.split("\n"))]
class EndCell(BaseException): pass
class State: pages={}; said=[]
def kb_list(): return list(State.pages)
def kb_read(p): return Text(State.pages[p],p)
def FINAL(answer): State.said.append(answer); raise EndCell()
for f in (kb_list,kb_read,FINAL): setattr(__main__,f.__name__,f)
W=["pool","retry","TODO","x","y7","12","40","a=3","b=5","k: v","zz"]
def pages(r):
    return {f"{c}.md":"\n".join(" ".join(r.choice(W) for _ in range(r.randint(1,3))) for _ in range(r.randint(2,4))) for c in "abc"[:r.randint(1,3)]}
class Gen:
    def __init__(s,r): s.r=r; s.n=0; s.nums=[]; s.strs=[]; s.lists=[]; s.dicts=[]; s.sets=[]; s.funcs=[]; s.gens=[]; s.depth=0; s.loop=0; s.objs=[]
    def new(s,p): s.n+=1; return f"{p}{s.n}"
    def S(s,d=0):
        r=s.r; c=r.random()
        if s.strs and c<.5: return r.choice(s.strs)
        if d>2 or c<.6: return r.choice(['kb_read("a.md")','"TODO"','"x"','"12"'])
        a=s.S(d+1)
        return r.choice([f'{a}.strip()',f'{a}.upper()',f'{a}[1:4]',f'({a} + {s.S(d+1)})',f'f"{{{s.I(d+1)}}}-{{{a}}}"',f'{a}.replace("x", "q")',f'({a} if {s.B(d+1)} else {s.S(d+1)})',f'"/".join({s.L(d+1)})',f'({s.L(d+1)} or ["none"])[0]',f'({s.L(d+1)} or ["none"])[-1]',f'{a}.partition(" ")[0]',f'max({s.L(d+1)} or ["m"])', f'str({s.I(d+1)})', f'next(iter({s.L(d+1)}), "d")', f'{s.D(d+1)}.get("a.md", "g")'])
    def I(s,d=0):
        r=s.r; c=r.random()
        if s.nums and c<.4: return r.choice(s.nums)
        if d>2 or c<.5: return str(r.randint(0,5))
        return r.choice([f'len({s.S(d+1)})',f'len({s.L(d+1)})',f'({s.I(d+1)} + {s.I(d+1)})',f'{s.S(d+1)}.count("x")',f'({s.I(d+1)} if {s.B(d+1)} else {s.I(d+1)})',f'sum(1 for q in {s.L(d+1)} if {s.Bq("q")})',f'{s.S(d+1)}.find("TODO")',f'max({s.I(d+1)}, {s.I(d+1)})',f'len({s.D(d+1)})',f'int({s.B(d+1)})', f'len({{*{s.L(d+1)}}})', f'sum(len(q) for q in {s.L(d+1)})'])
    def Bq(s,v): return s.r.choice([f'"x" in {v}',f'len({v}) > 4',f'{v}.startswith("T")',f'{v} != "TODO"'])
    def B(s,d=0):
        r=s.r
        return r.choice([lambda:f'"TODO" in {s.S(d+1)}',lambda:f'{s.I(d+1)} > {s.I(d+1)}',lambda:f'{s.S(d+1)}.startswith("x")',lambda:f'{s.S(d+1)} in {s.L(d+1)}',lambda:f'not {s.L(d+1)}',lambda:f'any({s.Bq("q")} for q in {s.L(d+1)})',lambda:f'all({s.Bq("q")} for q in {s.L(d+1)})',lambda:f'({s.B(d+1)} and {s.B(d+1)})' if d<2 else 'True',lambda:f'({s.B(d+1)} or {s.B(d+1)})' if d<2 else 'False', lambda:f'{s.I(d+1)} == {s.I(d+1)}', lambda:f'"a.md" in {s.D(d+1)}'])()
    def L(s,d=0):
        r=s.r; c=r.random()
        if s.lists and c<.5: return r.choice(s.lists)
        if d>2 or c<.55: return r.choice(['kb_list()','["x", "TODO"]','[]'])
        return r.choice([f'{s.S(d+1)}.split("\\n")',f'{s.S(d+1)}.split()',f'sorted({s.L(d+1)})',f'[q for q in {s.L(d+1)} if {s.Bq("q")}]',f'[q.upper() for q in {s.L(d+1)}]',f'{s.L(d+1)}[:2]',f'({s.L(d+1)} + {s.L(d+1)})',f'sorted({s.L(d+1)}, key=len)',f'list(reversed({s.L(d+1)}))',f'[q for q in {s.D(d+1)}]', f'sorted({{q for q in {s.L(d+1)}}})', f'[v for k, v in sorted({s.D(d+1)}.items())]', f'[l for n, l in kb_read("a.md").lines]', f'[q + str(n) for n, q in enumerate({s.L(d+1)})]', f'[p for p, q in zip({s.L(d+1)}, {s.L(d+1)}) if p != q]', f'list(filter(None, {s.L(d+1)}))'])
    def D(s,d=0):
        r=s.r
        if s.dicts and r.random()<.7: return r.choice(s.dicts)
        if d>2: return '{"a.md": "w"}'
        return r.choice([f'{{p: kb_read(p) for p in kb_list()}}',f'{{q: q.upper() for q in {s.L(d+1)}}}',f'dict(zip({s.L(d+1)}, {s.L(d+1)}))', '{"a.md": "w"}'])
    def block(s,ind,k):
        saved=[list(x) for x in (s.nums,s.strs,s.lists,s.dicts,s.sets,s.objs)]
        s.depth+=1; out=[]
        for _ in range(k): out+=s.stmt(ind)
        s.depth-=1
        s.nums,s.strs,s.lists,s.dicts,s.sets,s.objs=saved
        return out or ["    "*ind+"pass"]
    def stmt(s,ind):
        r=s.r; I="    "*ind; c=r.random()
        if c<.12: n=s.new("n"); e=s.I(); s.nums.append(n); return [f"{I}{n} = {e}"]
        if c<.22: n=s.new("s"); e=s.S(); s.strs.append(n); return [f"{I}{n} = {e}"]
        if c<.32: n=s.new("l"); e=s.L(); s.lists.append(n); return [f"{I}{n} = list({e})"]
        if c<.38: n=s.new("d"); e=s.D(); s.dicts.append(n); return [f"{I}{n} = dict({e})"]
        if c<.46 and s.nums: return [f"{I}{r.choice(s.nums)} {r.choice(['+=','-=','='])} {s.I()}"]
        if c<.53 and s.lists:
            v=r.choice(s.lists); return [f"{I}{v}"+r.choice([f".append({s.S()})",f".extend({s.L()}[:3])",f".insert(0, {s.S()})",".reverse()",".sort()",f" += [{s.S()}]"])]
        if c<.58 and s.dicts: return [f"{I}{r.choice(s.dicts)}[{s.S()}] = {s.S()}"]
        if s.depth<3:
            if c<.68:
                o=[f"{I}if {s.B()}:"]+s.block(ind+1,r.randint(1,2))
                if s.loop and r.random()<.4: o.append("    "*(ind+1)+r.choice(["break","continue"]))
                if r.random()<.4: o+=[f"{I}else:"]+s.block(ind+1,r.randint(1,2))
                return o
            if c<.80:
                v=s.new("v"); o=[f"{I}for {v} in {s.L()}[:4]:"]; s.strs.append(v); s.loop+=1
                o+=s.block(ind+1,r.randint(1,3)); s.loop-=1; s.strs.remove(v); return o
            if c<.84:
                m=s.S(); o=[f"{I}match {m}.split():"]
                a,b=s.new("m"),s.new("m"); lp=s.loop; 
                s.strs.append(a); o+=[f"{I}    case [{a}]:"]+s.block(ind+2,1); s.strs.remove(a)
                s.strs.append(a); s.lists.append(b); o+=[f"{I}    case ['TODO' | 'x' as {a}, *{b}]:"]+s.block(ind+2,1); s.strs.remove(a); s.lists.remove(b)
                o+=[f"{I}    case _:"]+s.block(ind+2,1); return o
            if c<.88 and s.depth==0:
                f=s.new("f"); a=s.new("p"); saved=(s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop); s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=list(s.nums) if False else [],[a],[],[],[],0
                o=[f"{I}def {f}({a}):"]; 
                n=s.new("n"); o.append(f"{I}    {n} = {s.I()}"); s.nums.append(n)
                o+=s.block(ind+1,r.randint(1,2)); e=s.I() if r.random()<.5 else n
                o+=[f"{I}    if {s.B()}:",f"{I}        return {s.I()}",f"{I}    return {e}"]
                s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=saved
                v=s.new("n"); s.nums.append(v); return o+[f"{I}{v} = {f}({s.S()})"]
            if c<.92 and s.depth==0:
                f=s.new("g"); a=s.new("p"); saved=(s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop); s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=[],[],[a],[],[],0
                q=s.new("q"); s.strs.append(q)
                o=[f"{I}def {f}({a}):",f"{I}    for {q} in {a}:",f"{I}        if {s.B()}:",f"{I}            yield {s.S()}"]+([f"{I}        else:",f"{I}            yield from {s.L()}"] if r.random()<.4 else [])
                s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=saved
                v=s.new("l"); s.lists.append(v); return o+[f"{I}{v} = list({f}({s.L()}[:4]))[:6]"]
            if c<.96 and s.depth==0:
                k=s.new("C"); ob=s.new("o"); saved=(s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop); s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=["self.n"],["t"],["self.items"],[],[],0
                o=[f"{I}class {k}:",f"{I}    def __init__(self):",f"{I}        self.n, self.items = 0, []",f"{I}    def add(self, t):",f"{I}        if {s.B()}:",f"{I}            self.n += {s.I()}",f"{I}        self.items.append({s.S()})"]
                s.nums,s.strs,s.lists,s.dicts,s.objs,s.loop=saved
                v=s.new("v"); o+=[f"{I}{ob} = {k}()",f"{I}for {v} in {s.L()}[:3]:",f"{I}    {ob}.add({v})"]
                s.nums.append(f"{ob}.n"); s.lists.append(f"{ob}.items"); return o
            if c<.98:
                o=[f"{I}try:"]+[f"    {I}{s.new('n')} = int({s.S()})"]+s.block(ind+1,1)+[f"{I}except ValueError:"]+s.block(ind+1,1); return o
            f=s.new("h"); n=s.new("n"); 
            if s.depth==0:
                v=s.new("n"); s.nums.append(v)
                return [f"{I}def {f}(t):",f"{I}    {n} = 0",f"{I}    def up(k):",f"{I}        nonlocal {n}",f"{I}        {n} += k",f"{I}    for q in t.split():",f"{I}        if {s.Bq('q')}:",f"{I}            up(len(q))",f"{I}    return {n}",f"{I}{v} = {f}({s.S()})"]
        n=s.new("n"); e=s.I(); s.nums.append(n); return [f"{I}{n} = {e}"]
    def program(s):
        out=[]
        for _ in range(s.r.randint(3,8)): out+=s.stmt(0)
        e=s.r.choice([s.I,s.I,s.L])()
        return "\n".join(out+[f"FINAL({e})"])
import signal
class TooLong(BaseException): pass
def alarm(*_): raise TooLong()
signal.signal(signal.SIGALRM,alarm)
def plain(prog,pg):
    State.pages=pg; State.said=[]
    g={'kb_list':kb_list,'kb_read':kb_read,'FINAL':FINAL,'__name__':'__main__','EndCell':EndCell}
    try: exec(compile(prog,'c','exec'),g); return ('none',None)
    except EndCell: return ('ok',json.dumps(State.said[-1]))
    except RecursionError: return ('skip',None)
    except Exception as e: return ('err',type(e).__name__)
def main():
    bad=collections.Counter(); ran=0; lost=0; unsup=collections.Counter()
    for i in range(N):
        r=random.Random(SEED*1000003+i); pg=pages(r)
        try: prog=Gen(r).program(); compile(prog,'c','exec')
        except SyntaxError as e: bad['syntax']+=1; continue
        signal.setitimer(signal.ITIMER_REAL,3)
        try:
            a=plain(prog,pg)
            m=types.ModuleType('f'); exec(src,m.__dict__)
            State.pages=pg; State.said=[]
            told=m.run_cell(prog)
            if told['ended']=='unsupported': unsup[told['error']]+=1; continue
            b=('ok',json.dumps(State.said[-1])) if State.said else ('err',told['error'].split(':')[0])
            if a!=b: bad['value']+=1; print('VALUE',i,a,b,told['error']); print(prog); print(pg) if bad['value']<3 else 0; continue
            if a[0]!='ok': continue
            ran+=1
            l=told['leaves'][0]
            if l['lost'] or 'lost' in str(l['sources']): lost+=1; continue
            spans=collections.defaultdict(set)
            for p,x,y in l['spans']: spans[p]|=set(range(x,y+1))
            done=False
            for p in pg:
                lines=pg[p].split("\n")
                for k in range(len(lines)):
                    if k+1 in spans[p]: continue
                    for new in ("", "TODO x x", "x", "zz TODO 12", "zz\x20pool"):
                        if new==lines[k]: continue
                        q=dict(pg); q[p]="\n".join(lines[:k]+[new]+lines[k+1:])
                        c=plain(prog,q)
                        if c[0]=='ok' and c!=a:
                            bad['origin']+=1; done=True
                            if bad['origin']<=int(sys.argv[4] if len(sys.argv)>4 else 3): print('ORIGIN',i,p,k+1,repr(lines[k]),'->',repr(new),a,c,dict(spans)); print(prog); print(pg)
                            break
                    if done: break
                if done: break
        except TooLong: bad['slow']+=1
        finally: signal.setitimer(signal.ITIMER_REAL,0)
    print('programs',N,'compared',ran,'lost',lost,'bad',dict(bad),'unsupported',dict(unsup))
main()
