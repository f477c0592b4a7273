import { expect, it } from 'vitest';
import { anthropicCache } from './cache.ts';
import { headOf, sentOver } from './request.ts';

const ephemeral = { cache_control: { type: 'ephemeral' } };
const schema = { type: 'object', properties: { answer: { type: 'string' } } };

it('Anthropic: tools, form, instructions and messages in the order of the prefix, with their marks', () => {
  const { model, blocks } = sentOver('anthropic', {
    model: 'm',
    system: [{ type: 'text', text: 'Rules.', ...ephemeral }],
    tools: [{ name: 'grep', description: 'Finds lines.', input_schema: { type: 'object' } }],
    output_config: { format: { type: 'json_schema', schema } },
    messages: [
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look first.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'grep', input: { pattern: 'it' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'a.ts:1' }],
            ...ephemeral,
          },
        ],
      },
    ],
  });
  expect(model).toBe('m');
  expect(blocks.map(({ level, text, mark }) => [level, text, mark ?? false])).toEqual([
    ['tools', 'grep: Finds lines.\n{"type":"object"}\n', false],
    ['system', `${JSON.stringify(schema)}\n`, false],
    ['system', 'Rules.\n', true],
    ['messages', 'Where is it?\n', false],
    ['messages', 'Look first.\n', false],
    ['messages', 'grep {"pattern":"it"}\n', false],
    ['messages', 'a.ts:1\n', true],
  ]);
});

it('Anthropic: one mark for the whole request stands at its end', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'One.' }], ...ephemeral };
  expect(sentOver('anthropic', body).blocks.map(({ mark }) => mark)).toEqual([true]);
});

it('Anthropic: another life than that of five minutes has no rule here', () => {
  const system = [{ type: 'text', text: 'Rules.', cache_control: { type: 'ephemeral', ttl: '1h' } }];
  expect(() => sentOver('anthropic', { model: 'm', system, messages: [] })).toThrow(
    'no rule for a life of 1h',
  );
});

it.each([
  ['a forced tool', { tool_choice: { type: 'tool', name: 'answer' } }, false],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }, false],
  ['the choice that is the default', { tool_choice: { type: 'auto' } }, true],
])('Anthropic: %s in one call: the messages are read in the next: %s', (_, change, isRead) => {
  const said = ' the'.repeat(2000);
  const body = {
    model: 'm',
    system: [{ type: 'text', text: said, ...ephemeral }],
    messages: [{ role: 'user', content: [{ type: 'text', text: said, ...ephemeral }] }],
  };
  const call = anthropicCache();
  call(sentOver('anthropic', { ...body, ...change }).blocks, 0);
  const { input, read } = call(sentOver('anthropic', body).blocks, 0);
  // The instructions stay in any case.
  expect(read).toBe(isRead ? input : input / 2);
});

it('Chat Completions: instructions are those of the system, calls and results are messages', () => {
  const sent = sentOver('openai', {
    model: 'm',
    tools: [{ type: 'function', function: { name: 'grep', description: 'Finds lines.', parameters: {} } }],
    response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } },
    messages: [
      { role: 'system', content: 'Rules.' },
      { role: 'user', content: [{ type: 'text', text: 'Where is it?' }] },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'grep', arguments: '{"pattern":"it"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'a.ts:1' },
    ],
  });
  expect(sent.blocks.map(({ level, text }) => [level, text])).toEqual([
    ['tools', 'grep: Finds lines.\n{}\n'],
    ['system', `${JSON.stringify(schema)}\n`],
    ['system', 'system\nRules.\n'],
    ['messages', 'user\nWhere is it?\n'],
    ['messages', 'assistant\nLooking.\ngrep {"pattern":"it"}\n'],
    ['messages', 'tool\na.ts:1\n'],
  ]);
  expect(headOf(sent)).toHaveLength(3);
});

it('Responses: items of all kinds are counted by what the model reads', () => {
  const { blocks } = sentOver('openai', {
    model: 'm',
    instructions: 'Rules.',
    tools: [{ type: 'function', name: 'grep', description: 'Finds lines.', parameters: {} }],
    text: { format: { type: 'json_schema', name: 'reply', schema } },
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Where is it?' }] },
      {
        type: 'reasoning',
        encrypted_content: 'AAAA',
        summary: [{ type: 'summary_text', text: 'Look first.' }],
      },
      { type: 'function_call', call_id: 'call_1', name: 'grep', arguments: '{"pattern":"it"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'a.ts:1' },
    ],
  });
  expect(blocks.map(({ level, text }) => [level, text])).toEqual([
    ['tools', 'grep: Finds lines.\n{}\n'],
    ['system', `${JSON.stringify(schema)}\n`],
    ['system', 'Rules.\n'],
    ['messages', 'user\nWhere is it?\n'],
    ['messages', 'reasoning\nLook first.\n'],
    ['messages', 'function_call\ngrep {"pattern":"it"}\n'],
    ['messages', 'function_call_output\na.ts:1\n'],
  ]);
});
