/** `sonde acp` as an editor starts it: a real process, talked with by the client of those who made the protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterEach, expect, it } from 'vitest';
import { scriptedReply } from '../agent/channel/channel.contract.ts';
import { modelServer } from '../testbed/model-server.ts';
import { environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';
import { key, startServing } from '../testbed/serving.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

let process_: ChildProcess | undefined;
afterEach(() => process_?.kill('SIGKILL'));

function startEditor(
  home: string,
  workspace: string,
  { model = 'extractive', env = {} }: { readonly model?: string; readonly env?: Record<string, string> } = {},
) {
  const child = spawn(process.execPath, [launcher, 'acp', '--workspace', workspace, '--model', model], {
    env: environmentOf({ home, env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process_ = child;
  const updates: SessionUpdate[] = [];
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params: { update } }) => void updates.push(update))
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin!) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout!) as unknown as ReadableStream<Uint8Array>,
      ),
    );
  const text = (): string =>
    updates
      .map((one) =>
        one.sessionUpdate === 'agent_message_chunk' && one.content.type === 'text' ? one.content.text : '',
      )
      .join('');
  return { child, updates, text, agent: connection.agent };
}

it('answers out of the workspace, ends with its input, and goes on with the session later', async () => {
  const home = newHome();
  const workspace = await createSmallWorld(home);
  const first = startEditor(home, workspace);
  await first.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  const { sessionId } = await first.agent.request(methods.agent.session.new, { cwd: home, mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: 'Where is the lighthouse?' }];
  const ended = await first.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  expect(ended).toMatchObject({ stopReason: 'end_turn' });
  expect(first.text()).toMatch(/lighthouse/i);
  first.child.stdin!.end();
  expect(await new Promise((done) => first.child.once('exit', done))).toBe(0);

  const second = startEditor(home, workspace);
  await second.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: home, mcpServers: [] });
  expect(second.text()).toBe(first.text());
  second.child.stdin!.end();
  await new Promise((done) => second.child.once('exit', done));
  // Anything but the protocol on standard output would have ended it.
  const { stdout } = await sonde(['acp', '--workspace', workspace], { home, input: '' });
  expect(stdout).toBe('');
});

it('that began before a server: sessions go on with the agent of the server, and with that alone', async () => {
  const model = await modelServer(scriptedReply);
  const home = newHome();
  await createSmallWorld(home);
  const env = { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-of-the-editor-0123456789' };
  const editor = startEditor(home, 'main', { model: 'openai-compatible:planned', env });
  const say = (sessionId: string, text: string) =>
    editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
  const keys = () =>
    model.served.map(({ authorization }) => (authorization.includes(key) ? 'server' : 'editor'));
  const begin = async () =>
    (await editor.agent.request(methods.agent.session.new, { cwd: home, mcpServers: [] })).sessionId;
  await editor.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  const [one, two] = [await begin(), await begin()];
  await say(one, 'first');
  expect(new Set(keys())).toEqual(new Set(['editor']));
  const before = model.served.length;
  const serving = await startServing({ home, model });
  try {
    await serving.waitUntil(one, ({ state }) => state === 'idle');
    await Promise.all([say(one, 'second'), say(two, 'third')]);
    expect(editor.text()).toContain('heard: second');
    expect(editor.text()).toContain('heard: third');
    expect(new Set(keys().slice(before))).toEqual(new Set(['server']));
    editor.updates.length = 0;
    await editor.agent.request(methods.agent.session.load, { sessionId: one, cwd: home, mcpServers: [] });
    expect(editor.text()).toBe('heard: firstheard: second');
    expect(await say(await begin(), 'fourth')).toMatchObject({ stopReason: 'end_turn' });
  } finally {
    editor.child.stdin!.end();
    await serving.end();
    await model.close();
  }
});
