/**
 * The contract of a dialogue: a fixed head (system text and tools), and entries that are only ever added. A request
 * depends on these alone, so that a resumed run sends the same bytes, and a provider's prefix cache covers everything
 * that was sent before.
 *
 * A user of a dialogue must not: change an entry that was sent, add results that don't answer each call of the reply
 * before them in its order, or read or change the opaque data of a provider.
 */
import { SondeError } from '../../core/index.ts';
import type { SentBefore } from './turn.ts';

export interface DialogueTool {
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Data that only the provider that made it can read: signatures, encrypted reasoning, ids of items. */
export type Opaque = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly opaque?: Opaque }
  | { readonly kind: 'reasoning'; readonly text: string; readonly opaque?: Opaque }
  | Call;

/** A tool that the model wants called. */
export interface Call {
  readonly kind: 'call';
  /** Unique within its reply. */
  readonly id: string;
  readonly name: string;
  /** Always an object, since providers refuse to be sent back anything else. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the arguments were a JSON object, could be repaired, or are kept as text under `unreadable_arguments`. */
  readonly fit: 'read' | 'repaired' | 'unreadable';
  readonly opaque?: Opaque;
}

export interface Result {
  /** Id of the call. */
  readonly call: string;
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  /**
   * Whether getting it again is expensive (an answer of the person, delegated work, a write): it is never shortened.
   */
  readonly kept?: true;
}

export type Entry =
  | {
      readonly kind: 'user';
      readonly text: string;
      /**
       * A short form, sent instead of the text once room is needed. Without it the text is never shortened, like a
       * person's words.
       */
      readonly brief?: string;
    }
  | Reply
  /**
   * In the order of the calls. `note` is a note of Sonde (budget, due work). It is sent inside the last result: as a
   * message of its own it would begin a new turn, at which some models drop their reasoning.
   */
  | { readonly kind: 'results'; readonly results: readonly Result[]; readonly note?: string };

export interface Reply {
  readonly kind: 'reply';
  /** The model that replied, and its thinking settings. Opaque parts are sent back only to the same model. */
  readonly by: string;
  readonly parts: readonly Part[];
}

export interface Head {
  readonly system: string;
  readonly tools: readonly DialogueTool[];
}

export interface Dialogue extends Head {
  readonly entries: readonly Entry[];
}

export function beginDialogue(head: Head, text: string): Dialogue {
  return Object.freeze({ ...head, entries: Object.freeze([{ kind: 'user' as const, text }]) });
}

/** Throws `internal` if the entries would be refused: a call without its result, or a result without its call. */
export function addEntries(dialogue: Dialogue, ...addedEntries: readonly Entry[]): Dialogue {
  let previous = dialogue.entries.at(-1);
  for (const entry of addedEntries) {
    checkPair(previous, entry);
    previous = entry;
  }
  return Object.freeze({ ...dialogue, entries: Object.freeze([...dialogue.entries, ...addedEntries]) });
}

/** Adds a note of Sonde at the end. Call it only before the entry is sent: sent entries never change. */
export function addNote(dialogue: Dialogue, text: string): Dialogue {
  const last = dialogue.entries.at(-1);
  if (last?.kind !== 'results') return addEntries(dialogue, { kind: 'user', text });
  const note = last.note === undefined ? text : `${last.note}\n${text}`;
  return Object.freeze({ ...dialogue, entries: [...dialogue.entries.slice(0, -1), { ...last, note }] });
}

export function callsOf(entry: Entry | undefined): readonly Call[] {
  return entry?.kind === 'reply' ? entry.parts.filter((part) => part.kind === 'call') : [];
}

/** The visible text of an entry. */
export function textOf(entry: Entry | undefined): string {
  if (entry?.kind !== 'reply') return '';
  return entry.parts
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

function checkPair(previous: Entry | undefined, entry: Entry): void {
  const calls = callsOf(previous).map(({ id }) => id);
  const results = entry.kind === 'results' ? entry.results.map(({ call }) => call) : [];
  if (calls.length === results.length && calls.every((id, n) => results[n] === id)) {
    if (entry.kind !== 'results' || results.length > 0) return;
  }
  throw new SondeError('internal', {
    message: `The calls [${calls.join(', ')}] of a dialogue are followed by ${entry.kind} [${results.join(', ')}]`,
  });
}

/** Which parts of a dialogue are left out so that it fits the model's window. The run records it. */
export interface DialogueCut {
  /** In entries before this index, results and long texts are replaced by a short notice. */
  readonly shortened: number;
  /** Rounds before this entry, which is a reply, are left out. */
  readonly dropped: number;
  /** Input tokens that are known to be too many, since the model reported an overflow. */
  readonly window?: number;
  /** The ratio of reported to estimated tokens. */
  readonly perGuess?: number;
  /** Tokens that the provider reported for the first message with system text and tools. */
  readonly first?: number;
  /** The last request with this cut, and its reported usage. */
  readonly sent?: SentBefore & Pick<DialogueCut, 'shortened' | 'dropped'>;
}

export const uncut: DialogueCut = Object.freeze({ shortened: 0, dropped: 0 });
