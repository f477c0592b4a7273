/** A played turn on the three wires, whole or in pieces. */
import { type Body, type PlayedTurn, sign } from './played-turn.contract.ts';

export interface PlayContext {
  /** Counts the answers of the server. */
  readonly id: number;
  readonly key: string;
  readonly streamed: boolean;
  /** Tokens that are reported of the request. */
  readonly input: number;
}

type Event = readonly [name: string | null, data: unknown];
const output = 40;

const events = (list: readonly Event[]) =>
  list
    .map(([name, data]) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`;
    })
    .join('');
const toEvent = (data: Body): Event => [data.type, data];

/** Splits a text in two, so that a stream has more than one piece. */
const halves = (text: string) =>
  text.length < 2 ? [text] : [text.slice(0, text.length / 2), text.slice(text.length / 2)];

export function anthropicTurn(turn: PlayedTurn, { id, key, streamed, input }: PlayContext): string {
  const { cacheRead = 0, cacheWrite = 0 } = turn;
  const blocks: Body[] = [
    ...(turn.redacted ? [{ type: 'redacted_thinking', data: sign('redacted', key) }] : []),
    ...(turn.reasoning === undefined
      ? []
      : [{ type: 'thinking', thinking: turn.reasoning, signature: sign(turn.reasoning, key) }]),
    ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
    ...(turn.calls ?? []).map((call, n) => ({
      type: 'tool_use',
      id: call.id ?? `toolu_${id}_${n}`,
      name: call.name,
      raw: call.args,
    })),
  ];
  const stop_reason = stopOf(turn, {
    length: 'max_tokens',
    refusal: 'refusal',
    calls: 'tool_use',
    end: 'end_turn',
  });
  const usage = {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
  if (!streamed)
    return JSON.stringify({
      ...head,
      content: blocks.map(({ raw, ...block }) =>
        raw === undefined ? block : { ...block, input: parseOrEmpty(raw) },
      ),
      stop_reason,
      usage,
    });
  return events([
    toEvent({ type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } }),
    ...blocks.flatMap(({ raw, ...block }, index) => [
      toEvent({ type: 'content_block_start', index, content_block: emptyBlock(block) }),
      ...splitBlock(block, raw).map((delta) => toEvent({ type: 'content_block_delta', index, delta })),
      toEvent({ type: 'content_block_stop', index }),
    ]),
    toEvent({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: output },
    }),
    toEvent({ type: 'message_stop' }),
  ]);
}

function emptyBlock(block: Body): Body {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function splitBlock(block: Body, raw: string | undefined): readonly Body[] {
  if (raw !== undefined)
    return halves(raw).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type !== 'thinking') return [];
  return [
    ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

export function responsesTurn(turn: PlayedTurn, { id, key, streamed, input }: PlayContext): string {
  const reasons = turn.reasoning !== undefined;
  const summary = turn.reasoning ? [{ type: 'summary_text', text: turn.reasoning }] : [];
  const items: Body[] = [
    ...(reasons
      ? [{ type: 'reasoning', id: `rs_${id}`, encrypted_content: sign(`rs_${id}`, key), summary }]
      : []),
    ...(turn.text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: turn.text, annotations: [] }],
          },
        ]),
    ...(turn.calls ?? []).map((call, n) => ({
      type: 'function_call',
      id: `fc_${id}_${n}`,
      call_id: call.id ?? (reasons ? `call_of_rs_${id}_${n}` : `call_${id}_${n}`),
      name: call.name,
      arguments: call.args,
      status: 'completed',
    })),
  ];
  const incomplete =
    turn.stop === 'length' ? 'max_output_tokens' : turn.stop === 'refusal' ? 'content_filter' : null;
  const whole = {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    model: 'm',
    status: incomplete === null ? 'completed' : 'incomplete',
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    error: null,
    output: items,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: turn.cacheRead ?? 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
  if (!streamed) return JSON.stringify(whole);
  return events([
    toEvent({
      type: 'response.created',
      response: { ...whole, output: [], usage: null, status: 'in_progress' },
    }),
    ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
    toEvent({ type: incomplete === null ? 'response.completed' : 'response.incomplete', response: whole }),
  ]);
}

function itemEvents(item: Body, output_index: number): readonly Event[] {
  const startedItem =
    item.type === 'message'
      ? { ...item, content: [] }
      : item.type === 'function_call'
        ? { ...item, arguments: '' }
        : { ...item, summary: [], encrypted_content: 'not yet whole' };
  const at = { item_id: item.id, output_index };
  const between: Body[] =
    item.type === 'message'
      ? halves(item.content[0].text).map((delta) => ({
          type: 'response.output_text.delta',
          content_index: 0,
          delta,
        }))
      : item.type === 'function_call'
        ? [
            ...halves(item.arguments).map((delta) => ({
              type: 'response.function_call_arguments.delta',
              delta,
            })),
            { type: 'response.function_call_arguments.done', arguments: item.arguments },
          ]
        : item.summary.flatMap((part: Body, summary_index: number) => [
            { type: 'response.reasoning_summary_part.added', summary_index },
            ...halves(part.text).map((delta) => ({
              type: 'response.reasoning_summary_text.delta',
              summary_index,
              delta,
            })),
            { type: 'response.reasoning_summary_part.done', summary_index },
          ]);
  return [
    toEvent({ type: 'response.output_item.added', output_index, item: startedItem }),
    ...between.map((data) => toEvent({ ...at, ...data })),
    toEvent({ type: 'response.output_item.done', output_index, item }),
  ];
}

export function chatTurn(turn: PlayedTurn, { id, streamed, input }: PlayContext): string {
  const calls = (turn.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.args },
  }));
  const finish_reason = stopOf(turn, {
    length: 'length',
    refusal: 'content_filter',
    calls: 'tool_calls',
    end: 'stop',
  });
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: turn.cacheRead ?? 0 },
  };
  const head = { id: `chatcmpl-${id}`, created: 1, model: 'm' };
  if (!streamed) {
    const message = {
      role: 'assistant',
      content: turn.text ?? null,
      ...(turn.reasoning !== undefined && { reasoning_content: turn.reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason, message }],
      usage,
    });
  }
  const chunk = (delta: Body, finish: string | null = null): Event => [
    null,
    { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] },
  ];
  return events([
    chunk({ role: 'assistant' }),
    ...(turn.reasoning
      ? halves(turn.reasoning).map((reasoning_content) => chunk({ reasoning_content }))
      : []),
    ...(turn.text ? halves(turn.text).map((content) => chunk({ content })) : []),
    ...calls.flatMap((call) => [
      chunk({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] }),
      ...halves(call.function.arguments).map((piece) =>
        chunk({ tool_calls: [{ index: call.index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finish_reason),
    [null, { ...head, object: 'chat.completion.chunk', choices: [], usage }],
    [null, '[DONE]'],
  ]);
}

function stopOf(
  { stop, calls }: PlayedTurn,
  words: Readonly<Record<'length' | 'refusal' | 'calls' | 'end', string>>,
) {
  return words[stop ?? (calls?.length ? 'calls' : 'end')];
}

/** A server that answers whole has parsed the model's arguments. Invalid JSON becomes an empty object. */
function parseOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
