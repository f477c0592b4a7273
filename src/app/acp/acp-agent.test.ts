/** The agent for editors, as the client of those who made the protocol talks with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as loopTurn } from 'node:timers/promises';
import {
  type AgentConnection,
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { openSessionsIn, openStoreIn } from '../../store/index.ts';
import { worldWrite } from '../../world/index.ts';
import { stateOf } from '../agent/turns.ts';
import { openTalkingAgent, type TalkingAgent } from '../http/talking-agent.contract.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { type AcpAgent, connectAcp } from './acp-agent.ts';

const person: Caller = { kind: 'user', name: 'vera', device: 'd', thread: null, channel: null };
const planner: Caller = { kind: 'agent', name: 'planner', device: 'd', thread: 'talk', channel: null };

async function openEditor() {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-acp-'));
  const open = await openWorkspace(join(folder, 'notes.db'), { name: 'notes' });
  const { world, database } = open;
  const sessions = openSessionsIn(database);
  const store = openStoreIn(database);
  const talking: TalkingAgent = await openTalkingAgent({
    sessions,
    store,
    propose(path) {
      const operation = { op: 'create_page', path, text: 'Proposed.\n' } as const;
      const write = worldWrite({ operation, caller: planner, source: 'test', idempotencyKey: null });
      const result = world.submit(write);
      if (result.kind === 'refused') throw new Error(result.message);
      return { write_id: result.write_id, id: result.content_ids[0]! };
    },
  });
  const there = new TransformStream<Uint8Array>();
  const back = new TransformStream<Uint8Array>();
  const held: AcpAgent = {
    client: talking.client,
    sessions,
    messages: async (thread) => (await stateOf(sessions, thread)).messages,
    world,
    limits: null,
  };
  const served: AgentConnection = connectAcp(ndJsonStream(back.writable, there.readable), {
    use: (work) => work(held),
    begin: (work) => work(held),
    person,
    version: '0',
  });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const editor = {
    decide: (_: RequestPermissionRequest): RequestPermissionResponse => ({
      outcome: { outcome: 'cancelled' },
    }),
  };
  const connection: ClientConnection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params: { update } }) => void updates.push(update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return editor.decide(params);
    })
    .connect(ndJsonStream(there.writable, back.readable));
  const { agent } = connection;
  return {
    ...{ world, sessions, talking, updates, asked, editor, agent, served, connection },
    async begin() {
      await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
      return (await agent.request(methods.agent.session.new, { cwd: '/', mcpServers: [] })).sessionId;
    },
    say: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    /** The answers, and what is told of each call. */
    told: () =>
      updates.flatMap((one) =>
        one.sessionUpdate === 'agent_message_chunk' && one.content.type === 'text'
          ? [one.content.text]
          : one.sessionUpdate === 'tool_call' || one.sessionUpdate === 'tool_call_update'
            ? [`${one.sessionUpdate} ${one.status}`]
            : [],
      ),
    async close() {
      connection.close();
      served.close();
      await talking.close();
      sessions.close();
      await store.close();
      open.close();
      rmSync(folder, { recursive: true });
    },
  };
}

let editor: Awaited<ReturnType<typeof openEditor>>;
beforeEach(async () => {
  editor = await openEditor();
});
afterEach(() => editor.close());

it('says what it is and takes', async () => {
  const said = await editor.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  expect(said).toMatchObject({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'sonde' },
    agentCapabilities: { loadSession: true, promptCapabilities: { image: false, embeddedContext: true } },
  });
});

describe('a session', () => {
  it('is a conversation: told as it goes, and again when it is loaded', async () => {
    const session = await editor.begin();
    expect(await editor.say(session, 'look around')).toEqual({ stopReason: 'end_turn' });
    const told = ['tool_call in_progress', 'tool_call_update completed', 'heard: look around'];
    expect(editor.told()).toEqual(told);
    expect(await editor.sessions.threads.has(session)).toBe(true);
    editor.updates.length = 0;
    await editor.agent.request(methods.agent.session.load, { sessionId: session, cwd: '/', mcpServers: [] });
    expect(editor.told()).toEqual(['tool_call completed', 'heard: look around']);
    expect(editor.updates[0]).toMatchObject({
      sessionUpdate: 'user_message_chunk',
      content: { text: 'look around' },
    });
  });

  it('takes files that the editor adds, and no pictures', async () => {
    const session = await editor.begin();
    const prompt = (block: object) =>
      editor.agent.request(methods.agent.session.prompt, { sessionId: session, prompt: [block] as never });
    await prompt({ type: 'resource', resource: { uri: 'file:///a.ts', text: 'let a = 1;' } });
    expect(editor.talking.prompts().at(-1)).toContain('let a = 1;');
    await prompt({ type: 'resource_link', name: 'b.ts', uri: 'file:///b.ts' });
    expect(editor.talking.prompts().at(-1)).toContain('file:///b.ts');
    await expect(prompt({ type: 'image', data: 'x', mimeType: 'image/png' })).rejects.toThrow();
    await expect(prompt({ type: 'text', text: ' ' })).rejects.toThrow();
  });

  it('is none where there is no conversation of that name', async () => {
    await editor.begin();
    for (const sessionId of ['none', '../x']) await expect(editor.say(sessionId, 'x')).rejects.toThrow();
  });

  it('asks, and takes the next words for the answer', async () => {
    const session = await editor.begin();
    await editor.say(session, 'ask me');
    expect(editor.told()).toContain('Which one?');
    await editor.say(session, 'blue');
    expect(editor.told().at(-1)).toBe('heard: ask me');
    expect(editor.talking.prompts().at(-1)).toContain('blue');
  });

  it('is cancelled, and goes on with what is said next', async () => {
    const session = await editor.begin();
    const turn = editor.say(session, 'wait for it');
    while (!editor.told().includes('tool_call in_progress')) await loopTurn();
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect(await editor.say(session, 'and now')).toEqual({ stopReason: 'end_turn' });
    expect(editor.told().at(-1)).toBe('heard: and now');
  });
});

describe('what it proposes', () => {
  const answer = (optionId: string) => (): RequestPermissionResponse => ({
    outcome: { outcome: 'selected', optionId },
  });

  it.each<[string, () => RequestPermissionResponse, string | null]>([
    ['accepts', answer('accept'), 'Canonical'],
    ['rejects', answer('reject'), null],
    ['leaves', answer('later'), 'Candidate'],
    ['does not answer', () => ({ outcome: { outcome: 'cancelled' } }), 'Candidate'],
    [
      'cannot ask',
      () => {
        throw new Error('no');
      },
      'Candidate',
    ],
  ])('is shown before and after, and stands as the person says who %s', async (_, decide, lifecycle) => {
    editor.editor.decide = decide;
    const session = await editor.begin();
    expect(await editor.say(session, 'propose a page')).toEqual({ stopReason: 'end_turn' });
    const diff = { type: 'diff', path: '/notes/propose a page.md', oldText: null, newText: 'Proposed.\n' };
    expect(editor.asked).toMatchObject([{ sessionId: session, toolCall: { kind: 'edit', content: [diff] } }]);
    const call = editor.updates.find(({ sessionUpdate }) => sessionUpdate === 'tool_call_update');
    expect(call).toMatchObject({ status: 'completed', content: [{ type: 'content' }, diff] });
    expect(editor.world.page('propose a page')?.lifecycle ?? null).toBe(lifecycle);
  });
});
