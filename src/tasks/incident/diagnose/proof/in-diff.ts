/** Whether diffs show what a clause says was changed in them: from what to what, added, taken away, up or down. */
import { type Diff, isComment } from '../../brief/diff.ts';
import { wordsOf } from '../../brief/words.ts';
import { type Atoms, atomsOf } from './atoms.ts';
import type { ChangeRecord } from './change-record.ts';
import { isSame, type Quantity, quantitiesIn } from './quantities.ts';
import { type Missing, missing } from './shown.ts';
import { assertingWords, changeVerbs, isAmong, isItselfAmong, wayOf } from './vocabulary.ts';

/** What stands between them may be a quote alone, which is blanks where words are looked for. */
const fromTo = /\bfrom(\s.+?\s)to(\s.+)$/di;
/** Where the second part of `from 2 to 5 in a.go` ends. */
const ending = /\s(?:in|on|for|at|of|by|with|when|as|which|that|and)\s.*$/i;

export function edited(text: string, atoms: Atoms, changes: readonly ChangeRecord[]): Missing | null {
  const diffs = changes.map(({ diff }) => diff);
  const flag = changes.some(({ kind }) => kind === 'flag' || kind === 'config');
  const said = atoms.spoken;
  const move = fromTo.exec(said);
  if (move !== null) {
    const parts = partsOf(text, said, move);
    return flag ? flagMoved(parts, changes) : moved(parts, atoms, diffs);
  }
  const verb = (['rename', 'replace', 'add', 'remove'] as const).find((one) => changeVerbs[one].test(said));
  const hasDiff = diffs.some(({ added, removed }) => added.length + removed.length > 0);
  if (verb !== undefined && hasDiff) {
    const reason =
      verb === 'replace' || verb === 'rename'
        ? replaced(verb, text, said, diffs)
        : put(verb, text, said, diffs);
    if (reason !== null) return reason;
  }
  const way = wayOf(said);
  if ((way === 'up' || way === 'down') && hasDiff) {
    const reason = wentTo(way, atoms, diffs);
    if (reason !== null) return reason;
  }
  return numbersStand(atoms, changes);
}

interface Parts {
  readonly before: string;
  readonly from: string;
  readonly to: string;
  readonly behind: string;
}

/** Quotes are blanked out where words are looked for, and stand in what was found. */
function partsOf(text: string, said: string, move: RegExpExecArray): Parts {
  const [, [from = 0, fromEnd = 0] = [], [to = 0] = []] = move.indices ?? [];
  const end = to + said.slice(to).replace(ending, '').length;
  return {
    before: text.slice(0, move.index),
    from: text.slice(from, fromEnd).trim(),
    to: text.slice(to, end).trim(),
    behind: text.slice(end),
  };
}

function flagMoved({ from, to }: Parts, changes: readonly ChangeRecord[]): Missing | null {
  const short = (part: string): string =>
    part
      .replace(ending, '')
      .replace(/^["'`]|["'`.,]+$/g, '')
      .trim()
      .toLowerCase();
  const said = changes.map(({ title, lines }) => `${title}\n${lines.join('\n')}`.toLowerCase()).join('\n');
  return [
    `${short(from)}->${short(to)}`,
    `${short(from)} -> ${short(to)}`,
    `from ${short(from)} to ${short(to)}`,
  ].some((one) => said.includes(one))
    ? null
    : missing(5, `it did not go from ${short(from)} to ${short(to)}`);
}

/** What stood there first and what stands there now, in lines that took each other's place and hold the setting's name. */
function moved({ before, from, to, behind }: Parts, atoms: Atoms, diffs: readonly Diff[]): Missing | null {
  const setting = settingOf(before, behind, atoms);
  const pairs = diffs.flatMap(({ pairs: all, values }) =>
    all.map(([was, is]) => ({ was, is, near: values.find(({ line }) => line === is)?.near ?? '' })),
  );
  const holding = pairs.filter(({ was, is }) => holds(was, from) && holds(is, to));
  if (holding.length === 0) return missing(5, `no line of the diff went from ${from} to ${to}`);
  if (!holding.some(({ was, is, near }) => isOf(setting, `${was} ${is}`, near)))
    return missing(6, `what went from ${from} to ${to} is not what the claim names`);
  const way = wayOf(before);
  const [a] = quantitiesIn(from);
  const [b] = quantitiesIn(to);
  if (
    a !== undefined &&
    b !== undefined &&
    (way === 'up' || way === 'down') &&
    (b.value > a.value ? 'up' : 'down') !== way
  )
    return missing(5, `from ${a.text} to ${b.text} is not ${way}`);
  return null;
}

interface Setting {
  readonly ids: readonly string[];
  readonly words: readonly string[];
}

const noNames: ReadonlySet<string> = new Set();

/** What the clause says was changed: before its verb or behind its `from`, and in the rest. */
function settingOf(before: string, after: string, { names }: Atoms): Setting {
  const { ids, words } = atomsOf(`${before} ${after}`, noNames);
  const known = new Set(names.flatMap(wordsOf));
  return {
    ids: ids.filter((one) => !/\.\w{1,5}$/.test(one) && !names.includes(one.toLowerCase())),
    words: words.filter((word) => !known.has(word)),
  };
}

/** In some formats the name stands in the line above: then the line itself has none. */
function isOf({ ids, words }: Setting, own: string, near: string): boolean {
  const line = assertingWords(own).length > 0 ? own : `${own} ${near}`;
  const lower = line.toLowerCase();
  if (ids.some((one) => lower.includes(one.toLowerCase()))) return true;
  if (ids.length > 0 && words.length === 0) return false;
  const held = new Set(wordsOf(line));
  return words.length === 0 || words.some((word) => isAmong(word, held));
}

/** Whether a line holds what a part of a clause says: its numbers, its quotes, or else its words. */
function holds(line: string, part: string): boolean {
  const { quotes, ids, quantities: numbers } = atomsOf(part, noNames);
  const lower = flat(line);
  const held = quantitiesIn(line);
  if (quotes.length + ids.length + numbers.length > 0)
    return (
      [...quotes, ...ids].every((one) => lower.includes(flat(one))) &&
      numbers.every((one) => held.some((other) => isSame(one, other)))
    );
  const words = part.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  const own = new Set(lower.match(/[\p{L}\p{N}_]+/gu) ?? []);
  return words
    .filter((word) => !/^(a|an|the|only|just)$/.test(word))
    .every((word) => own.has(word.replace(/[.,;]$/, '')));
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** What was put there stands more often among the new lines than among the old; what was taken away, the other way. */
function put(verb: 'add' | 'remove', text: string, said: string, diffs: readonly Diff[]): Missing | null {
  const match = changeVerbs[verb].exec(said)!;
  const object = objectOf(text.slice(match.index + match[0].length));
  if (object === '') return null;
  return stands(verb, object, diffs);
}

/** Up to where the clause goes on about something else. */
const objectOf = (text: string): string =>
  text.replace(/\s+(?:to|from|in|into|on|for|of|so|when|and|but|only|that|which|as)\s+.*$/i, '').trim();

function replaced(
  verb: 'replace' | 'rename',
  text: string,
  said: string,
  diffs: readonly Diff[],
): Missing | null {
  const match = changeVerbs[verb].exec(said)!;
  const [, old = '', fresh = ''] =
    (verb === 'rename' ? /^(.*?)\s+(?:to|into)\s+(.*)$/i : /^(.*?)\s+(?:by|with)\s+(.*)$/i).exec(
      text.slice(match.index + match[0].length),
    ) ?? [];
  if (old === '') return null;
  return (
    stands(verb === 'rename' ? 'remove' : 'replace', old, diffs) ??
    stands('add', fresh.replace(ending, ''), diffs)
  );
}

/** A statement that was added and takes away what it names. */
const takesAway = /^(?:ALTER\s+\w+\s+\S+\s+)?(?:DROP|REVOKE|TRUNCATE|DELETE\s+FROM)\b/i;

function stands(verb: 'add' | 'remove' | 'replace', object: string, diffs: readonly Diff[]): Missing | null {
  const { quotes, ids, words } = atomsOf(object, noNames);
  const sides = diffs.map(({ added, removed }): readonly [readonly string[], readonly string[]] => {
    const gone = [...removed, ...added.filter((line) => takesAway.test(line))];
    const there = added.filter((line) => !takesAway.test(line));
    return verb === 'add' ? [there, gone] : [gone, there];
  });
  const count = (lines: readonly string[], what: string): number =>
    lines.reduce((sum, line) => sum + (flat(line).split(flat(what)).length - 1), 0);
  const exact = [...quotes, ...ids];
  // What is replaced may come again in what takes its place.
  const wrong = exact.find(
    (what) => !sides.some(([one, other]) => count(one, what) > (verb === 'replace' ? 0 : count(other, what))),
  );
  if (wrong !== undefined) return missing(6, `the diff does not ${verb} "${wrong.slice(0, 60)}"`);
  if (exact.length > 0 || words.length === 0) return null;
  const shown = sides.some(([one, other]) => {
    const held = new Set(one.filter((line) => !isComment(line)).flatMap(wordsOf));
    const left = new Set(other.flatMap(wordsOf));
    return words.some(
      (word) =>
        isItselfAmong(word, held) && (verb === 'replace' || !left.has(word) || one.length > other.length),
    );
  });
  return shown
    ? null
    : missing(6, `the diff does not ${verb} ${words.map((word) => `"${word}"`).join(', ')}`);
}

/** `lowers the limit to 5`: a value that went that way, of that name. */
function wentTo(
  way: 'up' | 'down',
  { quantities, words, ids }: Atoms,
  diffs: readonly Diff[],
): Missing | null {
  const values = diffs.flatMap(({ values: all }) => all);
  if (values.length === 0 && quantities.length === 0) return null;
  const fits = values.some(({ was, is, isText, line, near }) => {
    const told =
      quantities.length === 0 ||
      quantities.some((one) => quantitiesIn(isText).some((held) => isSame(one, held)));
    return (
      told &&
      (is > was ? 'up' : 'down') === way &&
      (words.length + ids.length === 0 ||
        isOf({ ids: [], words: [...words, ...ids.flatMap(wordsOf)] }, line, near))
    );
  });
  return fits ? null : missing(6, `no value that it names goes ${way} in the diff`);
}

/** A number stands in a line that shares a word with the clause, or in the head of a change. */
function numbersStand({ quantities, words, ids }: Atoms, changes: readonly ChangeRecord[]): Missing | null {
  const heads = changes.map(({ title, id, paths }) => `${title} ${id} ${paths.join(' ')}`);
  const lines = [...heads, ...changes.flatMap(({ lines: all }) => all)];
  const spoken = [...words, ...ids.flatMap(wordsOf)];
  const wrong = quantities.find(
    (quantity: Quantity) =>
      !lines.some((line) => {
        if (!quantitiesIn(line).some((held) => isSame(quantity, held))) return false;
        const held = new Set(wordsOf(line));
        return spoken.length === 0 || spoken.some((word) => isAmong(word, held));
      }),
  );
  return wrong === undefined
    ? null
    : missing(5, `the number ${wrong.text} does not stand there with what it is said of`);
}
