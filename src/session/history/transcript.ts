/** A conversation as one text, for summaries. */

import { personText } from '../boundary/person-text.ts';
import type { Message } from './messages.ts';

export function transcriptOf(messages: readonly Message[]): string {
  return messages.map(showMessage).join('\n\n');
}

function showMessage(message: Message): string {
  switch (message.kind) {
    case 'user':
    case 'steer':
      return `## The person\n${personText(message.text)}`;
    case 'assistant': {
      const calls = message.calls.map(({ name, args }) => `- ${name} ${JSON.stringify(args)}`);
      return ['## You', ...(message.text === '' ? [] : [message.text]), ...calls].join('\n');
    }
    case 'tool': {
      const { name, ok, text } = message;
      return name === 'ask_user' && ok
        ? `## The person\n${personText(text)}`
        : `## ${name} (result)\n${text}`;
    }
    case 'compact': {
      const { summary, insights, dropped } = message.form;
      const worth = insights.map(({ tier, key, text }) => `Worth keeping (${tier}, ${key}): ${text}`);
      return ['## Earlier', `In place of ${dropped.messages} messages.`, summary, ...worth].join('\n');
    }
  }
}
