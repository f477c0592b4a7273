/** The chat interface of a real `sonde serve`, talked with by the library of those who made it. */

import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scriptedReply, slowAnswers } from '../../agent/channel/channel.contract.ts';
import { decision, isPlanner, readLastTurn } from '../../testbed/conversation.contract.ts';
import {
  isReaderPrompt,
  type ModelServer,
  modelServer,
  searchPlan,
  supportAllClaims,
} from '../../testbed/model-server.ts';
import { newHome, sonde } from '../../testbed/run-sonde.ts';
import { type Serving, startServing } from '../../testbed/serving.ts';
import { createSmallTree } from '../../testbed/small-tree.ts';
import { createSmallWorld } from '../../testbed/small-world.ts';
import { openWorkspace } from '../../workspace/workspace.ts';

let model: ModelServer;
let serving: Serving;
let token: string;
let path: string;
let root: string;

const investigates = (prompt: string): string => {
  const turn = readLastTurn(prompt);
  const params = { prompt: 'How many steps does the keeper climb?' };
  if (!turn.includes('\n## task (')) return decision('', ['task', { shape: 'investigation', params }]);
  return decision(`They are ${/(\d+) steps in all/.exec(turn)?.[1]}.`);
};
const counts = `\`\`\`python
text = kb_read('Lighthouse/Keeper')
at = next(n for n, line in text.lines if '172' in line)
FINAL(f'The keeper climbs 172 steps in all {text.cite(at, at)}.')
\`\`\``;

/** It names fewer lines than it has read. */
function plan(prompt: string): string {
  const [, whole] = /source="(ev-[0-9a-f]{10}) src\/delivery\.ts:1-16"/.exec(prompt) ?? [];
  return searchPlan(prompt).replace(/given up \[ev-[0-9a-f]{10}/, `given up, src/delivery.ts:8-11 [${whole}`);
}

async function reply(prompt: string): Promise<string> {
  if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
  if (!isPlanner(prompt)) return prompt.includes('kb_search') ? counts : plan(prompt);
  return readLastTurn(prompt).includes('investigate') ? investigates(prompt) : scriptedReply(prompt);
}

beforeAll(async () => {
  const home = newHome();
  path = await createSmallWorld(home);
  root = createSmallTree();
  model = await modelServer(reply);
  serving = await startServing({ home, model, args: ['--workspace', 'main', '--code', root] });
  token = (
    await sonde(['token', 'add', 'page', '--workspace', 'main', '--role', 'author'], { home })
  ).stdout.trim();
  await serving.waitUntil('none', () => true);
});
/** Calls that were asked of the model before this test. */
let asked = 0;
beforeEach(() => {
  slowAnswers.hold();
  asked = model.countRequests();
});
afterAll(async () => {
  slowAnswers.release();
  await serving.end();
  await model.close();
});

const client = (apiKey = token) => new OpenAI({ apiKey, baseURL: `${serving.address}/v1` });
const inThread = (thread: string) => ({ headers: { 'X-Sonde-Thread': thread } });
const said = (content: string, name = 'workspace:main') => ({
  model: name,
  messages: [{ role: 'user' as const, content }],
});
async function get(route: string): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${serving.address}/api/v1${route}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return response.json();
}
/** What the model's server reports of each call. */
const usageOf = (calls: number) => ({
  ...{ prompt_tokens: 1000 * calls, completion_tokens: 50 * calls, total_tokens: 1050 * calls },
  prompt_tokens_details: { cached_tokens: 0 },
});

describe('a conversation', () => {
  it('is told with the tokens that each request took', async () => {
    const { chat, models } = client();
    const named = (await models.list()).data.map(({ id }) => id);
    expect(named).toEqual(['workspace:main', expect.stringMatching(/^code:sonde-tree-/)]);
    const { data, response } = await chat.completions.create(said('look for it')).withResponse();
    expect(data.choices[0]!.message.content).toBe('found true');
    expect([model.countRequests() - asked, data.usage]).toEqual([2, usageOf(2)]);

    const thread = response.headers.get('x-sonde-thread')!;
    const question = await chat.completions.create(said('ask me'), inThread(thread));
    expect([question.choices[0]!.message.content, question.usage]).toEqual(['Which one?', usageOf(1)]);
    const answered = await chat.completions.create(said('the red'), inThread(thread));
    expect([answered.choices[0]!.message.content, answered.usage]).toEqual(['you chose the red', usageOf(1)]);
    expect(model.countRequests() - asked).toBe(4);

    const handedOn = await chat.completions.create(said('investigate it'), inThread(thread));
    expect(handedOn.choices[0]!.message.content).toContain('172');
    const calls = model.countRequests() - asked - 4;
    expect([handedOn.usage, calls > 2]).toEqual([usageOf(calls), true]);
  });

  it('is streamed with usage, and cites blocks where the page shows them', async () => {
    const open = await openWorkspace(path);
    const page = open.world.page('Lighthouse/Lamp')!;
    const block = open.world.read(page.id)!.blocks[0]!.id;
    open.close();
    const stream = await client().chat.completions.create({
      ...said(`see [${block}]`),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const cited: OpenAI.ChatCompletionMessage.Annotation[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const { choices, usage: took } of stream) {
      const delta = choices[0]?.delta as
        | { readonly content?: string; readonly annotations?: typeof cited }
        | undefined;
      text += delta?.content ?? '';
      cited.push(...(delta?.annotations ?? []));
      usage = took ?? usage;
    }
    expect(text).toBe(`heard: see [${block}]`);
    expect(usage).toEqual(usageOf(1));
    const [{ url_citation: citation } = expect.fail('nothing is cited')] = cited;
    expect(citation).toMatchObject({
      title: 'Lighthouse/Lamp',
      url: `${serving.address}/#/pages/${page.id}/${block}`,
    });
    expect(text.slice(citation.start_index, citation.end_index)).toBe(`[${block}]`);
  });

  it('is ended by closing its request, and takes the next word', async () => {
    const { chat } = client();
    const { response } = await chat.completions.create(said('hello')).withResponse();
    const thread = response.headers.get('x-sonde-thread')!;
    const stream = await chat.completions.create({ ...said('slow thing'), stream: true }, inThread(thread));
    await slowAnswers.waitForPrompts();
    stream.controller.abort();
    await expect.poll(async () => (await get(`/threads/${thread}`)).state).toBe('idle');
    slowAnswers.release();
    const next = await chat.completions.create(said('and now'), inThread(thread));
    expect(next.choices[0]!.message.content).toBe('heard: and now');
    const { items } = await get(`/threads/${thread}/messages`);
    expect(items.map(({ text }: { readonly text: string }) => text)).not.toContain('heard: slow thing');
  });

  it.each<[string, object, object, object]>([
    [
      'tools',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      {},
      { status: 400, param: 'tools' },
    ],
    ['a path', { model: 'code:/etc' }, {}, { status: 404, code: 'model_not_found' }],
    ['no thread of that name', {}, { 'X-Sonde-Thread': 'none' }, { status: 404, code: 'not_found' }],
    ['a stranger', {}, { authorization: 'Bearer nothing' }, { status: 401, code: 'invalid_api_key' }],
  ])('is refused for %s, in the form of this interface', async (_, more, headers, refusal) => {
    const refused = client().chat.completions.create({ ...said('x'), ...more } as never, {
      headers: headers as Record<string, string>,
    });
    const thrown = await refused.then(
      () => null,
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(OpenAI.APIError);
    expect(thrown).toMatchObject({ ...refusal, type: expect.any(String), message: expect.any(String) });
    expect(model.countRequests()).toBe(asked);
  });
});

it('code is asked, and cited by the lines that the answer names', async () => {
  const { chat, models } = client();
  const [, { id: name } = expect.fail('no code')] = (await models.list()).data;
  const { choices, usage } = await chat.completions.create(said('How are failed deliveries retried?', name));
  const { content, annotations = [] } = choices[0]!.message;
  expect(usage).toEqual(usageOf(model.countRequests() - asked));
  const at = content!.indexOf('[ev-');
  const { url_citation: citation } = annotations.find((one) => one.url_citation.start_index === at)!;
  expect(citation.title).toBe('src/delivery.ts:8-11');
  const address = /#\/runs\/([^/]+)\/evidence\/([^/?]+)\?lines=8-11$/.exec(citation.url);
  const read = await get(`/runs/${address![1]}/evidence/${address![2]}`);
  expect(read.file_path).toBe('src/delivery.ts');
  expect(read.content.split('\n')[8 - read.start_line]).toContain('for (let attempt = 0');
});
