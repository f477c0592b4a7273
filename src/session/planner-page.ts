/** What the planner is shown of a conversation and of its tools. */
import type { ToolListing } from '../tools/index.ts';
import { quoteMaterial } from './boundary.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Message } from './messages.ts';
import { personText } from './person-text.ts';

export function pageOf(messages: readonly Message[]): string {
  return messages.map(shown).join('\n\n');
}

function shown(message: Message): string {
  switch (message.kind) {
    case 'user':
      return `## The person\n${personText(message.text)}`;
    case 'assistant': {
      const calls = message.calls.map(({ id, name, args }) => `- ${name} ${JSON.stringify(args)} (${id})`);
      return ['## You', ...(message.text === '' ? [] : [message.text]), ...calls].join('\n');
    }
    case 'tool': {
      const { name, call, ok, text } = message;
      return name === 'ask_user'
        ? `## The person (${call})\n${ok ? personText(text) : text}`
        : `## ${name} (${call})\n${text}`;
    }
    case 'compact': {
      const { summary, insights, write_ids, dropped } = message.form;
      const facts = `In place of ${dropped.messages} messages.${write_ids.length > 0 ? ` Written: ${write_ids.join(', ')}.` : ''}`;
      const worth = insights.map(({ tier, key, text }) => `Worth keeping (${tier}, ${key}): ${text}`);
      const text = [summary, ...worth].join('\n');
      return `## Earlier\n${facts}\n${quoteMaterial(text, { source: 'summary', trust: 'derived' })}`;
    }
  }
}

export function toolLines(listed: readonly ToolListing[], dispatcher: Dispatcher | undefined): string {
  const own = [
    line('ask_user', 'Asks the person one question, and waits for the answer.', {
      type: 'object',
      properties: { question: { type: 'string' } },
      required: ['question'],
    }),
    line(
      'compact_history',
      'Puts a summary in place of the oldest turns; the last ones stay. For when the conversation gets long.',
      {
        type: 'object',
        properties: { keep_turns: { type: 'integer', minimum: 1 } },
      },
    ),
    ...(dispatcher === undefined
      ? []
      : [
          line('task', 'Hands on a piece of work of one of these shapes.', {
            type: 'object',
            properties: {
              shape: { enum: dispatcher.shapes.map(({ key }) => key) },
              params: { type: 'object' },
            },
            required: ['shape', 'params'],
          }),
          ...dispatcher.shapes.map(
            ({ key, description, params }) => `  - shape ${key}: ${description} ${JSON.stringify(params)}`,
          ),
        ]),
  ];
  return [
    ...listed.map(({ name, description, parameters }) => line(name, description, parameters)),
    ...own,
  ].join('\n');
}

function line(name: string, description: string, parameters: unknown): string {
  return `- ${name}: ${description} ${JSON.stringify(parameters)}`;
}
