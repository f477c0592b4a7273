/** Few matches and uses are shown within their definitions, and who uses what a question names is shown at once. */
import { afterAll, expect, it } from 'vitest';
import { syntaxReader } from '../../../code/index.ts';
import { memorySymbols } from '../../../code/memory-tree.contract.ts';
import { scriptedModel } from '../../../model/index.ts';
import { act, answer, openTestStore, withoutWaiting } from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';

const research = openTestStore();
const syntax = syntaxReader();
afterAll(async () => {
  research.close();
  await syntax.close();
});

const user = (n: number) =>
  ['import { addTax } from "./tax";', `export function bill${n}(net: number) {`, `  const mark${n} = 1;`]
    .concat('  return addTax(net);', '}')
    .join('\n');
const files = {
  'src/tax.ts': 'export function addTax(net: number) {\n  return net * 1.2;\n}\n',
  'src/bill1.ts': user(1),
  'src/bill2.ts': user(2),
  'tests/tax.test.ts': 'import { addTax } from "../src/tax";\nfunction testMark() {\n  return addTax(1);\n}',
};

async function said(question: string, all: Readonly<Record<string, string>>, ask?: ReturnType<typeof act>) {
  const material = { ...scriptedMaterial({ files: all }), symbols: memorySymbols(all, syntax) };
  const script = [...(ask === undefined ? [] : [ask]), answer('It was looked at.')];
  const model = scriptedModel(script);
  const models = { planner: model, analyst: model };
  await researchRun.start(
    { question, root: '/material' },
    { store: research.store, models, material, ...withoutWaiting },
  );
  return model.calls.map(({ messages }) => messages.map(({ text }) => text).join('\n'));
}

const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`src/more${n}.ts`, user(10 + n)]));

it('the users of a name in the question, in sources, within their functions', async () => {
  const [first = ''] = await said('Who calls `addTax`?', files);
  expect(first).toContain('## Uses of addTax');
  expect(first).toContain('src/bill1.ts:4| return addTax(net);');
  expect(first).toContain('const mark2 = 1;');
  expect(first).not.toContain('testMark');
});

it.each([
  [
    'that nobody uses it, with the id that shows it',
    {},
    /^ev-\w+ src\/tax\.ts:1\|.*nothing uses it: .*; complete\)$/m,
  ],
  [
    'that only tests use it',
    { 'tests/tax.test.ts': files['tests/tax.test.ts'] },
    /^ev-\w+ src\/tax\.ts:1\|.*2 uses in 1 file; complete\)$/m,
  ],
  [
    'that no use was found, which proves nothing',
    {
      'src/made.ts': 'import * as tax from "./tax";\nexport const run = (name: string) => call(tax, name);\n',
    },
    /^ev-\w+ src\/tax\.ts:1\|.*no use was found, which is no proof that there is none; unknown\)$/m,
  ],
])('of no user in sources: %s', async (_, users, expected) => {
  const [first = ''] = await said('Who calls `addTax`?', { 'src/tax.ts': files['src/tax.ts'], ...users });
  expect(first.slice(first.indexOf('## Uses of'))).toMatch(expected);
});

it('what the time cut short is made again when the model asks for it', async () => {
  let times = 0;
  const whole = memorySymbols(files, syntax);
  const symbols: typeof whole = {
    ...whole,
    async references(request) {
      const reply = await whole.references(request);
      times += 1;
      if (reply.kind !== 'listed' || times > 1) return reply;
      const why = [
        'the search stopped at its time limit; ask again to go on with the files that were not read yet',
      ];
      return { ...reply, rows: reply.rows.slice(0, 1), completeness: 'partial', why };
    },
  };
  const model = scriptedModel([act('find_references', { symbol: 'addTax' }), answer('It was looked at.')]);
  await researchRun.start(
    { question: 'Who calls `addTax`?', root: '/material' },
    {
      ...{ store: research.store, models: { planner: model, analyst: model }, ...withoutWaiting },
      material: { ...scriptedMaterial({ files }), symbols },
    },
  );
  const then = model.calls[1]?.messages.map(({ text }) => text).join('\n') ?? '';
  expect(then).not.toContain('Made before');
  expect(then).toContain('src/bill2.ts:4| return addTax(net);');
});

it('of many users only the lines', async () => {
  const [first = ''] = await said('Who calls `addTax`?', { ...files, ...many });
  const users = first.slice(first.indexOf('## Uses of'));
  expect(users).toMatch(/src\/bill1\.ts:4\| return addTax/);
  expect(users).not.toContain('const mark1 = 1;');
});

it('few matches of an expression, and a list that is complete is said to be', async () => {
  const [, then = ''] = await said('What is taxed?', files, act('grep', { pattern: 'addTax\\(net\\);' }));
  expect(then).toContain('2 matching lines in 2 files (complete)');
  expect(then).toContain('const mark1 = 1;');
});

it('many matches as lines alone', async () => {
  const over = { ...files, ...many };
  const [, then = ''] = await said('What is taxed?', over, act('grep', { pattern: 'addTax\\(net\\);' }));
  expect(then).toContain('src/bill1.ts');
  expect(then).not.toContain('const mark1 = 1;');
});

it('two definitions of one name with the uses of each', async () => {
  const both = {
    ...files,
    'src/all.ts':
      'export class All {\n  addTax() {}\n}\nexport function every(all: All) {\n  all.addTax();\n}\n',
  };
  const [, then = ''] = await said('What is taxed?', both, act('find_references', { symbol: 'addTax' }));
  expect(then).toContain('src/bill1.ts:4| return addTax(net);');
  expect(then).toContain('src/all.ts:5| all.addTax();');
});

it('uses in tests behind the first ones by their numbers', async () => {
  const calls = Array.from({ length: 9 }, () => '  addTax(2);').join('\n');
  const tested = { ...files, 'tests/tax.test.ts': `import { addTax } from "../src/tax";\n${calls}\n` };
  const [, then = ''] = await said('What is taxed?', tested, act('find_references', { symbol: 'addTax' }));
  expect(then).toContain('tests/tax.test.ts: lines 5, 6, 7, 8, 9, 10');
});

it('what a definition calls stands before its many callers', async () => {
  const tree = { ...files, ...many };
  const [, then = ''] = await said('What is taxed?', tree, act('expand_symbol', { symbol: 'bill10' }));
  expect(then).toMatch(/calls src\/tax\.ts#addTax/);
});
