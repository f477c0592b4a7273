/** Formats a conversation as one text, for summaries. */

import { escapePersonText } from '../boundary/escape-person-text.ts';
import type { Message } from './messages.ts';

export function formatTranscript(messages: readonly Message[]): string {
  return messages.map(formatMessage).join('\n\n');
}

function formatMessage(message: Message): string {
  switch (message.kind) {
    case 'user':
    case 'steer':
      return `## The person\n${escapePersonText(message.text)}`;
    case 'assistant': {
      const calls = message.calls.map(({ name, args }) => `- ${name} ${JSON.stringify(args)}`);
      return ['## You', ...(message.text === '' ? [] : [message.text]), ...calls].join('\n');
    }
    case 'tool': {
      const { name, ok, text } = message;
      return name === 'ask_user' && ok
        ? `## The person\n${escapePersonText(text)}`
        : `## ${name} (result)\n${text}`;
    }
    case 'compact': {
      const { summary, insights, dropped } = message.form;
      const facts = insights.map(({ tier, key, text }) => `Worth keeping (${tier}, ${key}): ${text}`);
      return ['## Earlier', `In place of ${dropped.messages} messages.`, summary, ...facts].join('\n');
    }
  }
}
