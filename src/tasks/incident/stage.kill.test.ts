/** `kill -9` of a real process in every stage, at its first event and in its middle; each time the next goes on. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../store/index.ts';
import { stageNames } from './state.ts';

const worker = fileURLToPath(new URL('./stage-worker.contract.ts', import.meta.url));

function run(database: string, told: string, stage: string, events: number) {
  const child = spawn(process.execPath, [worker, database, 'run-1', told, stage, String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise<{ readonly signal: string | null; readonly said: string }>((resolve) =>
    child.on('close', (_, signal) => resolve({ signal, said })),
  );
}

const places = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-stages-'));
  return { database: join(folder, 'sonde.db'), told: join(folder, 'told') };
};
const lines = (told: string): readonly string[] => readFileSync(told, 'utf8').trim().split('\n');
const bare = (said: string) => ({
  ...(JSON.parse(said) as Record<string, unknown>),
  run_id: '',
  spent: null,
});

/** Events of each stage in a run that nobody kills. */
async function eventsOf(database: string): Promise<ReadonlyMap<string, number>> {
  const store = openStore(database);
  const counts = new Map<string, number>();
  let stage = '';
  for (const { event } of await store.events('run-1')) {
    const began = event.kind === 'note' ? /^stage (\w+)$/.exec(event.text)?.[1] : undefined;
    stage = began ?? stage;
    if (stage !== '') counts.set(stage, (counts.get(stage) ?? 0) + 1);
  }
  await store.close();
  return counts;
}

describe('killed once in every stage, one after the other', async () => {
  const whole = places();
  const undisturbed = await run(whole.database, whole.told, 'none', 0);
  const counts = await eventsOf(whole.database);

  it.each([
    ['at its first event', () => 0],
    ['in its middle', (stage: string) => Math.floor((counts.get(stage)! - 1) / 2)],
  ])('%s: the same result, and nothing that was answered is asked twice', async (_, eventsOfStage) => {
    const { database, told } = places();
    const killed: string[] = [];
    for (const stage of stageNames) {
      // A stage that begins with nothing to keep is kept with the one after it, and was killed with it.
      if (killed.length > 0 && (await eventsOf(database)).has(stage)) continue;
      killed.push(stage);
      const { signal } = await run(database, told, stage, eventsOfStage(stage));
      expect({ stage, signal }).toEqual({ stage, signal: 'SIGKILL' });
    }
    expect(killed.length).toBeGreaterThanOrEqual(4);
    const last = await run(database, told, 'none', 0);
    expect(last.signal).toBeNull();
    expect(bare(last.said)).toEqual(bare(undisturbed.said));
    // What was under way when the process died may be asked again; all else is on record.
    const again = lines(told).length - lines(whole.told).length;
    expect(again).toBeLessThanOrEqual(stageNames.length);
    expect(new Set(lines(told))).toEqual(new Set(lines(whole.told)));
    expect(lines(told).filter((line) => line === 'deliver').length).toBeLessThanOrEqual(2);
  });
});
