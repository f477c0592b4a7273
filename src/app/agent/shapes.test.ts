import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryLedger, openPool } from '../../core/index.ts';
import { scriptedModel } from '../../model/index.ts';
import { openStore } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { loadConfiguration } from '../config/index.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { openShapes } from './shapes.ts';

const log = join(mkdtempSync(join(tmpdir(), 'sonde-shapes-')), 'app.log');
writeFileSync(log, '2026-05-12T07:00:00Z ERROR no free worker\n');

it.each([
  ['a system is configured', { SONDE_LOG_FILES: log }, ['SignalsRead'], true],
  ['no system is configured', {}, ['SignalsRead'], false],
  ['the conversation may not read signals', { SONDE_LOG_FILES: log }, ['PagesRead'], false],
] as const)('%s: investigations of incidents are offered or not', async (_, env, may, offered) => {
  const store = openStore(':memory:');
  const configuration = loadConfiguration({ environment: { SONDE_HOME: newHome(), ...env } });
  const [planner, analyst] = [scriptedModel([]), scriptedModel([])];
  const shapes = await openShapes({ configuration, store, planner, analyst, capabilities: new Set(may) });
  const shared = {
    ask: async () => {
      throw new Error('nobody is asked');
    },
    journal: { recall: () => undefined, record: (_key: string, value: unknown) => value },
    pool: openPool(memoryLedger(), { account: 'a', run: 'r', fence: 1 }),
  };
  const dispatcher = shapes.dispatcher?.(scriptedTools())(shared as never);
  expect(dispatcher?.shapes.some(({ key }) => key === 'incident') ?? false).toBe(offered);
  await shapes.close();
  store.close();
});
