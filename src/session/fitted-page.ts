/**
 * A conversation as a planner is shown it, where all of it is more than its context window holds: results of tools give
 * way, those that it has seen longest ago first, and say how to see them again. The history keeps all of it, and what
 * is shown follows from the history alone, so that a step that is done again shows the same.
 */
import { countTokens, estimateTokens } from '../model/index.ts';
import { quotedText, quoteMaterial } from './boundary.ts';
import type { Message, ToolCallMessage } from './messages.ts';
import { pageOf } from './planner-page.ts';

type Result = Extract<Message, { kind: 'tool' }>;

/** A result that is shorter takes no less room when it gives way. Characters. */
const worthCutting = 2_000;
/** Characters. */
const longestArgs = 500;
/** Of a result that was not seen before so much is shown in any case. Tokens. */
const leastShown = 300;
/** Of the words on a result that is cut. Tokens. */
const notice = 80;

export interface Fitted {
  readonly page: string;
  /** Tokens, by our count. */
  readonly tokens: number;
  /** Results gave way. */
  readonly cut: boolean;
}

/** As much of it as fits `room`, in tokens; more than that where what was said does not, either. */
export function fittedPage(messages: readonly Message[], room: number): Fitted {
  const whole = pageOf(messages);
  // The estimate is quick and errs high.
  const high = estimateTokens(whole);
  if (high <= room) return { page: whole, tokens: high, cut: false };
  const tokens = countTokens(whole);
  if (tokens <= room) return { page: whole, tokens, cut: false };
  const shown = [...messages];
  let over = tokens - room;
  const sizeOf = (message: Message): number => countTokens(pageOf([message]));
  const put = (at: number, message: Message): void => {
    over += sizeOf(message) - sizeOf(shown[at]!);
    shown[at] = message;
  };
  const calls = messages.flatMap((each) => (each.kind === 'assistant' ? each.calls : []));
  const long = messages.flatMap((each, at) => {
    if (each.kind !== 'tool' || kept.has(each.name) || each.text.length <= worthCutting) return [];
    const call = calls.find(({ id }) => id === each.call);
    return call?.effect === 'read' ? [{ at, each, call }] : [];
  });
  // What came after the planner's last word it has not seen yet.
  const seen = messages.findLastIndex(({ kind }) => kind === 'assistant');
  for (const { at, each, call } of long) if (over > 0 && at < seen) put(at, left(each, call));
  if (over > 0) {
    const fresh = long.filter(({ at }) => at > seen).map((one) => ({ ...one, size: sizeOf(one.each) }));
    const roomLeft = fresh.reduce((sum, { size }) => sum + size, 0) - over;
    for (const { at, each, tokens } of shares(fresh, roomLeft))
      put(at, begun(each, Math.max(leastShown, tokens)));
  }
  const page = pageOf(shown);
  return { page, tokens: countTokens(page), cut: shown.some((each, at) => each !== messages[at]) };
}

/** The person's words, and what is dear to get again and short. */
const kept: ReadonlySet<string> = new Set(['ask_user', 'task', 'compact_history']);

/** What each may have of the room there is: as much as any other, and what a shorter one leaves over. */
function shares<One extends { readonly size: number }>(
  of: readonly One[],
  room: number,
): readonly (One & { readonly tokens: number })[] {
  const cut: (One & { readonly tokens: number })[] = [];
  let left = room;
  for (const [nth, one] of of.toSorted((a, b) => a.size - b.size).entries()) {
    const share = Math.floor(left / (of.length - nth));
    left -= Math.min(one.size, share);
    if (one.size > share) cut.push({ ...one, tokens: share });
  }
  return cut;
}

/** Facts stand before what is quoted: what was written, how complete it is. */
const factsOf = ({ text }: Result): string => text.slice(0, Math.max(0, text.indexOf('<sonde-material ')));

function left(message: Result, { name, args }: ToolCallMessage): Result {
  const given = JSON.stringify(args);
  const again = given.length > longestArgs ? 'Make the same call' : `Call ${name} ${given}`;
  const text = `${factsOf(message)}(Left out to make room, since you have seen it: ${message.text.length} characters. ${again} to see it again.)`;
  return { ...message, text };
}

function begun(message: Result, tokens: number): Result {
  const whole = quotedText(message.text);
  const part = Math.max(0, tokens - notice - countTokens(factsOf(message)));
  let length = Math.floor((whole.length * part) / countTokens(message.text));
  // What is cut may be denser than the whole.
  while (length > 0 && countTokens(whole.slice(0, length)) > part) length = Math.floor(length * 0.8);
  const shown = quoteMaterial(whole.slice(0, length).toWellFormed(), {
    source: message.name,
    trust: 'untrusted',
  });
  const text = `${factsOf(message)}${shown}\n(Cut to make room: ${length} of ${whole.length} characters. Ask for fewer things at once, or for parts of them.)`;
  return { ...message, text };
}
