/**
 * Hides secrets in texts, each behind a mark of its own: `[secret:KIND:xxxxxx]`. The last part is a keyed hash of the
 * secret: the same secret has the same mark everywhere, and nobody without the key can test guesses. The key is an
 * argument, kept by the composition.
 */
import { createHmac } from 'node:crypto';
import type { FileText } from '../material.ts';
import { spanHash } from '../text/text-lines.ts';
import { findSecrets } from './find-secrets.ts';
import { indexKnownSecrets } from './known-secrets.ts';
import { maskDeep, maskFound, maskSecrets } from './redact.ts';

/** The parts of a masker as plain data, so that a thread can build the same one. */
export interface MaskRecipe {
  /** The key of this home. */
  readonly key: Uint8Array;
  /** Keys of this process: masked in whatever form they come back. */
  readonly known: readonly string[];
}

export interface Masker {
  readonly recipe: MaskRecipe;
  /** The mark of a known secret. */
  mark(secret: string): string;
  /** For text of any kind: code, pages, messages, prompts and replies. */
  text(text: string): string;
  /** For the lines of a file; re-reading finds the hashes of the true lines in `masked`. */
  file(file: FileText): FileText;
  /**
   * Undoes masking in a text that was made from a masked one: marks of secrets that `source` contains become these
   * secrets again.
   */
  restore(text: string, source: string): string;
  /** For texts that systems wrote: a value is masked wherever a secret is expected, whatever it looks like. */
  system(text: string): string;
  /** Every text within a value, as `text` does. */
  value<Value>(value: Value): Value;
  /** Every text within a value, as `system` does; also the value of a field with the name of a secret. */
  systemValue<Value>(value: Value): Value;
}

/** Masks secrets in texts that systems wrote. */
export type SystemMask = Pick<Masker, 'system' | 'systemValue'>;

/** Works without a key: all secrets look the same. */
export const plainMask: SystemMask = Object.freeze({
  system: (text: string) => maskSecrets(text),
  systemValue: <Value>(value: Value) => maskDeep(value),
});

/** Length of the id in a mark, in hexadecimal digits. */
const idLength = 6;
/** Longer ones are drawn by a machine, shorter ones thought up by people. */
const maxPasswordLength = 20;
/** Marks that are remembered. */
const maxMarks = 10_000;

export function masker(recipe: MaskRecipe): Masker {
  const known = indexKnownSecrets(recipe.known);
  const marks = new Map<string, string>();
  const hide = (secret: string, kind?: string): string => {
    const before = marks.get(secret);
    if (before !== undefined) return before;
    const id = createHmac('sha256', recipe.key).update(secret).digest('hex').slice(0, idLength);
    const mark = `[secret:${kind ?? kindOf(secret)}:${id}]`;
    if (marks.size >= maxMarks) marks.clear();
    marks.set(secret, mark);
    return mark;
  };
  const text = (given: string): string =>
    maskFound(
      known.without(given, (secret) => hide(secret)),
      hide,
    );
  const system = (given: string): string =>
    maskSecrets(
      known.without(given, (secret) => hide(secret)),
      hide,
    );
  return Object.freeze({
    recipe,
    mark: (secret) => hide(secret),
    text,
    system,
    restore(given, source) {
      if (!given.includes('[secret:')) return given;
      const marks: [string, string][] = [];
      const note = (secret: string, kind: string | undefined, piece: string): string => {
        const mark = hide(secret, kind);
        marks.push([mark, piece]);
        return mark;
      };
      const rest = known.without(source, (secret, piece) => note(secret, undefined, piece));
      maskFound(rest, (secret, kind, piece = secret) => note(secret, kind, piece));
      return unmask(given, indexMarks(marks));
    },
    file: (file) => maskFile(file, text),
    value: (value) => mapTexts(value, text),
    systemValue: (value) =>
      maskDeep(
        mapTexts(value, (given) => known.without(given, (secret) => hide(secret))),
        hide,
      ),
  } satisfies Masker);
}

/** Derived from the secret alone, so that the mark is the same wherever the secret is found. */
function kindOf(secret: string): string {
  const [span] = findSecrets(secret);
  if (span !== undefined && span.start === 0 && span.end === secret.length) return span.kind;
  return secret.length < maxPasswordLength ? 'password' : 'token';
}

function maskFile(file: FileText, mask: (text: string) => string): FileText {
  const text = file.lines.join('\n');
  const clean = mask(text);
  if (clean === text) return file;
  const lines = clean.split('\n');
  if (lines.length !== file.lines.length) throw new Error('A mask changed the number of lines.');
  const numbers = new Set<number>();
  for (const [index, line] of lines.entries()) if (line !== file.lines[index]) numbers.add(index + 1);
  return Object.freeze({
    ...file,
    lines: Object.freeze(lines),
    masked: Object.freeze({
      numbers,
      hash: (start: number, end: number) => spanHash(file, start, end),
    }),
  });
}

const anyMark = /\[secret:[a-z0-9_]+:[0-9a-f]{6}\]/g;

/** For each mark, the texts it hides, in order: the lines of a multi-line key share one mark. */
function indexMarks(marks: Iterable<readonly [mark: string, piece: string]>): Map<string, readonly string[]> {
  const held = new Map<string, readonly string[]>();
  for (const [mark, piece] of marks) {
    const lines = piece.split('\n').filter((line) => line.trim() !== '');
    held.set(mark, [...new Set([...(held.get(mark) ?? []), ...lines])]);
  }
  return held;
}

function unmask(text: string, held: ReadonlyMap<string, readonly string[]>): string {
  const used = new Map<string, number>();
  return text.replace(anyMark, (mark) => {
    const pieces = held.get(mark);
    if (pieces === undefined) return mark;
    const count = used.get(mark) ?? 0;
    used.set(mark, count + 1);
    return pieces[count % pieces.length]!;
  });
}

function mapTexts<Value>(value: Value, mask: (text: string) => string): Value {
  return mapDeep(value, mask) as Value;
}

function mapDeep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const all = value.map((one) => mapDeep(one, mask));
    return all.every((one, index) => one === value[index]) ? value : Object.freeze(all);
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
    return value;
  const entries = Object.entries(value);
  const all = entries.map(([name, held]) => [name, mapDeep(held, mask)] as const);
  return all.every(([, held], index) => held === entries[index]![1])
    ? value
    : Object.freeze(Object.fromEntries(all));
}
