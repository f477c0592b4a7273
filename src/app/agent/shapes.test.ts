import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Capability, StepWork } from '../../core/index.ts';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { scriptedModel } from '../../model/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { capabilitySet } from '../../tools/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { loadConfiguration } from '../config/index.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { type OpenShapes, openShapes } from './shapes.ts';

const log = join(mkdtempSync(join(tmpdir(), 'sonde-shapes-')), 'app.log');
writeFileSync(log, '2026-05-12T07:00:00Z ERROR no free worker\n');

let open: { readonly shapes: OpenShapes; readonly store: Store } | undefined;
afterEach(async () => {
  await open?.shapes.close();
  open?.store.close();
});

async function dispatcher(
  may: Iterable<Capability>,
  { env = {}, root }: { env?: Readonly<Record<string, string>>; root?: string } = {},
) {
  const store = openStore(':memory:');
  const configuration = loadConfiguration({ environment: { SONDE_HOME: newHome(), ...env } });
  const [planner, analyst] = [scriptedModel([]), scriptedModel([])];
  const where = { workspace: 'main', ...(root !== undefined && { root }) };
  const shapes = await openShapes({ configuration, store, planner, analyst, ...where });
  open = { shapes, store };
  const pool = openPool(memoryLedger(), { account: 'a', run: 'r', fence: 1, limits: { tokens: 50_000 } });
  const tools = scriptedTools();
  const shared = {
    ask: async () => {
      throw new Error('nobody is asked');
    },
    step: async (key: string, { run }: StepWork<unknown>) => {
      const { value } = await run(new AbortController().signal, key);
      return { kind: 'done', value, recalled: false };
    },
    recorded: { recall: () => undefined },
    pool,
  };
  const made = (await shapes.dispatcher(tools, new Set(may)))(shared as never);
  const site = { thread: 't', namespace: '', call: 'c', role: null, config: {} };
  const task = (shape: string, params: unknown) => made.task(shape, params, site);
  return { made, task, tools, store, pool, models: [planner, analyst] };
}

it.each([
  ['a system is configured', { SONDE_LOG_FILES: log }, true],
  ['no system is configured', {}, false],
] as const)('%s: incidents and drift are offered or not', async (_, env, offered) => {
  const { made } = await dispatcher(capabilitySet('agent'), { env });
  const always = ['compaction', 'research', 'investigation'];
  const keys = made.shapes.map(({ key }) => key).filter((key) => key !== 'subagent-subgraph');
  expect(keys).toEqual([...always, ...(offered ? ['incident', 'drift'] : [])]);
});

it('a shape is listed with what it takes: over the pages, and over a folder where one is configured', async () => {
  const overs = (params: unknown) =>
    (params as { properties: { over?: { enum: string[] } } }).properties.over;
  for (const root of [undefined, tmpdir()]) {
    const { made } = await dispatcher(capabilitySet('agent'), root === undefined ? {} : { root });
    const expected = root === undefined ? ['pages'] : ['pages', 'code'];
    for (const key of ['research', 'investigation'])
      expect(overs(made.shapes.find((each) => each.key === key)?.params)?.enum).toEqual(expected);
    await open?.shapes.close();
    open?.store.close();
  }
});

// world.md: Task registry 2; Errors 5.
it.each<[shape: string, lacking: Capability, params: object]>([
  ['investigation', 'SandboxRun', { prompt: 'How many?' }],
  ['investigation', 'PagesRead', { prompt: 'How many?' }],
  ['investigation', 'SearchUse', { prompt: 'How many?' }],
  ['investigation', 'CodeRead', { prompt: 'How many?', over: 'code' }],
  ['research', 'PagesRead', { question: 'Why?' }],
  ['research', 'CodeRead', { question: 'Why?', over: 'code' }],
  ['incident', 'SignalsRead', { alert: 'it burns' }],
  ['compaction', 'PagesRead', { shape: 'research', params: { question: 'Why?' } }],
])('%s without %s is refused, and nothing was done', async (shape, lacking, params) => {
  const may = [...capabilitySet('agent')].filter((each) => each !== lacking);
  const { task, tools, store, pool, models } = await dispatcher(may, {
    env: { SONDE_LOG_FILES: log },
    root: tmpdir(),
  });
  const outcome = await task(shape, params).catch((error: unknown) => error);
  const message = expect.stringContaining(lacking);
  // Around a compaction there is a graph, and no conversation in this test to hold it.
  if (shape !== 'compaction')
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'capability', message } });
  expect(JSON.stringify(outcome)).toContain(lacking);
  expect(await store.runs.list()).toEqual([]);
  expect(tools.calls).toEqual([]);
  expect(models.flatMap(({ calls }) => calls)).toEqual([]);
  expect(pool.spent().tokens).toBe(0);
});

it.each([
  ['unknown_shape', 'fly', {}, 'there are'],
  ['bad_params', 'investigation', { prompt: 'x', over: 'the sea' }, 'over:'],
] as const)('%s says what would have fitted', async (code, shape, params, said) => {
  const { task } = await dispatcher(capabilitySet('agent'));
  const message = expect.stringContaining(said);
  expect(await task(shape, params)).toMatchObject({ kind: 'failed', error: { code, message } });
});
