/** What was found on the wires of providers, each with its rule. */
import { afterEach, expect, it } from 'vitest';
import { masker } from '../../core/index.ts';
import { maskModel } from '../mask-model.ts';
import type { Model } from '../model.ts';
import { anthropicModel } from '../providers/anthropic/anthropic.ts';
import { openaiModel } from '../providers/openai/openai.ts';
import { openaiCompatibleModel } from '../providers/openai-compatible/openai-compatible.ts';
import { answerCalls, getReply, newDialogue, requestOptions, tools } from './dialogue.contract.ts';
import { addEntries, beginDialogue, callsOf, type Dialogue, type Entry } from './dialogue.ts';
import type { PlayedTurn } from './played-turn.contract.ts';
import { type StrictServer, strictServer } from './strict-server.contract.ts';
import { connection, openWire, toPieces, type Wire, wires } from './wires.contract.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function server(): Promise<StrictServer> {
  const opened = await strictServer();
  ends.push(opened.close);
  return opened;
}

const all = Object.keys(wires) as Wire[];
const search = { calls: [{ name: 'grep', args: '{"pattern":"a"}' }] };
const thinking: PlayedTurn = { reasoning: 'r', ...search };

/** A round, and the dialogue behind it. */
async function round(model: Model, dialogue: Dialogue, more = {}): Promise<Dialogue> {
  const { by, parts, ...reply } = await getReply(model, { dialogue, ...requestOptions, ...more });
  return addEntries(dialogue, { kind: 'reply', by, parts }, ...answerCalls({ by, parts, ...reply }));
}

it('Anthropic: a tool is demanded in words, with and without thinking; the tools stay', async () => {
  for (const wire of ['anthropic', 'anthropic, thinking'] as const) {
    const { play, requests, origin } = await server();
    const model = wires[wire](origin);
    play(wire === 'anthropic' ? search : thinking, { text: 'done' });
    const dialogue = await round(model, newDialogue());
    await getReply(model, { dialogue, ...requestOptions, must: 'finalize' });
    const [first, second] = requests.map(({ body }) => body);
    expect(second.tool_choice).toEqual(first.tool_choice);
    expect(second.tools).toHaveLength(tools.length);
    expect(second.thinking).toEqual(first.thinking);
  }
});

it('OpenAI: a tool is demanded by the list of allowed ones; the tools stay, byte for byte', async () => {
  const { play, requests, origin } = await server();
  play(search, { text: 'done' });
  const dialogue = await round(wires.openai(origin), newDialogue());
  await getReply(wires.openai(origin), { dialogue, ...requestOptions, must: 'finalize' });
  const [first, second] = requests.map(({ body }) => body);
  expect(JSON.stringify(second.tools)).toBe(JSON.stringify(first.tools));
  expect(second.tool_choice).toEqual({
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'finalize' }],
  });
});

it.each(all)('%s: no field of a tool depends on whether the reply is streamed', async (wire) => {
  const { play, requests, origin } = await server();
  play({ text: 'a' }, { text: 'b' });
  await getReply(wires[wire](origin), { dialogue: newDialogue(), ...requestOptions });
  await getReply(wires[wire](origin), { dialogue: newDialogue(), ...requestOptions, onText: () => {} });
  expect(requests[0]?.raw).not.toContain('eager_input_streaming');
  expect(requests[1]?.raw).toBe(requests[0]?.raw);
});

it.each(all)('%s: whole and streamed, the same value comes of it', async (wire) => {
  const turn: PlayedTurn = {
    ...(wire !== 'anthropic' && { reasoning: 'I look in two places.' }),
    ...(wire === 'anthropic, thinking' && { redacted: true }),
    text: 'Two places.',
    calls: [
      { name: 'grep', args: '{"pattern":"a\\nb"}' },
      { name: 'grep', args: '{"pattern":"c"}' },
    ],
  };
  const replies = [];
  for (const whole of [false, true]) {
    const subject = await openWire(wire, whole);
    ends.push(subject.close);
    subject.play(turn);
    replies.push(await getReply(subject.model, { dialogue: newDialogue(), ...requestOptions }));
  }
  expect(replies[1]).toEqual(replies[0]);
});

it('Anthropic: marks on the last tool, the system text, and the last parts of the last two messages of ours', async () => {
  const { play, requests, origin } = await server();
  play(search, search, search, { text: 'done' });
  let dialogue = newDialogue();
  for (let n = 0; n < 3; n += 1) dialogue = await round(wires.anthropic(origin), dialogue);
  await getReply(wires.anthropic(origin), { dialogue, ...requestOptions });
  const body = requests.at(-1)?.body;
  const marked = (parts: readonly { readonly cache_control?: unknown }[]) =>
    parts.map((part) => part.cache_control !== undefined);
  expect(marked(body.tools)).toEqual([false, true]);
  expect(marked(body.system)).toEqual([true]);
  const own = body.messages.filter(({ role }: { role: string }) => role === 'user');
  expect(own.map(({ content }: never) => marked(content).at(-1))).toEqual([false, false, true, true]);
});

it('OpenAI: the key of the cache is the run, and nothing is stored there', async () => {
  const { play, requests, origin } = await server();
  play({ text: 'done' });
  await getReply(wires.openai(origin), { dialogue: newDialogue(), ...requestOptions });
  expect(requests[0]?.body).toMatchObject({ prompt_cache_key: 'run-1', store: false });
});

it('Anthropic: what may be thought is asked for beside the output limit', async () => {
  const { play, requests, origin } = await server();
  play({ reasoning: 'r', text: 'done' });
  const model = wires['anthropic, thinking'](origin);
  await getReply(model, { dialogue: newDialogue(), ...requestOptions });
  expect(requests[0]?.body).toMatchObject({
    max_tokens: requestOptions.maxOutputTokens + 1_024,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  });
  expect(model.thinking).toBe(1_024);
});

const pairs = all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to] as const));
it.each(pairs)(
  '%s began, %s goes on: foreign reasoning is left out, and nothing is thought in that turn',
  async (from, to) => {
    const [one, other] = [await strictServer('one'), await strictServer('other')];
    ends.push(one.close, other.close);
    const thought = (wire: Wire): PlayedTurn => (wire === 'anthropic' ? search : thinking);
    one.play(thought(from));
    const dialogue = await round(wires[from](one.origin), newDialogue());
    // As the real one would: without thinking nothing is thought.
    const next = to.startsWith('anthropic') ? search : thought(to);
    other.play(next, next, { text: 'done' });
    let after = await round(wires[to](other.origin), dialogue);
    const taken = other.requests[0]?.body;
    expect(taken.thinking?.type).not.toBe('enabled');
    expect(JSON.stringify(toPieces(taken))).not.toMatch(/"(thinking|reasoning)","/);
    after = await round(wires[to](other.origin), after);
    expect((await getReply(wires[to](other.origin), { dialogue: after, ...requestOptions })).stop).toBe(
      'end',
    );
  },
);

it.each(all)('%s: the word of the program is no text beside results', async (wire) => {
  const { play, requests, origin } = await server();
  play(wire === 'anthropic' ? search : thinking, { text: 'done' });
  const dialogue = await round(wires[wire](origin), newDialogue());
  await getReply(wires[wire](origin), { dialogue, ...requestOptions });
  const { input, messages } = requests.at(-1)?.body ?? {};
  const last = (input ?? messages).at(-1);
  const kinds = Array.isArray(last.content)
    ? last.content.map(({ type }: { type: string }) => type)
    : [last.type ?? last.role];
  expect(kinds.every((kind: string) => /^(tool_result|function_call_output|tool)$/.test(kind))).toBe(true);
});

it('OpenAI: reasoning that led to nothing is not sent back by itself', async () => {
  const { play, origin } = await server();
  const model = wires.openai(origin);
  play({ reasoning: 'r', text: 'a' }, { text: 'b' });
  const reply = await getReply(model, { dialogue: newDialogue(), ...requestOptions });
  const alone: Entry = {
    kind: 'reply',
    by: reply.by,
    parts: reply.parts.filter(({ kind }) => kind === 'reasoning'),
  };
  const dialogue = addEntries(newDialogue(), alone, { kind: 'user', text: 'Go on.' });
  expect((await getReply(model, { dialogue, ...requestOptions })).stop).toBe('end');
});

it('chat: a server that refuses tools is asked in text from then on, by this process and the next', async () => {
  const { play, requests, origin } = await server();
  const kept = new Map<string, unknown>();
  const learned = {
    load: (name: string) => kept.get(name),
    save: (name: string, value: unknown) => void kept.set(name, value),
  };
  const open = () => openaiCompatibleModel('ollama', 'small', { ...connection(origin), learned });
  const message = 'registry.ollama.ai/library/small:latest does not support tools';
  play(
    { error: { status: 400, message } },
    { text: 'I look.\n<call name="grep">\n<arg name="pattern">a\\b "c"</arg>\n</call>' },
  );
  const model = open();
  const refused = await model.reply?.({ dialogue: newDialogue(), ...requestOptions });
  expect(refused).toMatchObject({ kind: 'failure', retryable: true, retryAfterMs: 0 });
  const reply = await getReply(model, { dialogue: newDialogue(), ...requestOptions });
  expect(callsOf(reply)).toMatchObject([{ name: 'grep', input: { pattern: 'a\\b "c"' } }]);
  play({ text: 'Nothing.' });
  await getReply(open(), { dialogue: newDialogue(), ...requestOptions });
  expect(requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false]);
});

it.each([
  ["'tool_choice' must be 'auto' or 'none'", 'tool_choice'],
  ["Unsupported field 'reasoning_content' in messages[2]", 'reasoning_content'],
])('chat: a server that refuses with "%s" is asked without it', async (message, field) => {
  const { play, requests, origin } = await server();
  const model = wires.chat(origin);
  play(thinking, { error: { status: 400, message } }, { text: 'done' });
  const dialogue = await round(model, newDialogue());
  const request = { dialogue, ...requestOptions, must: 'finalize' };
  expect(await model.reply?.(request)).toMatchObject({ kind: 'failure', retryable: true });
  expect((await getReply(model, request)).stop).toBe('end');
  expect(requests.at(-2)?.raw).toContain(field);
  expect(requests.at(-1)?.raw).not.toContain(field);
  expect(requests.at(-1)?.raw).toContain('"tools"');
});

it('chat: a refusal of one wrong call is not taken for one of all tools', async () => {
  const { play, origin } = await server();
  const model = wires.chat(origin);
  const message = "An assistant message with 'tool_calls' must be followed by tool messages: call_1";
  play({ error: { status: 400, message } });
  expect(await model.reply?.({ dialogue: newDialogue(), ...requestOptions })).toMatchObject({
    retryable: false,
  });
});

it.each(all)('%s: a secret is neither sent nor kept; reasoning that held one is left out', async (wire) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const { play, requests, origin } = await server();
  const model = maskModel(wires[wire](origin), masker({ key: Buffer.from('k'), known: [] }));
  play(
    {
      ...(wire !== 'anthropic' && { reasoning: `The token is ${secret}.` }),
      text: `It is ${secret}.`,
      calls: [{ name: 'grep', args: JSON.stringify({ pattern: secret }) }],
    },
    { text: 'done' },
  );
  const dialogue = await round(model, beginDialogue({ system: 'Look.', tools }, `Where is ${secret}?`));
  expect(JSON.stringify(dialogue.entries.slice(1))).not.toContain(secret);
  await getReply(model, { dialogue, ...requestOptions });
  expect(requests.map(({ raw }) => raw.includes(secret))).toEqual([false, false]);
});

it.each(all)('%s: what was read from the cache is reported', async (wire) => {
  const { play, origin } = await server();
  play({ text: 'done', cacheRead: 100, ...(wire.startsWith('anthropic') && { cacheWrite: 20 }) });
  const { usage } = await getReply(wires[wire](origin), { dialogue: newDialogue(), ...requestOptions });
  expect(usage).toMatchObject({
    cacheRead: 100,
    cacheWrite: wire.startsWith('anthropic') ? 20 : 0,
    estimated: false,
  });
});

it.each([
  [2_000, 'low'],
  [8_000, 'medium'],
  [30_000, 'high'],
] as const)(
  '%i tokens to think are told in a word where that is what is taken: %s',
  async (tokens, effort) => {
    const { play, requests, origin } = await server();
    play({ text: 'a' }, { text: 'b' });
    const thinks = { ...connection(origin), maxOutput: 128_000, thinking: tokens };
    for (const model of [
      openaiModel('gpt-5.1', thinks),
      openaiCompatibleModel('openai-compatible', 'm', thinks),
    ]) {
      await getReply(model, { dialogue: newDialogue(), ...requestOptions });
      expect(model.thinking).toBe(tokens);
    }
    // What is thought comes out of the limit that is sent.
    const limit = requestOptions.maxOutputTokens + tokens;
    expect(requests[0]?.body).toMatchObject({ reasoning: { effort }, max_output_tokens: limit });
    expect(requests[1]?.body).toMatchObject({ reasoning_effort: effort, max_tokens: limit });
  },
);

it('a server that knows no effort is asked without one', async () => {
  const { play, requests, origin } = await server();
  const message = 'Unrecognized request argument supplied: reasoning_effort';
  play({ error: { status: 400, message } }, { text: 'done' });
  const model = openaiCompatibleModel('openai-compatible', 'm', { ...connection(origin), thinking: 2_000 });
  expect(await model.reply!({ dialogue: newDialogue(), ...requestOptions })).toMatchObject({
    kind: 'failure',
    retryable: true,
  });
  await getReply(model, { dialogue: newDialogue(), ...requestOptions });
  expect(requests.map(({ body }) => 'reasoning_effort' in body)).toEqual([true, false]);
});

it('models that differ in thinking alone are two speakers', async () => {
  const { play, origin } = await server();
  play({ text: 'a' }, { text: 'b' });
  const plain = await getReply(anthropicModel('claude-x', connection(origin)), {
    dialogue: newDialogue(),
    ...requestOptions,
  });
  const thinks = anthropicModel('claude-x', { ...connection(origin), thinking: 1_024 });
  expect((await getReply(thinks, { dialogue: newDialogue(), ...requestOptions })).by).not.toBe(plain.by);
  expect(openaiModel('gpt-5.1', connection(origin)).thinking).toBeUndefined();
});
