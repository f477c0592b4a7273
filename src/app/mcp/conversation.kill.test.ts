/** `sonde mcp --agent` as real processes: a question is answered by another client, after both sides were killed. */
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedReply } from '../agent/channel/channel.contract.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { createPatientClient } from '../testbed/patient-client.ts';
import { clockAhead, environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

let home: string;
let model: ModelServer;
const open: { client: Client; pid: number }[] = [];

beforeEach(async () => {
  home = newHome();
  await createSmallWorld(home);
  model = await modelServer(scriptedReply);
});
afterEach(async () => {
  for (const { client } of open.splice(0)) await client.close();
  await model.close();
});

const week = 7 * 24 * 3600 * 1000;

const connect = (...more: string[]) => connectAt(0, ...more);

/** To a process whose clock is ahead by so many milliseconds. */
async function connectAt(ahead: number, ...more: string[]) {
  const clock = ahead === 0 ? {} : clockAhead(ahead);
  const env = { ...clock, OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-planted-0123456789' };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', '--workspace', 'main', ...more],
    env: environmentOf({ home, env }),
    stderr: 'ignore',
  });
  const client = createPatientClient(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(transport);
  const one = { client, pid: transport.pid ?? 0 };
  open.push(one);
  return one;
}

interface Told {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly requestState?: string;
}

const agent = ['--agent', '--model', 'openai-compatible:talker'];
async function say(client: Client, thread: string, message: string, retry: object = {}): Promise<Told> {
  const params = { name: 'send_message', arguments: { thread, message }, ...retry };
  return (await client.callTool(params, { allowInputRequired: true } as never)) as unknown as Told;
}
const reply = (answer: string) => ({ inputResponses: { answer: { action: 'accept', content: { answer } } } });

describe('send_message', () => {
  it('is the only tool there, and no tool of the host', async () => {
    const { client } = await connect(...agent);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['send_message']);
    const tools = await connect();
    const names = (await tools.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('create_page');
    expect(names.filter((name) => /task|send_message/.test(name))).toEqual([]);
  });

  it('says something in a conversation, which goes on by its name', async () => {
    const { client } = await connect(...agent);
    expect((await say(client, 'one', 'look for it')).content?.[0]?.text).toBe('found true');
    expect((await say(client, 'one', 'thanks')).content?.[0]?.text).toBe('heard: thanks');
    expect(model.served.at(-1)?.prompt).toContain('look for it');
  });

  it('brings a question that another client answers, after both sides were killed', async () => {
    const first = await connect(...agent);
    const asked = await say(first.client, 'one', 'ask me');
    expect(asked.inputRequests?.['answer']?.params.message).toBe('Which one?');
    process.kill(first.pid, 'SIGKILL');

    const second = await connect(...agent);
    const again = await say(second.client, 'one', 'never mind');
    expect(again.inputRequests?.['answer']?.params.message).toBe('Which one?');
    const { requestState } = asked;
    const told = await say(second.client, 'one', 'ask me', { requestState, ...reply('the red') });
    expect(told.content?.[0]?.text).toBe('you chose the red');
    const late = await say(second.client, 'one', 'ask me', { requestState, ...reply('the blue') });
    expect(late.content?.[0]?.text).toBe('you chose the red');
    expect(model.served).toHaveLength(2);
  });

  // world.md: Session graph 10, Errors 7.
  it('takes the answer a week later, with the state that was given then', async () => {
    const first = await connect(...agent);
    const { requestState } = await say(first.client, 'one', 'ask me');
    process.kill(first.pid, 'SIGKILL');
    const later = await connectAt(week, ...agent);
    const told = await say(later.client, 'one', 'ask me', { requestState, ...reply('the red') });
    expect(told.content?.[0]?.text).toBe('you chose the red');
    expect(model.served).toHaveLength(2);
  });

  it('leaves a question open that is not answered, and refuses a forged state', async () => {
    const { client } = await connect(...agent);
    const { requestState } = await say(client, 'one', 'ask me');
    const declined = { inputResponses: { answer: { action: 'decline' } } };
    const told = await say(client, 'one', 'ask me', { requestState, ...declined });
    expect(told.content?.[0]?.text).toContain('can be answered later');
    await expect(
      say(client, 'one', 'ask me', { requestState: 'v1.e30.AAAA', ...reply('x') }),
    ).rejects.toThrow(/requestState/);
  });
});

it('needs a workspace', async () => {
  const { status, stderr } = await sonde(['mcp', '--agent'], { home });
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--workspace') });
});
