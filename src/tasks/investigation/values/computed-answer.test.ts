import { afterAll, describe, expect, test } from 'vitest';
import { SondeError } from '../../../core/index.ts';
import type { Sandbox, Session } from '../../../sandbox/index.ts';
import { bench, code, runTrial, testMaterial } from '../investigation.contract.ts';

const open = bench();
afterAll(() => open.close());

const notes = {
  'a.md': '# A\nTODO one\nsee [[b]]\nport: 8080',
  'b.md': '# B\nnothing\nTODO two',
  'c.md': 'count: 5\ncount: 7\n{"size": 3}',
};
const all = ['a.md:1-4', 'b.md:1-3', 'c.md:1-3'];

async function computed(cells: readonly string[], more: Parameters<typeof runTrial>[1] = {}) {
  const script = cells.map((one) => code(one));
  const { investigation, result } = await runTrial(open, {
    script,
    testMaterial: testMaterial(notes),
    ...more,
  });
  const { values = [] } = investigation.computed ?? {};
  const at = (...place: (string | number)[]) => {
    const value = values.find(
      (one) => JSON.stringify(one.at) === JSON.stringify(place) && one.stretch === undefined,
    );
    const spans = value?.spans.map(({ path, start, end }) => `${path}:${start}-${end}`);
    return value && { flow: value.flow, spans };
  };
  return { result, computed: investigation.computed, at };
}

/** Of each program: the whole answer's flow, and the lines that flowed into it. */
const flows: readonly (readonly [name: string, program: string, flow: string, spans: readonly string[]])[] = [
  ['a slice of a text', 'FINAL(kb_read("a.md")[4:12])', 'material', ['a.md:2-2']],
  ['split, strip, lower', 'FINAL(kb_read("b.md").split("\\n")[2].strip().lower())', 'material', ['b.md:3-3']],
  [
    'lines',
    'FINAL([line for n, line in kb_read("a.md").lines if "port" in line][0])',
    'material',
    ['a.md:4-4'],
  ],
  ['partition', 'FINAL(int(kb_read("a.md").rpartition(": ")[2]))', 'material', ['a.md:4-4']],
  ['a line that was found', 'FINAL(kb_find("TODO")[1].text[5:])', 'material', ['b.md:3-3']],
  ['where it was found', 'FINAL(kb_find("TODO")[1].line)', 'material', ['b.md:3-3']],
  ['how many were found', 'FINAL(len(kb_find("TODO")))', 'material', ['a.md:2-2', 'b.md:3-3']],
  ['what was found nowhere', 'FINAL(len(kb_find("zzz")))', 'material', []],
  [
    'a sum over what was found',
    'FINAL(sum(int(hit.text.split(": ")[1]) for hit in kb_find("count: ")))',
    'material',
    ['c.md:1-2'],
  ],
  [
    'found lines by their paths',
    'from collections import defaultdict\nby = defaultdict(list)\nfor hit in kb_find("TODO", ignore_case=True):\n    by[hit["path"]].append(hit["text"].strip())\nFINAL(by["a.md"])',
    'material',
    ['a.md:2-2'],
  ],
  [
    'what was found, where all was looked through',
    'found = kb_find("count")\nFINAL(len(found) if found.complete and kb_list().complete else -1)',
    'material',
    ['c.md:1-2'],
  ],
  [
    'a group of a match',
    'import re\nFINAL(re.search(r"port: (\\d+)", kb_read("a.md"))[1])',
    'material',
    ['a.md:4-4'],
  ],
  ['findall', 'import re\nFINAL(re.findall(r"count: (\\d+)", kb_read("c.md"))[1])', 'material', ['c.md:2-2']],
  ['a text turned round', 'FINAL(kb_read("a.md")[::-1][0:4])', 'material', ['a.md:1-4']],
  [
    'join',
    'FINAL("/".join([kb_read("a.md")[0:3], kb_read("b.md")[0:3]]))',
    'material',
    ['a.md:1-1', 'b.md:1-1'],
  ],
  [
    'json.loads',
    'import json\nFINAL(json.loads(kb_read("c.md").split("\\n")[2])["size"])',
    'material',
    ['c.md:3-3'],
  ],
  ['sorted', 'FINAL(sorted(kb_read("b.md").split("\\n"))[0])', 'material', ['b.md:1-1']],
  [
    'len of one text of two',
    'a = kb_read("a.md")\nb = kb_read("b.md")\nFINAL(len(a))',
    'material',
    ['a.md:1-4'],
  ],
  [
    'one of a dict',
    't = {p: kb_read(p) for p in kb_list()}\nFINAL(t["c.md"].count("count"))',
    'material',
    ['c.md:1-3'],
  ],
  [
    'sum',
    'FINAL(sum(int(line.split(": ")[1]) for line in kb_read("c.md").split("\\n")[:2]))',
    'material',
    ['c.md:1-3'],
  ],
  [
    'Counter',
    'from collections import Counter\nc = Counter(line.split()[0] for p in kb_list() for line in kb_read(p).split("\\n"))\nFINAL(c["TODO"])',
    'material',
    ['a.md:2-2', 'b.md:3-3'],
  ],
  [
    'a count of all that was looked at',
    'n = 0\nfor p in kb_list():\n    if "zzz" in kb_read(p):\n        n += 1\nFINAL(n)',
    'material',
    all,
  ],
  [
    'a count that skips',
    'n = 0\nfor p in kb_list():\n    if "TODO" not in kb_read(p):\n        continue\n    n += 1\nFINAL(n)',
    'material',
    all,
  ],
  [
    'a function, an item of a list',
    'def first(lines):\n    return lines[0]\nFINAL(first([kb_read("b.md").split("\\n")[1], kb_read("a.md")]))',
    'material',
    ['b.md:2-2'],
  ],
  [
    'an operator of what was overwritten',
    'a = kb_read("a.md")\na = kb_read("b.md")\nFINAL(len(a))',
    'material',
    ['b.md:1-3'],
  ],
  ['a text in the code', 'kb_read("a.md")\nFINAL("TODO one")', 'literal', []],
  ['a number in the code', 'kb_read("a.md")\nn = 8080\nFINAL(n)', 'literal', []],
  ['json of a literal', 'import json\nkb_read("a.md")\nFINAL(json.loads("[8080]")[0])', 'literal', []],
  ['what a model said', 'FINAL(llm_query("how many?", kb_read("a.md")))', 'model', []],
  [
    'shuffled',
    'import random\nx = kb_read("a.md").split("\\n")\nrandom.shuffle(x)\nFINAL(sorted(x)[0])',
    'lost',
    [],
  ],
  [
    'a class',
    'class Page:\n    def __init__(self, text):\n        self.text = text\nFINAL(len(Page(kb_read("a.md")).text))',
    'material',
    ['a.md:1-4'],
  ],
  [
    'a class with what it adds up',
    'class Sum:\n    def __init__(self):\n        self.n = 0\n    def add(self, line):\n        if "count" in line:\n            self.n += int(line.split(": ")[1])\ns = Sum()\nfor line in kb_read("c.md").split("\\n")[:2]:\n    s.add(line)\nFINAL(s.n)',
    'material',
    ['c.md:1-3'],
  ],
  [
    'a class of data',
    'from dataclasses import dataclass\n@dataclass\nclass Row:\n    path: str\n    head: str\nrows = [Row(p, kb_read(p).split("\\n")[0]) for p in ["a.md", "b.md"]]\nFINAL(rows[1].head)',
    'material',
    ['b.md:1-1'],
  ],
  ['a class of numbers', 'class N(int):\n    pass\nFINAL(N(len(kb_read("a.md"))) + 0)', 'lost', []],
  [
    'a generator',
    'def todos(text):\n    for line in text.split("\\n"):\n        if "TODO" in line:\n            yield line\nFINAL(next(todos(kb_read("b.md"))))',
    'material',
    ['b.md:3-3'],
  ],
  [
    'a name of the function around',
    'def count(text):\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n    for line in text.split("\\n"):\n        if "TODO" in line:\n            up()\n    return n\nFINAL(count(kb_read("b.md")))',
    'material',
    ['b.md:1-3'],
  ],
  [
    'match',
    'match kb_read("c.md").split("\\n")[1].split(": "):\n    case ["count", n]:\n        FINAL(int(n))\n    case _:\n        FINAL(0)',
    'material',
    ['c.md:2-2'],
  ],
  ['a class, and a literal', 'class Page:\n    pass\nkb_read("a.md")\nFINAL(7)', 'literal', []],
  [
    'an unknown function over a list',
    'import heapq\nh = [len(kb_read("a.md"))]\nheapq.heappush(h, len(kb_read("b.md")))\nFINAL(h[0])',
    'lost',
    [],
  ],
];

describe('what flowed into a value', () => {
  test.each(flows)('%s', async (_, program, flow, spans) => {
    const found = await computed([program]);
    expect(found.computed?.again).toBe('same');
    expect(found.at()).toEqual({ flow, spans });
  });
});

describe('a value that a cell computed', () => {
  test('is told with its cell, and carries the answer', async () => {
    const { computed: found, result } = await computed(['pages = kb_list()', 'FINAL(len(pages))']);
    expect(found).toMatchObject({ cell: 'root/t2.1', again: 'same', values: [{ sources: ['listing'] }] });
    expect(result.status).toBe('verified');
  });

  test('a literal carries nothing', async () => {
    const { result } = await computed(['kb_read("a.md")\nFINAL(2)']);
    expect(result.status).toBe('unverified');
  });

  test('a literal is none the less one for standing in an earlier cell, where its way is lost', async () => {
    const wrap = 'class N(int):\n    pass\nkb_read("a.md")\n';
    const { result } = await computed(['n = 8080', `${wrap}FINAL(N(n) + 0)`]);
    expect(result.claims).toMatchObject([
      { verdict: 'unclear', why: expect.stringContaining('as a literal') },
    ]);
    const { result: counted } = await computed([wrap, 'FINAL(N(len(kb_read("a.md"))) + 0)']);
    expect(counted.claims).toMatchObject([{ verdict: 'computed' }]);
  });

  test.each<[string, string, string]>([
    ['All pages hold {n}.', 'unclear', 'neither the cell nor the lines it read mention "All"'],
    ['Total: {n}', 'computed', 'From'],
    ['There are {n} pages with a TODO.', 'computed', 'From'],
    ['The harbour has {n} stolen cranes.', 'unclear', '"stolen"'],
  ])('what is said of it is held against the code and the lines: %s', async (said, verdict, why) => {
    const { result } = await computed([
      `n = sum("TODO" in kb_read(p) for p in kb_list())\nFINAL(f"${said}")`,
      `FINAL(f"${said}")`,
    ]);
    expect(result.claims).toMatchObject([{ verdict, why: expect.stringContaining(why) }]);
  });

  test('each item of a list has its own lines', async () => {
    const { at } = await computed([
      'out = []\nfor p in kb_list():\n    for n, line in kb_read(p).lines:\n        if "TODO" in line:\n            out.append({"path": p, "line": n, "text": line.strip()})\nFINAL(out)',
    ]);
    expect(at(0)).toEqual({ flow: 'material', spans: ['a.md:2-2'] });
    expect(at(1, 'text')).toEqual({ flow: 'material', spans: ['b.md:3-3'] });
  });

  test('of a text, which stretches were computed', async () => {
    const { computed: found } = await computed([
      'n = sum("TODO" in kb_read(p) for p in kb_list())\nFINAL(f"{n} of 9 pages have a TODO.")',
    ]);
    expect(found?.values.filter(({ stretch }) => stretch !== undefined)).toMatchObject([
      { stretch: '2', flow: 'material', count: 3 },
    ]);
  });

  const sums = 'n = sum("TODO" in kb_read(p) for p in kb_list())\nb = kb_read("b.md")\n';
  test.each<[string, string, readonly string[], string]>([
    ['join', 'FINAL(" ".join(["There are", str(n), "in 9 pages."]))', ['2'], 'material'],
    [
      'join of what was put together',
      'FINAL("\\n".join([f"- {n} have one.", "- 9 have none."]))',
      ['2'],
      'material',
    ],
    ['format', 'FINAL("{} of 9, or {share:.1f} %".format(n, share=n / 3))', ['2', '0.7'], 'material'],
    [
      'format by place',
      'FINAL("{1} in {0}: {1}".format(b.split("\\n")[0], n))',
      ['2', '# B', '2'],
      'material',
    ],
    ['a per cent sign', 'FINAL("%d of 9, or %.1f %%" % (n, n / 3))', ['2', '0.7'], 'material'],
    ['a per cent sign by name', 'FINAL("%(n)d of 9" % {"n": n})', ['2'], 'material'],
    ['one value after a per cent sign', 'FINAL("%s of 9" % n)', ['2'], 'material'],
    ['+ and +=', 'a = "in all " + str(n)\na += " of 9"\nFINAL(a)', ['2'], 'material'],
    ['a text within a text', 'a = f"{n} of 9"\nFINAL(f"In all {a}.")', ['2'], 'material'],
    ['a text that was stripped', 'FINAL(f" {n} of 9 ".strip())', ['2'], 'lost'],
    ['a class', 'class N(int):\n    pass\nFINAL(f"{N(n)} of 9")', ['2'], 'lost'],
    ['a literal beside a class', 'class N(int):\n    pass\nFINAL("2 of 9")', [], 'lost'],
  ])(
    'of a text, what was computed of it and what stands in the code: %s',
    async (_, program, wanted, flow) => {
      const { computed: found } = await computed([`${sums}${program}`]);
      const stretches = (found?.values ?? []).filter(({ stretch }) => stretch !== undefined);
      expect(stretches.map(({ stretch }) => stretch).sort()).toEqual([...wanted].sort());
      expect(stretches.every((one) => one.flow === flow)).toBe(true);
    },
  );

  test('of a text that lost its way, nothing is computed where a model was asked', async () => {
    const program =
      'import textwrap\nn = llm_query("how many?", kb_read("a.md"))\nFINAL(textwrap.dedent(f"{len(n)} of 9"))';
    const { computed: found } = await computed([program]);
    expect(found?.values.filter(({ stretch }) => stretch !== undefined)).toEqual([]);
  });

  test('a figure beside one that stands in a cited line', async () => {
    const { result } = await computed([
      'raise ValueError("x")',
      'a, c = kb_read("a.md"), kb_read("c.md")\ntotal = sum(int(line.split(": ")[1]) for line in c.split("\\n")[:2])',
      'FINAL(f\'Together they are {total}, and a line says "port: 8080" {a.cite(4, 4)}.\')',
    ]);
    expect(result).toMatchObject({ status: 'verified', claims: [{ verdict: 'computed' }] });
  });

  test('that comes out otherwise when it is run again is not computed', async () => {
    const { computed: found, result } = await computed(['FINAL(len(kb_list()))'], {
      setting: { sandbox: withOtherSecond('FINAL(len(kb_list()) + 1)') },
    });
    expect(found).toMatchObject({ again: 'other', values: [] });
    expect(result.status).toBe('unverified');
  });

  test('is followed to its FINAL, whatever the code would do after it', async () => {
    const code = 'try:\n    FINAL(len(kb_list()))\nexcept BaseException:\n    while True: pass';
    const { computed: found } = await computed([code], { limits: { fuel: 200_000_000 } });
    expect(found).toMatchObject({ again: 'same', values: [{ sources: ['listing'] }] });
  });

  test('that can not be run again is not computed', async () => {
    const { computed: found, result } = await computed(['FINAL(len(kb_list()))'], {
      setting: { sandbox: withOtherSecond(null) },
    });
    expect(found).toMatchObject({ again: 'unable' });
    expect(result.status).toBe('unverified');
  });
});

/** The first session is as it is; later ones run other code, or are lost. */
function withOtherSecond(code: string | null): Pick<Sandbox, 'open' | 'restore'> {
  const { sandbox } = open;
  let opened = 0;
  return {
    restore: (bytes, options) => sandbox.restore(bytes, options),
    async open(options) {
      opened += 1;
      if (opened === 1) return sandbox.open(options);
      if (code === null) throw new SondeError('sandbox_ended', { message: 'the worker is gone' });
      const session = await sandbox.open(options);
      return { ...boundTo(session), execute: (_, given) => session.execute(code, given) };
    },
  };
}

const boundTo = (session: Session): Session => ({
  image: session.image,
  execute: (code, options) => session.execute(code, options),
  variables: () => session.variables(),
  read: (name) => session.read(name),
  checkpoint: () => session.checkpoint(),
  close: () => session.close(),
});

describe('an answer that is a text', () => {
  test.each([
    ['copied out of a line', 'FINAL(kb_read("a.md").split("\\n")[1])', 'TODO one'],
    ['one computed word', 'FINAL(kb_read("a.md")[4:8].lower())', 'todo'],
    [
      'a hash, whose flow is lost',
      'import hashlib\nFINAL(hashlib.md5(kb_read("a.md").encode()).hexdigest())',
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ],
  ])('%s is computed', async (_, program, answer) => {
    const { result } = await computed([program]);
    expect(result).toMatchObject({ status: 'verified', answer, claims: [{ verdict: 'computed' }] });
  });

  test.each([
    ['written in the code', 'FINAL("TODO one")'],
    ['composed with words of the code', 'FINAL(f"Only {kb_read(\'a.md\')[4:8]} is ever done")'],
    ['composed in a way that is not followed', 'FINAL("Only %s is ever done" % kb_read("a.md")[4:8])'],
  ])('%s is not', async (_, program) => {
    const { result } = await computed([program]);
    expect(result.status).not.toBe('verified');
  });
});
