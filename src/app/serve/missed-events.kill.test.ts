/** What is done to a workspace while no server runs, and what a person starts by hand: started once, and asked about once. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { stateOf } from '../agent/turns.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

let home: string;
let path: string;
beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home);
});
const run = (...args: string[]) => sonde(args, { home });
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

/** A folder of notes, imported. */
async function importNotes(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-notes-'));
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, `${name}.md`), `About ${name}.\n`);
  const { status, stderr } = await run('world', 'import', folder);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
const notes = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`);

async function withSessions<Value>(work: (sessions: ReturnType<typeof openSessionsIn>) => Promise<Value>) {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const sessions = openSessionsIn(db);
  try {
    return await work(sessions);
  } finally {
    await sessions.close();
    db.close();
  }
}
const firesOf = (id: string) => withSessions(({ schedules }) => schedules.fires(id));

describe('an import while no server runs', () => {
  const rule = ['--on', 'create_page', '--thread', 'watching'] as const;

  it('is one event for the first server, however often it is killed, and none for a later rule', async () => {
    await importNotes(notes(3, 'older'));
    await run('schedule', 'add', 'watch', 'the lamp', ...rule);
    await importNotes(notes(60, 'page'));
    await sonde(['world', 'edit', '/Harbour/New', '--from', '-'], { home, input: 'Fresh paint.\n' });
    await run('schedule', 'add', 'late', 'the lamp', ...rule);
    for (const lived of [900, 1_500, 2_500, 4_000]) {
      const host = startSonde(['serve', '--port', '0'], { home });
      await host.waitFor((said) => said.includes('workspace at '));
      await new Promise((done) => setTimeout(done, lived));
      host.child.kill('SIGKILL');
      await host.ended;
    }
    const host = startSonde(['serve', '--port', '0'], { home });
    try {
      await host.waitFor(async () => (await firesOf('watch')).some(({ state }) => state === 'done'));
      const [fire, ...others] = await firesOf('watch');
      expect(others).toEqual([]);
      expect(fire!.payload).toMatchObject({ name: 'create_page', payload: { events: 2 } });
      expect(await firesOf('late')).toEqual([]);
    } finally {
      host.child.kill('SIGTERM');
      await host.ended;
    }
    const { messages } = await withSessions((sessions) => stateOf(sessions, 'watching'));
    expect(messages.filter(({ kind }) => kind === 'user')).toHaveLength(1);
  });

  it('is due for who starts what is due by hand, once it is quiet', async () => {
    await run('schedule', 'add', 'watch', 'the lamp', ...rule);
    await run('schedule', 'add', 'gather', 'the lamp', '--on', 'create_page', '--gather', '1h');
    await importNotes(notes(20, 'page'));
    expect(await json('schedule', 'run')).toMatchObject([{ schedule: 'watch', status: 'answered' }]);
    expect((await run('schedule', 'run')).stderr).toContain(
      'Nothing is due yet. Page changes are collected until',
    );
    const { status, stderr } = await run('schedule', 'rm', 'gather');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect((await run('schedule', 'run')).stderr).toContain('Nothing is due.');
    expect(await firesOf('watch')).toHaveLength(1);
  });
});

describe('a schedule that is started by hand', () => {
  let model: ModelServer;
  afterEach(() => model.close());

  it('and asks: the question waits in the inbox, and it is the last start', async () => {
    const decision = (text: string, ...calls: readonly (readonly [string, object])[]): string =>
      JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });
    model = await modelServer((prompt) =>
      prompt.includes('For good')
        ? decision('Noted: closed.')
        : decision('', ['ask_user', { question: 'Is the mill closed for good?' }]),
    );
    const env = {
      OPENAI_BASE_URL: model.address,
      OPENAI_API_KEY: 'sk-x',
      SONDE_MODEL: 'openai-compatible:planned',
    };
    await run('schedule', 'add', 'mill', 'Look after the mill', '--cron', '0 3 * * *', '--max-per-day', '3');
    const { stdout } = await sonde(['schedule', 'run', 'mill', '--json'], { home, env });
    const [{ thread, status }] = JSON.parse(stdout);
    expect(status).toBe('interrupted');
    const inbox = await run('world', 'inbox');
    expect(inbox.stdout).toContain(`question  ${thread}  of the schedule mill`);
    expect(inbox.stdout).toContain('Is the mill closed for good?');
    const listed = await run('schedule', 'ls');
    expect(listed.stdout).toMatch(/last: \S+, by hand: it asked something \(sonde chat --thread mill-\w+\)/);
    expect(listed.stdout).toContain('1 of 3 today');
    await sonde(['chat', '--thread', thread], { home, env, input: 'For good\n' });
    expect((await run('world', 'inbox')).stdout).not.toContain('question');
  });
});
