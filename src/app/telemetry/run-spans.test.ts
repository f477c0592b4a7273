import { describe, expect, it } from 'vitest';
import type { LoggedEvent, RunEvent } from '../../core/index.ts';
import { createTrace } from './run-spans.ts';

const secret = 'sk-planted-0123456789';
const events: readonly RunEvent[] = [
  { kind: 'run_started', shape: 'research', question: `Where is ${secret}?`, params: {} },
  { kind: 'step_started', step: 1, left: {} },
  {
    kind: 'model_called',
    step: 1,
    call: 'a',
    model: 'openai-compatible:qwen:7b',
    signature: 'act',
    reserved: {},
  },
  {
    ...{ kind: 'model_replied', step: 1, call: 'a', spent: { tokens: 130 }, unknown: false, wall_ms: 5 },
    ...{ text: `It says ${secret}.`, input: 100, output: 30, cached: 20 },
  },
  {
    kind: 'action_started',
    step: 1,
    call: 'x',
    action: 'grep',
    input: { pattern: secret },
    reasoning: secret,
  },
  {
    ...{
      kind: 'action_finished',
      step: 1,
      call: 'x',
      action: 'grep',
      outcome: 'error',
      summary: `saw ${secret}`,
    },
    ...{ evidence: [], fresh: 0, completeness: { kind: 'complete' } as never, wall_ms: 1 },
  },
  { kind: 'model_called', step: 1, call: 'b', model: 'anthropic:claude-x', signature: 'act', reserved: {} },
  { kind: 'model_failed', step: 1, call: 'b', code: 'model_failed', message: secret, remedy: secret },
  { kind: 'model_called', step: 1, call: 'c', model: 'extractive', signature: 'act', reserved: {} },
];
const log = (of: readonly RunEvent[]): LoggedEvent[] =>
  of.map((event, nth) => ({ seq: nth + 1, at: 1_000 + nth * 10, key: `${nth}`, event }));

describe('the trace of a run', () => {
  const { id, spans } = createTrace(log(events), { run: 'rn-1', thread: 'talk' });
  const find = (name: string) => spans.find((span) => span.name === name)!;

  it('follows the conventions, and counts tokens once', () => {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(spans.map(({ name, kind, failed }) => [name, kind, failed])).toEqual([
      ['invoke_agent research', 'internal', false],
      ['Step 1', 'internal', false],
      ['chat qwen:7b', 'client', false],
      ['execute_tool grep', 'internal', true],
      ['chat claude-x', 'client', true],
      ['chat extractive', 'client', false],
    ]);
    expect(find('chat qwen:7b')).toMatchObject({
      parent: find('Step 1').id,
      started: 1_020,
      ended: 1_030,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'qwen:7b',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 30,
        'gen_ai.usage.cache_read.input_tokens': 20,
      },
    });
    expect(find('chat claude-x').attributes['error.type']).toBe('model_failed');
    expect(find('invoke_agent research').attributes['gen_ai.conversation.id']).toBe('talk');
    for (const { name, attributes } of spans)
      if (!name.startsWith('chat ')) expect(Object.keys(attributes).join()).not.toContain('usage');
  });

  it('holds no text unless it is asked for, and then no secret', () => {
    expect(JSON.stringify(spans)).not.toContain('sk-planted');
    expect(JSON.stringify(spans)).not.toContain('It says');
    const mask = (text: string) => text.replaceAll(secret, '[masked]');
    const shown = JSON.stringify(createTrace(log(events), { run: 'rn-1', content: { mask } }).spans);
    expect(shown).toContain('It says [masked].');
    expect(shown).toContain('Where is [masked]?');
    expect(shown).not.toContain('sk-planted');
  });

  it('is the same one when more of the run is there, and ends what was cut off where the log ends', () => {
    const part = createTrace(log(events.slice(0, 3)), { run: 'rn-1' });
    expect(part.id).toBe(id);
    expect(part.spans.map((span) => span.id)).toEqual(spans.slice(0, 3).map((span) => span.id));
    expect(part.spans.map(({ ended }) => ended)).toEqual([1_020, 1_020, 1_020]);
  });
});
