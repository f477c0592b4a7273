/** Keeps the person's own words from a part of a conversation that is replaced by a summary. */

import { ownTools } from '../planner/own-tools.ts';
import type { Message } from './messages.ts';

/** The share of the planner's window that these words may take, and the assumed characters per token. */
const windowShare = 0.25;
const tokenLength = 3;
/** If there is no room for all messages, the longest are cut first, to this many characters each. */
const cutLengths = [16_000, 4_000, 1_000, 300, 100] as const;

/** Oldest first: messages, answers, messages sent during a turn, and the words kept from earlier parts. */
export function collectWords(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(wordsOfMessage);
}

function wordsOfMessage(message: Message): readonly string[] {
  switch (message.kind) {
    case 'user':
    case 'steer':
      return [message.text];
    case 'assistant':
      return [];
    case 'tool':
      return message.name === ownTools.ask_user && message.ok ? [message.text] : [];
    case 'compact':
      return message.form.said ?? [];
  }
}

/** All words if there is room. A message that is cut keeps its beginning and its end. `window`: tokens. */
export function fitWords(words: readonly string[], window: number): string[] {
  const room = window * windowShare * tokenLength;
  const fits = (max: number) => words.reduce((sum, text) => sum + Math.min(text.length, max), 0) <= room;
  const max = [Number.POSITIVE_INFINITY, ...cutLengths].find(fits) ?? cutLengths.at(-1)!;
  return words.map((text) => (text.length <= max ? text : cutMiddle(text, max)));
}

function cutMiddle(text: string, max: number): string {
  const [head, tail] = [Math.ceil(max * 0.7), Math.floor(max * 0.3)];
  const leftOutLength = text.length - head - tail;
  return `${text.slice(0, head)}\n(${leftOutLength} characters are left out here.)\n${text.slice(-tail)}`.toWellFormed();
}
