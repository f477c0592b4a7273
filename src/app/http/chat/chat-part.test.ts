/** The chat interface, as the library of those who made it speaks it. */
import { setImmediate as loopTurn } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, researchEvents } from '../testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const client = (apiKey = 'decides', headers: Record<string, string> = {}) =>
  new OpenAI({
    apiKey,
    baseURL: 'http://localhost/v1',
    defaultHeaders: headers,
    maxRetries: 2,
    fetch: (url, init) => desk.fetch(String(url), init as RequestInit),
  });
const said = (content: string, ...before: OpenAI.ChatCompletionMessageParam[]) => ({
  model: 'workspace:notes',
  messages: [...before, { role: 'user' as const, content }],
});
const answerOf = async (asked: ReturnType<typeof said>, of = client()) =>
  (await of.chat.completions.create(asked)).choices[0]!;
const system = (content: string) => ({ role: 'system' as const, content });
async function stands(state: string): Promise<void> {
  while ((await desk.get('/threads/talk')).body.state !== state) await loopTurn();
}
async function works(): Promise<void> {
  while ((await desk.get('/threads/talk/messages')).body.items.length < 2) await loopTurn();
}
const prompts = () => desk.agent.prompts();

describe('models', () => {
  it('are what the configuration names', async () => {
    const { data } = await client().models.list();
    expect(data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
      ['workspace:notes', 'model', 'sonde'],
      ['code:depot', 'model', 'sonde'],
    ]);
    expect(await client().models.retrieve('code:depot')).toMatchObject({ id: 'code:depot' });
    await expect(client().models.retrieve('code:/etc')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('a request', () => {
  it('is a conversation of its own, with what was said before and how to speak', async () => {
    const before = [
      system('Speak briefly.'),
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'uno' },
    ] as const;
    const { data, response } = await client()
      .chat.completions.create(said('two', ...before))
      .withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'workspace:notes',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(data.usage!.total_tokens).toBe(data.usage!.prompt_tokens + data.usage!.completion_tokens);
    expect(data.usage!.completion_tokens).toBeGreaterThan(0);
    const prompt = prompts().at(-1)!;
    for (const part of ['Speak briefly.', 'I said: one', 'You said: uno', 'two'])
      expect(prompt).toContain(part);
    await answerOf(said('three'));
    expect(prompts().at(-1)).not.toContain('uno');
    expect(await desk.sessions.threads.list()).toHaveLength(2);
    expect(await desk.sessions.threads.has(response.headers.get('x-sonde-thread')!)).toBe(true);
  });

  it('goes on in the thread that it names, answers what is asked there, and takes only the last word', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const inThread = client('decides', { 'X-Sonde-Thread': 'talk' });
    expect(
      (await answerOf(said('ask me', { role: 'user', content: 'zebra' }), inThread)).message.content,
    ).toContain('Which one?');
    expect(prompts().at(-1)).not.toContain('zebra');
    expect((await answerOf(said('blue'), inThread)).message.content).toBe('heard: ask me');
    expect(prompts().at(-1)).toContain('blue');
    await expect(answerOf(said('x'), client('decides', { 'X-Sonde-Thread': 'none' }))).rejects.toMatchObject({
      status: 404,
    });
    await expect(
      answerOf(said('x'), client('decides', { 'X-Sonde-Thread': '../x y' })),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('behind others of its thread has its own answer', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const inThread = client('decides', { 'X-Sonde-Thread': 'talk' });
    const first = answerOf(said('wait for it'), inThread);
    await works();
    const others = [answerOf(said('the second'), inThread), answerOf(said('the third'), inThread)];
    for (let turn = 0; turn < 50; turn += 1) await loopTurn();
    desk.agent.release();
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ message }) => message.content)).toEqual([
      'heard: wait for it',
      'heard: the second',
      'heard: the third',
    ]);
  });

  it.each<[string, object, string, number, string | null]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }, 'decides', 400, 'tools'],
    ['functions', { functions: [{ name: 'f' }] }, 'decides', 400, 'functions'],
    ['two answers', { n: 2 }, 'decides', 400, 'n'],
    ['JSON', { response_format: { type: 'json_object' } }, 'decides', 400, 'response_format'],
    [
      'a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'decides',
      400,
      'messages.0.content',
    ],
    [
      'no word of the person',
      { messages: [{ role: 'assistant', content: 'x' }] },
      'decides',
      400,
      'messages',
    ],
    ['no messages', { messages: [] }, 'decides', 400, 'messages'],
    ['a path for a model', { model: 'code:/etc' }, 'decides', 404, 'model'],
    ['another workspace', { model: 'workspace:other' }, 'decides', 404, 'model'],
    ['nobody', {}, 'nothing', 401, null],
    ['a reader', {}, 'reads', 403, null],
    ['a token of another place', {}, 'wrong_place', 403, null],
  ])('of %s is refused in the form of this interface, once', async (_, more, as, status, param) => {
    let asked = 0;
    const of = new OpenAI({
      apiKey: as,
      baseURL: 'http://localhost/v1',
      fetch: (url, init) => {
        asked += 1;
        return desk.fetch(String(url), init as RequestInit);
      },
    });
    const thrown = await of.chat.completions
      .create({ ...said('x'), ...more } as never)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(OpenAI.APIError);
    expect(thrown).toMatchObject({
      status,
      param,
      type: expect.any(String),
      message: expect.stringMatching(/./),
    });
    expect(asked).toBe(1);
    expect(await desk.sessions.threads.list()).toEqual([]);
  });

  it('while the agent starts is refused so that a library asks again, and leaves no conversation', async () => {
    desk.agent.requests.down();
    const ask = () =>
      desk.fetch('http://localhost/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer decides' },
        body: JSON.stringify(said('x')),
      });
    const refused = await ask();
    const told = ['x-should-retry', 'retry-after'].map((name) => refused.headers.get(name));
    expect([refused.status, ...told]).toEqual([503, 'true', '5']);
    expect(await desk.sessions.threads.list()).toEqual([]);
    desk.agent.requests.up(desk.agent.client);
    expect((await ask()).status).toBe(200);
  });

  it('cites blocks and pages where they stand on the page', async () => {
    const [page] = desk.write('author', { op: 'create_page', path: 'Plan', text: 'Ship.\n' });
    const block = desk.world.read(page!)!.blocks[0]!.id;
    const { message } = await answerOf(said(`see [${block}] and [${page}], not [bl-nowhere0]`));
    expect(message.annotations?.map((one) => one.url_citation)).toEqual([
      expect.objectContaining({ title: 'Plan', url: `http://localhost/#/pages/${page}/${block}` }),
      expect.objectContaining({ title: 'Plan', url: `http://localhost/#/pages/${page}` }),
    ]);
    const [first] = message.annotations!;
    const { start_index, end_index } = first!.url_citation;
    expect(message.content?.slice(start_index, end_index)).toBe(`[${block}]`);
  });

  it('takes what changes nothing here', async () => {
    const asked = { ...said('x'), temperature: 0.2, max_tokens: 5, top_p: 1, seed: 1, tools: [], stop: null };
    expect((await answerOf(asked)).message.content).toBe('heard: x');
    const parts = [
      { type: 'text' as const, text: 'one' },
      { type: 'text' as const, text: 'two' },
    ];
    expect(
      (await answerOf({ model: 'workspace:notes', messages: [{ role: 'user', content: parts }] } as never))
        .message.content,
    ).toBe('heard: one');
  });
});

describe('a stream', () => {
  it('is the answer in pieces, its end, and what it took', async () => {
    const stream = await client().chat.completions.create({
      ...said('look around'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('heard: look around');
    expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant');
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('says what is being done, so that nobody takes it for dead', async () => {
    const response = await desk.fetch('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer decides' },
      body: JSON.stringify({ ...said('look around'), stream: true }),
    });
    const text = await response.text();
    expect(text).toContain(': look look around\n\n');
    expect(text).not.toContain('"usage"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('that is closed ends its turn, and the conversation takes the next word', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const inThread = client('decides', { 'X-Sonde-Thread': 'talk' });
    const stream = await inThread.chat.completions.create({ ...said('wait for it'), stream: true });
    const pieces = stream[Symbol.asyncIterator]();
    await pieces.next();
    await works();
    stream.controller.abort();
    await pieces.return?.();
    await stands('idle');
    expect((await answerOf(said('and now'), inThread)).message.content).toBe('heard: and now');
  });
});

describe('code', () => {
  it('is asked in a run of its own, whose citations open the page at their lines', async () => {
    const asked = client().chat.completions.create({
      ...said('Why?', system('Briefly.')),
      model: 'code:depot',
    });
    while (desk.children.length === 0) await loopTurn();
    const [child] = desk.children;
    expect(child!.setting).toMatchObject({
      shape: 'research',
      request: { question: expect.stringMatching(/Why\?[\s\S]*Briefly\./) },
    });
    const lease = await desk.own.runs.acquire(child!.run);
    const log = desk.own.log(lease);
    for (const [n, event] of researchEvents.entries()) log.append(`e${n}`, event);
    await desk.own.commit(lease);
    await lease.release();
    child!.end();
    const { message } = (await asked).choices[0]!;
    expect(message.content).toBe('It is one [ev-0123456789].');
    expect(message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: {
          start_index: 10,
          end_index: 25,
          title: 'a.ts:1-2',
          url: `http://localhost/#/runs/${child!.run}/evidence/ev-0123456789`,
        },
      },
    ]);
  });
});
