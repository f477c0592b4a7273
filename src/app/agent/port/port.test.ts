/** Commands that talk with the agent of a server, which others talk with, too: each hears the end of its own turn. */
import { chmodSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../../store/index.ts';
import { openFileLock } from '../../../store/lock.ts';
import { openTalkingAgent, type TalkingAgent } from '../../http/talking-agent.contract.ts';
import type { AgentEvent, AgentReply, AgentWaiting } from '../channel/channel.ts';
import type { AgentRequest, TurnEndedEvent } from '../channel/channel-client.ts';
import { stateOf } from '../turns.ts';
import { portPath, servingLock } from './port.ts';
import { connectPort, type PortClient } from './port-client.ts';
import { openPort } from './port-server.ts';

const version = '1.2.3';
let workspace: string;
let db: Database;
let talking: TalkingAgent;
let port: Awaited<ReturnType<typeof openPort>>;
let sessions: ReturnType<typeof openSessionsIn>;
const closing: (() => unknown)[] = [];

const open = (theirs = version) =>
  openPort({
    ...{ workspace, requests: talking.requests, greeting: { version: theirs, root: null }, tell: () => {} },
    mask: { value: (value) => value },
    redact: (text) => text,
  });
async function come(patience = 10_000): Promise<PortClient> {
  const found = await connectPort({ workspace, version, patienceMs: patience });
  if (found === null) throw new Error('no server');
  closing.push(found.close);
  return found;
}

beforeEach(async () => {
  workspace = join(mkdtempSync(join(tmpdir(), 'sonde-port-')), 'w.db');
  db = openDatabase({ path: workspace, schemas: [], busyMs: 1000 });
  sessions = openSessionsIn(db);
  const store = openStoreIn(db);
  talking = await openTalkingAgent({ sessions, store, propose: () => ({ write_id: 'wr', id: 'pg' }) });
  port = await open();
  closing.push(() => store.close());
});
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one();
  await port.close();
  await talking.close();
  await sessions.close();
  db.close();
});

const start = (prompt: string, message_id = prompt): Extract<AgentRequest, { type: 'start_run' }> => ({
  ...{ type: 'start_run', thread_id: 'talk', prompt, message_id },
});
const textOf = (came: TurnEndedEvent | AgentReply): string =>
  'type' in came ? `refused: ${came.message}` : `${came.status}: ${came.text}`;
const saidIn = async () =>
  (await stateOf(sessions, 'talk')).messages.flatMap((each) =>
    each.kind === 'user' || each.kind === 'steer' ? [each.text] : [],
  );
/** A turn of somebody else, who talks over HTTP, in the middle of its call. */
async function another(prompt: string): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const off = talking.requests.onEvent((_, { kind }) => kind === 'tool_started' && begun.resolve());
  const request = { kind: 'message', text: prompt, schedule: null, event: null, limits: null } as const;
  await talking.requests.post({ id: `other ${prompt}`, thread: 'talk', request });
  await begun.promise;
  off();
}
/** Resolves when a turn of this client waits. */
const waits = ({ client }: PortClient) =>
  new Promise<AgentWaiting>((done) => {
    client.onWaiting(done);
  });

describe('a turn over the port', () => {
  it('has its events, its answer, and nothing of what others are told', async () => {
    const mine = await come();
    const theirs = await come();
    const heard: string[] = [];
    theirs.client.onEvent((_, { kind }) => heard.push(kind));
    const events: AgentEvent[] = [];
    const came = await mine.client.turn(start('look for it'), (event) => events.push(event));
    expect(textOf(came)).toBe('answered: heard: look for it');
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['turn_started', 'tool_started', 'tool_finished', 'budget', 'text', 'turn_ended']),
    );
    expect(heard).toEqual([]);
  });

  it('behind another one of the thread is told so, and takes its own end, never that one’s', async () => {
    await another('wait for paint');
    const mine = await come();
    const waiting = waits(mine);
    const events: AgentEvent[] = [];
    const turn = mine.client.turn(start('hello'), (event) => events.push(event));
    expect(await waiting).toMatchObject({ behind: 'another', thread_id: 'talk' });
    expect(events).toEqual([]);
    talking.release();
    expect(textOf(await turn)).toBe('answered: heard: hello');
    expect(await saidIn()).toEqual(['wait for paint', 'hello']);
  });

  it('of two commands at once ends for each with its own', async () => {
    const [one, two] = [await come(), await come()];
    const both = [one, two].map(({ client }, at) => client.turn(start(`number ${at}`)));
    expect((await Promise.all(both)).map(textOf)).toEqual([
      'answered: heard: number 0',
      'answered: heard: number 1',
    ]);
  });

  it('goes on over the next server, with its own end, once', async () => {
    const mine = await come();
    const begun = new Promise<void>((done) => {
      mine.client.onEvent((_, { kind }) => kind === 'tool_started' && done());
    });
    const waiting = waits(mine);
    const turn = mine.client.turn(start('wait for paint'));
    await begun;
    await port.close();
    expect(await waiting).toMatchObject({ behind: 'server' });
    // It ends while nobody listens, and another turn after it.
    talking.release();
    await talking.requests.waitUntilDone('wait for paint');
    const request = { kind: 'message', text: 'more', schedule: null, event: null, limits: null } as const;
    await talking.requests.post({ id: 'other', thread: 'talk', request });
    await talking.requests.waitUntilDone('other');
    port = await open();
    expect(textOf(await turn)).toBe('answered: heard: wait for paint');
    expect(await saidIn()).toEqual(['wait for paint', 'more']);
  });

  it('says what to do where no server comes back', async () => {
    const mine = await come(200);
    const turn = mine.client.turn(start('wait for paint'));
    turn.catch(() => {});
    await waitsFor(async () => (await talking.requests.find('wait for paint')) !== null);
    await port.close();
    await expect(turn).rejects.toMatchObject({
      code: 'tool_failed',
      remedy: expect.stringContaining('sonde serve goes on with it'),
    });
    // And so does whatever is said after that.
    await expect(mine.client.turn(start('hello'))).rejects.toMatchObject({ code: 'tool_failed' });
  });
});

describe('what is said beside a turn', () => {
  it('reaches the own turn, and is no message of its own', async () => {
    const mine = await come();
    const steered = Promise.withResolvers<AgentEvent>();
    const begun = Promise.withResolvers<void>();
    const turn = mine.client.turn(
      start('wait for paint'),
      (event) => {
        if (event.kind === 'tool_started') begun.resolve();
        if (event.kind === 'steered') steered.resolve(event);
      },
      'mine',
    );
    await begun.promise;
    const said = { type: 'steer', thread_id: 'talk', message_id: 's', prompt: 'the blue one' } as const;
    await mine.client.request({ ...said, of: 'mine' });
    talking.release();
    expect(await steered.promise).toMatchObject({ message_id: 's', text: 'the blue one' });
    await turn;
    await talking.requests.waitUntilDone('s');
    expect(await saidIn()).toEqual(['wait for paint', 'the blue one']);
  });

  it('while it waits is not told to the turn before it', async () => {
    await another('wait for paint');
    const mine = await come();
    const turn = mine.client.turn(start('hello'), () => {}, 'mine');
    await waitsFor(async () => (await talking.requests.find('hello')) !== null);
    await mine.client.request({
      ...{ type: 'steer', thread_id: 'talk', message_id: 's', prompt: 'more of it', of: 'mine' },
    });
    talking.release();
    expect(textOf(await turn)).toBe('answered: heard: hello');
    expect(textOf(await mine.client.turn(start('more of it', 's')))).toBe('answered: heard: more of it');
    expect(await saidIn()).toEqual(['wait for paint', 'hello', 'more of it']);
  });

  it('/cancel takes back a turn that waits, and leaves the one before it alone', async () => {
    await another('wait for paint');
    const mine = await come();
    const turn = mine.client.turn(start('hello'), () => {}, 'mine');
    await waitsFor(async () => (await talking.requests.find('hello')) !== null);
    expect(
      (await mine.client.request({ type: 'cancel', thread_id: 'talk', of: 'mine' })).details,
    ).toMatchObject({ cancelled: true });
    expect(textOf(await turn)).toBe('cancelled: ');
    talking.release();
    expect(await talking.requests.waitUntilDone('other wait for paint')).toMatchObject({
      status: 'answered',
    });
    expect(await saidIn()).toEqual(['wait for paint']);
  });

  it('/cancel ends the own turn, and /continue goes on with it', async () => {
    const mine = await come();
    const begun = Promise.withResolvers<void>();
    const turn = mine.client.turn(
      start('wait for paint'),
      ({ kind }) => kind === 'tool_started' && begun.resolve(),
      'mine',
    );
    await begun.promise;
    await mine.client.request({ type: 'cancel', thread_id: 'talk', of: 'mine' });
    expect(await turn).toMatchObject({ status: 'cancelled' });
    const more = mine.client.turn({ type: 'resume', thread_id: 'talk' });
    await waitsFor(() => {
      talking.release();
      return Promise.race([more.then(() => true), sleep(5).then(() => false)]);
    });
    expect(textOf(await more)).toBe('answered: heard: wait for paint');
  });
});

it('a question of another turn is shown to who waits behind it; its answer lets both go on', async () => {
  const request = { kind: 'message', text: 'ask me', schedule: null, event: null, limits: null } as const;
  await talking.requests.post({ id: 'other', thread: 'talk', request });
  expect(await talking.requests.waitUntilDone('other')).toMatchObject({ status: 'interrupted' });
  const mine = await come();
  const waiting = waits(mine);
  const turn = mine.client.turn(start('hello'));
  const { behind, questions } = await waiting;
  expect({ behind, questions }).toMatchObject({
    behind: 'question',
    questions: [{ value: { question: 'Which one?' } }],
  });
  const answer = { question: questions[0]!.id, value: 'the red' };
  expect(textOf(await mine.client.turn({ type: 'resume', thread_id: 'talk', answer }))).toBe(
    'answered: heard: ask me',
  );
  expect(textOf(await turn)).toBe('answered: heard: hello');
  // Who answers it otherwise is told that it was answered.
  const other = { ...answer, value: 'the blue' };
  expect(textOf(await mine.client.turn({ type: 'resume', thread_id: 'talk', answer: other }))).toContain(
    'answered already',
  );
});

it('an edit is refused while a turn runs, and a dropped turn says so to who dropped it', async () => {
  await another('wait for paint');
  const mine = await come();
  expect(textOf(await mine.client.turn({ ...start('hello'), edits: 'other wait for paint' }))).toContain(
    'is under way',
  );
  const told: string[] = [];
  mine.client.onEvent((_, event, request) => told.push(`${request} ${event.kind}`));
  expect(await mine.client.request({ type: 'cancel', thread_id: 'talk', drop: true }, 'drop')).toMatchObject({
    status: 'ok',
  });
  expect(told).toEqual(['drop turn_ended']);
});

describe('who may come in', () => {
  it('is this user alone', async () => {
    const path = portPath(workspace);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o666);
    await expect(come()).rejects.toMatchObject({ code: 'run_state' });
  });

  it('talks the same version', async () => {
    await port.close();
    port = await open('9.9.9');
    await expect(come()).rejects.toMatchObject({
      code: 'run_state',
      message: expect.stringContaining('is Sonde 9.9.9, and this is 1.2.3'),
    });
  });

  it('finds nobody where no server is, also beside the socket of one that was killed', async () => {
    await port.close();
    expect(await connectPort({ workspace, version })).toBeNull();
    const dead = createServer();
    await new Promise<void>((done) => dead.listen(portPath(workspace), () => done()));
    chmodSync(portPath(workspace), 0o600);
    dead.close();
    writeFileSync(servingLock(workspace), '');
    expect(await connectPort({ workspace, version })).toBeNull();
    port = await open();
    expect(textOf(await (await come()).client.turn(start('hello')))).toBe('answered: heard: hello');
  });

  it('is told of a server that lets nobody in', async () => {
    await port.close();
    const lock = openFileLock(servingLock(workspace));
    closing.push(() => lock.release());
    lock.tryTake();
    await expect(connectPort({ workspace, version, patienceMs: 150 })).rejects.toMatchObject({
      code: 'run_state',
      remedy: expect.stringContaining('older version'),
    });
  });

  it('can send anything: it is answered, and the agent stays', async () => {
    const mine = await come();
    const replies: AgentReply[] = [];
    mine.client.onReply((reply) => replies.push(reply));
    for (const odd of [null, 7, { type: 'tool_call', id: 'x' }, { type: 'start_run', id: 'y' }])
      mine.client.sendRaw(odd);
    await waitsFor(async () => replies.length === 4);
    expect(replies.map(({ error_code }) => error_code)).toEqual([
      'malformed_message',
      'malformed_message',
      'unknown_message',
      'malformed_message',
    ]);
    expect(await mine.client.request({ type: 'lifecycle', command: 'shutdown' })).toMatchObject({
      error_code: 'run_state',
    });
    const raw = connect(portPath(workspace));
    raw.on('error', () => {});
    raw.end('{"half of a line"');
    expect(textOf(await mine.client.turn(start('hello')))).toBe('answered: heard: hello');
  });

  it('finds it under a path that is too long for a socket', async () => {
    const long = join(tmpdir(), 'x'.repeat(120), 'w.db');
    expect(Buffer.byteLength(portPath(long))).toBeLessThan(104);
    expect(portPath(long)).toBe(portPath(long));
    expect(existsSync(long)).toBe(false);
  });
});

async function waitsFor(met: () => Promise<boolean>): Promise<void> {
  while (!(await met())) await sleep(5);
}
