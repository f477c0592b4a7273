/** What a token opens and does not, asked over HTTP of servers as `sonde mcp --http` and `sonde serve` make them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../core/index.ts';
import type { Sessions } from '../../store/index.ts';
import {
  type CapabilitySetName,
  connectHttp,
  openGrants,
  openToolHost,
  serveHttp,
  type ToolClient,
} from '../../tools/index.ts';
import type { RequestQueue } from '../agent/requests/request-queue.ts';
import type { RequestRow } from '../agent/requests/request-rows.ts';
import { conversationRoutes } from '../serve/routes.ts';
import { openClients } from './clients.ts';
import { openTokens } from './open-tokens.ts';
import { createRecordingTools } from './testbed/seeing-tools.ts';
import { openTokenCheck } from './token-check.ts';
import type { NewToken, TokenPlace, Tokens } from './tokens.ts';

const notes: TokenPlace = { kind: 'workspace', workspace: 'notes', id: 'ws-1' };
const plans: TokenPlace = { kind: 'workspace', workspace: 'plans', id: 'ws-2' };

let folder: string;
let tokens: Tokens;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-faces-'));
  tokens = openTokens({ data: folder });
  closing.push(() => tokens.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** A desk that takes everything and does nothing. */
function quietDesk() {
  const rows = new Map<string, RequestRow>();
  const desk = {
    find: async (id: string) => rows.get(id) ?? null,
    async post(row: Pick<RequestRow, 'id' | 'thread' | 'request'>): Promise<RequestRow> {
      const posted = rows.get(row.id) ?? { ...row, state: 'waiting', outcome: null, deaths: 0 };
      rows.set(row.id, posted);
      return posted;
    },
    observe: async () => ({ details: { state: 'idle', questions: [], last: null } }),
  } as unknown as RequestQueue;
  return { desk, rows };
}

interface Face {
  readonly url: string;
  readonly hint: string;
  readonly rows: ReadonlyMap<string, RequestRow>;
  readonly calls: readonly ToolCall[];
  readonly pass: string;
  post(token: string, path?: string, body?: object): Promise<Response>;
  tools(token: string): Promise<ToolClient>;
}

/** `talks`: as `sonde serve`; else as `sonde mcp --http`. */
async function serve(
  place: TokenPlace,
  { asked = null, talks = true }: { asked?: CapabilitySetName | null; talks?: boolean } = {},
): Promise<Face> {
  const door = openTokenCheck({ directories: { data: folder }, place, serverSet: asked, author: talks });
  closing.push(() => door.close());
  const clients = openClients(door, asked);
  const grants = openGrants();
  const { desk, rows } = quietDesk();
  const sessions = { threads: { list: () => [] } } as unknown as Sessions;
  const { tools, calls } = createRecordingTools();
  const pass = grants.issue({
    caller: { kind: 'agent', name: 'world-agent', device: 'test', thread: 't', channel: null },
    capabilities: new Set(),
  });
  const server = await serveHttp({
    host: openToolHost({ tools }),
    grants: { findConnection: (shown) => grants.findConnection(shown) ?? clients.findConnection(shown) },
    version: '0',
    ...(talks && { routes: conversationRoutes({ requests: desk, sessions, tokenOf: clients.tokenOf }) }),
  });
  closing.push(() => server.close());
  const address = server.url.replace(/\/mcp$/, '');
  return {
    url: server.url,
    hint: door.hint,
    rows,
    calls,
    pass,
    post: (token, path = '/threads/t/messages', body = { text: 'hello' }) =>
      fetch(`${address}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      }),
    async tools(token) {
      const client = await connectHttp({ url: server.url, token });
      closing.push(() => client.close());
      return client;
    },
  };
}

const add = (name: string, place: TokenPlace, more: Partial<NewToken> = {}): string =>
  tokens.add({
    name,
    place,
    allow: place.kind === 'alerts' ? null : 'external',
    author: false,
    kept: false,
    ...more,
  });
const read = (hint: string): string =>
  readFileSync(/^The token is in (.+)\.$/.exec(hint)![1]!, 'utf8').trim();

describe('a token opens what it was made for, and nothing else', () => {
  const made: readonly [name: string, () => string, tools: number, talking: number][] = [
    ['the author’s', () => add('me', notes, { allow: 'owner', author: true }), 200, 202],
    ['the author’s that only reads', () => add('me', notes, { allow: 'read-only', author: true }), 200, 202],
    ['a program’s that may what an agent may', () => add('bot', notes, { allow: 'agent' }), 200, 202],
    ['a program’s', () => add('ci', notes), 200, 403],
    ['a program’s that only reads', () => add('ci', notes, { allow: 'read-only' }), 200, 403],
    ['one of another workspace', () => add('me', plans, { allow: 'owner', author: true }), 403, 403],
    ['one of another workspace of that name', () => add('me', { ...notes, id: 'ws-0' }), 403, 403],
    ['one for alerts', () => add('am', { kind: 'alerts' }), 403, 403],
    [
      'one that was taken away',
      () => {
        const token = add('gone', notes, { allow: 'owner', author: true });
        tokens.remove(notes, 'gone');
        return token;
      },
      401,
      401,
    ],
    ['one that never was', () => 'x'.repeat(43), 401, 401],
  ];
  it.each(made)('%s', async (_name, make, ofTools, ofTalking) => {
    const face = await serve(notes);
    const token = make();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const asked = await fetch(face.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(list),
    });
    expect([asked.status, (await face.post(token)).status]).toEqual([ofTools, ofTalking]);
    for (const path of ['answers', 'continue', 'cancel', 'drop'])
      if (ofTalking !== 202) expect((await face.post(token, `/threads/t/${path}`)).status).toBe(ofTalking);
    expect(face.rows.size).toBe(ofTalking === 202 ? 1 : 0);
  });

  it('the pass of an agent opens tools, and no conversation', async () => {
    const face = await serve(notes);
    expect((await face.post(face.pass)).status).toBe(403);
    expect((await (await face.tools(face.pass)).list()).length).toBeGreaterThan(0);
  });

  it('what a server of tools made for itself does not talk at the server of the agent', async () => {
    const tools = await serve(notes, { asked: 'read-only', talks: false });
    const agent = await serve(notes);
    expect((await agent.post(read(tools.hint))).status).toBe(403);
    expect((await agent.post(read(agent.hint))).status).toBe(202);
    expect(read(tools.hint)).not.toBe(read(agent.hint));
    // Nor is the person's handed to programs by a server of tools that comes later.
    const later = await serve(notes, { talks: false });
    expect(read(later.hint)).not.toBe(read(agent.hint));
  });
});

describe('what a client may do', () => {
  it.each<[CapabilitySetName, CapabilitySetName | null, boolean]>([
    ['owner', null, true],
    ['external', null, true],
    ['read-only', null, false],
    ['owner', 'read-only', false],
    ['read-only', 'owner', false],
    ['external', 'owner', true],
  ])('with a token of %s at a server of %s', async (allow, asked, writes) => {
    const face = await serve(notes, { asked, talks: false });
    const client = await face.tools(add('ci', notes, { allow }));
    expect((await client.call({ name: 'note', args: {} })).ok).toBe(writes);
  });
});

describe('by its name', () => {
  it('a client is known to the tools, whatever it calls itself', async () => {
    const face = await serve(notes);
    const [one, other] = [await face.tools(add('one', notes)), await face.tools(add('other', notes))];
    await one.call({ name: 'note', args: {}, idempotencyKey: 'k' });
    await other.call({ name: 'note', args: {}, idempotencyKey: 'k' });
    expect(
      face.calls.map(({ caller, idempotencyKey }) => [caller.kind, caller.name, idempotencyKey]),
    ).toEqual([
      ['external', 'one', '["external","one","k"]'],
      ['external', 'other', '["external","other","k"]'],
    ]);
  });

  it('it has read what it was shown, on whichever of its connections, and nothing that another was', async () => {
    const face = await serve(notes);
    const [a, b] = [add('a', notes), add('b', notes)];
    const [first, second, other] = [await face.tools(a), await face.tools(a), await face.tools(b)];
    await first.call({ name: 'show', args: { id: 'pg-1' }, readTrail: ['pg-9'] });
    await other.call({ name: 'show', args: { id: 'pg-2' } });
    await second.call({ name: 'note', args: {}, readTrail: ['pg-9'] });
    await other.call({ name: 'note', args: {} });
    const trails = face.calls
      .filter(({ idempotencyKey }) => idempotencyKey === null)
      .map(({ readTrail }) => readTrail);
    expect(trails.slice(-2)).toEqual([['pg-1'], ['pg-2']]);
  });

  it('messages of two clients with one id are two, and of one client one', async () => {
    const face = await serve(notes);
    const [me, bot] = [add('me', notes, { author: true }), add('bot', notes, { allow: 'agent' })];
    const message = { text: 'hello', message_id: 'm1' };
    for (const token of [me, bot, me]) {
      const said = await face.post(token, '/threads/t/messages', message);
      expect([said.status, await said.json()]).toMatchObject([202, { details: { message_id: 'm1' } }]);
    }
    expect([...face.rows.keys()]).toEqual(['client:me:m1', 'client:bot:m1']);
  });

  it('a token made anew under a name is another client: it has read nothing', async () => {
    const face = await serve(notes);
    const before = await face.tools(add('ci', notes));
    await before.call({ name: 'show', args: { id: 'pg-1' } });
    tokens.remove(notes, 'ci');
    expect((await before.call({ name: 'note', args: {} })).ok).toBe(false);
    const after = await face.tools(add('ci', notes));
    await after.call({ name: 'note', args: {} });
    expect(face.calls.at(-1)?.readTrail).toEqual([]);
  });
});
