import { afterAll, expect, test } from 'vitest';
import { bench, code, runTrial, testMaterial } from '../investigation.contract.ts';
import { investigationRun } from '../run.ts';

const open = bench();
afterAll(() => open.close());

const pages = testMaterial(
  Object.fromEntries(
    Array.from({ length: 3 }, (_, page) => [
      `p${page}.md`,
      Array.from({ length: 100 }, (_, line) => `- berth ${page}-${line}: ${page * 100 + line} tons`).join(
        '\n',
      ),
    ]),
  ),
);
const program = code(
  'found = []',
  'for path in kb_list():',
  '    for number, line in kb_read(path).lines:',
  '        found.append({"path": path, "tons": int(line.split(": ")[1].split(" ")[0])})',
  'FINAL(found)',
);

test('a list that is too long to pass on is an artifact, with the lines of each item', async () => {
  const { result, investigation, run } = await runTrial(open, { script: [program], testMaterial: pages });
  const [list] = investigation.artifacts ?? [];
  expect(list?.items).toHaveLength(300);
  expect(list!.items[217]).toEqual({
    value: { path: 'p2.md', tons: 217 },
    spans: [{ path: 'p2.md', start: 18, end: 18 }],
    flow: 'material',
  });
  expect(result.status).toBe('verified');
  expect(result.answer).toMatch(/^300 items, the first \d+:\n- \{"path":"p0.md","tons":0\}\n/);
  expect(result.answer).toContain(`sonde show ${run} --artifact list`);
  expect(investigation.result.answer).toBe(result.answer);
  expect(investigation.result.artifacts).toEqual([{ name: 'list', items: 300 }]);
  expect(Buffer.byteLength(JSON.stringify(investigation.result))).toBeLessThanOrEqual(4_096);
  const again = await investigationRun.replay(run, open.store, open.sandbox);
  expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
  expect(again.investigation.artifacts).toEqual(investigation.artifacts);
});

test('a form that is asked for is held by the whole list', async () => {
  const schema = {
    type: 'array',
    items: { type: 'object', properties: { tons: { type: 'integer' } }, required: ['tons'] },
  };
  const { investigation } = await runTrial(open, { script: [program], testMaterial: pages, schema });
  expect(investigation.artifacts?.[0]?.items).toHaveLength(300);
});

test('an item with a figure keeps its lines and its flow', async () => {
  const titles = code('FINAL([line[2:] for path in kb_list() for line in kb_read(path).split("\\n")])');
  const { investigation } = await runTrial(open, { script: [titles], testMaterial: pages });
  const items = investigation.artifacts![0]!.items;
  expect(items).toHaveLength(300);
  expect(items[217]).toEqual({
    value: 'berth 2-17: 217 tons',
    spans: [{ path: 'p2.md', start: 18, end: 18 }],
    flow: 'material',
  });
  expect(items.filter(({ flow }) => flow !== 'material')).toEqual([]);
});

test('items that stand in the code say so, and a short list is passed on as it is', async () => {
  const literal = code(
    'kb_read("p0.md")',
    'FINAL([f"stolen goods of a long name, number {n}" for n in range(200)])',
  );
  const { investigation, result } = await runTrial(open, { script: [literal], testMaterial: pages });
  expect(investigation.artifacts?.[0]?.items[3]?.flow).toBe('literal');
  expect(result.status).not.toBe('verified');
  const short = await runTrial(open, { script: [code('FINAL(kb_list())')], testMaterial: pages });
  expect(short.investigation.artifacts).toBeUndefined();
  expect(short.investigation.result.answer).toEqual(['p0.md', 'p1.md', 'p2.md']);
});

test('each item of a longer list has its lines, too', async () => {
  const twice = program
    .replace('found = []', 'found = []\nfor again in range(4):')
    .replace(/\n(for path| {4}for| {8}found)/g, '\n    $1');
  const { investigation } = await runTrial(open, { script: [twice], testMaterial: pages });
  const items = investigation.artifacts![0]!.items;
  expect(items).toHaveLength(1_200);
  expect(items.every(({ flow, spans }) => flow === 'material' && spans.length === 1)).toBe(true);
  expect(items.at(-1)).toMatchObject({
    value: { tons: 299 },
    spans: [{ path: 'p2.md', start: 100, end: 100 }],
  });
});

const found = program.replace(
  'FINAL(found)',
  'FINAL({"harbour": "north", "of": {"berths": found, "count": len(found)}})',
);
const schema = {
  type: 'object',
  properties: { harbour: { type: 'string' }, of: { type: 'object', required: ['berths'] } },
};

test('a long list within an answer is an artifact under its keys, and the rest is passed on', async () => {
  const { result, investigation, run } = await runTrial(open, {
    script: [found],
    testMaterial: pages,
    schema,
  });
  const [list] = investigation.artifacts ?? [];
  expect(list).toMatchObject({ name: 'of.berths' });
  expect(list!.items).toHaveLength(300);
  expect(list!.items[217]).toEqual({
    value: { path: 'p2.md', tons: 217 },
    spans: [{ path: 'p2.md', start: 18, end: 18 }],
    flow: 'material',
  });
  expect(result.answer).toMatch(
    /^\{"harbour":"north","of":\{"berths":"300 items","count":300\}\}\nof\.berths: 300 items, the first \d+:\n- /,
  );
  expect(result.answer).toContain(`sonde show ${run} --artifact of.berths`);
  expect(investigation.result.artifacts).toEqual([{ name: 'of.berths', items: 300 }]);
  expect(Buffer.byteLength(JSON.stringify(investigation.result))).toBeLessThanOrEqual(4_096);
  const again = await investigationRun.replay(run, open.store, open.sandbox);
  expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
  expect(again.investigation.artifacts).toEqual(investigation.artifacts);
});

test('an answer that is long without lists is handed back', async () => {
  const long = code('FINAL({"a": {str(n): n for n in range(2000)}, "b": [1, 2]})');
  const { result } = await runTrial(open, { script: [long, code('FINAL({"a": 1})')], testMaterial: pages });
  expect(result.answer).toBe('{"a":1}');
});
