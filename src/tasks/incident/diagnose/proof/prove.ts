/**
 * Whether evidence shows a claim, by code alone. The claim is taken apart into clauses, and each clause into what can
 * be looked for: numbers with their units, times, hashes, names of services and metrics, identifiers, quotes, which
 * way something went, what came before what, events, and its other words. All of a clause has to stand in one record
 * together: one series, one pattern, one line, or the changes. A number of another line shows nothing.
 */

import { tellsOf } from '../../brief/dependencies.ts';
import { mechanismsOf } from '../../brief/mechanisms.ts';
import { type Atoms, atomsOf, isEmpty } from './atoms.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { heldOf } from './held.ts';
import { inChanges } from './in-changes.ts';
import { inCount, inLine } from './in-lines.ts';
import { inSeries } from './in-series.ts';
import { inOrder } from './order.ts';
import { type Record, recordsOf } from './records.ts';
import { isMissing, type Missing, missing, type Shown } from './shown.ts';
import { standing, wordsShown } from './standing.ts';
import { changeVerbs, isOfOnset, negation, wayOf } from './vocabulary.ts';

/** What the program knows of the run beside the evidence of a claim. */
export interface Known {
  /** Services, metrics, flags, deploys: words that name one thing here. */
  readonly names: ReadonlySet<string>;
  /** Which service failed first, as worked out from all series and calls. */
  readonly firstFailing: string | null;
}

/** Why it is not shown; null where it is. */
export function unshown(claim: string, contents: readonly string[], known: Known): string | null {
  const lower = new Set([...known.names].map((name) => name.toLowerCase()));
  const records = recordsOf(contents, lower);
  // Without the heads of the documents: what was asked, and of what, shows nothing.
  const whole = records.map(({ text }) => text).join('\n');
  let before: readonly string[] = [];
  let told = false;
  for (const clause of clausesOf(withoutVerdict(claim))) {
    const atoms = atomsOf(clause.text, lower);
    if (isEmpty(atoms) && wayOf(atoms.spoken) === null && clause.order === null) continue;
    const first = firstToFail.exec(clause.text)?.[1];
    if (first !== undefined && first !== known.firstFailing)
      return `by the series and the calls the first service to fail is ${known.firstFailing ?? 'not known'}`;
    if (first !== undefined || isFoundByProgram(clause.text, records)) {
      told = true;
      continue;
    }
    const found = shownBy(clause.text, atoms, records, whole, before);
    if (isMissing(found)) return found.reason;
    told = true;
    if (clause.order !== null) {
      const reason = ordered(clause.order, found, records, whole, lower, atoms);
      if (reason !== null) return reason;
    }
    const own = subjectsOf(atoms);
    if (own.length > 0) before = own;
  }
  return told ? null : 'it says nothing that could be looked for';
}

const firstToFail = /(\S+) (?:is|was) the first (?:service )?(?:to fail|that failed|failing)/;

/** The verdict is checked by itself, and not as a claim. */
const withoutVerdict = (claim: string): string =>
  claim.replace(/^(?:No (?:code )?change is to blame|Inconclusive|The cause was not found)[:;,.]\s+/i, '');

const subjectsOf = ({ names, ids }: Atoms): readonly string[] => [
  ...names,
  ...ids.map((id) => id.toLowerCase()),
];

/** Where a clause says no more than what the program itself finds in the diff, or in the messages. */
function isFoundByProgram(text: string, records: readonly Record[]): boolean {
  const limit = /^messages tell ((?:of|that) .+)$/.exec(text)?.[1];
  if (limit !== undefined) return records.some((record) => tellsOf(limit, record.text));
  const said = plainText(text);
  return records.some(
    (record) =>
      record.kind === 'changes' &&
      record.changes.some(({ diff }) => mechanismsOf(diff).some(({ says }) => plainText(says) === said)),
  );
}

const plainText = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function shownBy(
  text: string,
  atoms: Atoms,
  records: readonly Record[],
  whole: string,
  inherited: readonly string[],
): Shown | Missing {
  // A part without a subject of its own speaks of the one before.
  const hasOwn = subjectsOf(atoms).length + atoms.hashes.length + atoms.quotes.length > 0;
  const metrics = new Set(
    records.map((record) => (record.kind === 'series' ? record.metric.toLowerCase() : '')),
  );
  const subjects = hasOwn ? [] : inherited.filter((name) => atoms.words.length === 0 || !metrics.has(name));
  let best = missing(-1, 'what it names holds nothing');
  for (const record of records) {
    const found = inRecord(text, atoms, record, subjects);
    if (!isMissing(found)) return found;
    if (found.stage > best.stage) best = found;
  }
  const isPlain =
    atoms.quantities.length + atoms.times.length === 0 &&
    wayOf(atoms.spoken) === null &&
    !negation.test(atoms.bare) &&
    !(records.some(({ kind }) => kind === 'changes') && hasChangeVerb(atoms.spoken));
  if (isPlain && records.length > 1) {
    const held = heldOf(whole);
    const found = standing(atoms, held, subjects) ?? wordsShown(atoms, held.lower, held.words);
    if (found === null) return { record: null, time: null };
  }
  return best.stage === 0 ? missing(0, nowhere(atoms, whole.toLowerCase(), best.reason)) : best;
}

const hasChangeVerb = (text: string): boolean => Object.values(changeVerbs).some((verb) => verb.test(text));

function nowhere({ names, ids, quotes, hashes }: Atoms, whole: string, otherwise: string): string {
  const gone = [...names, ...ids, ...hashes, ...quotes].find((one) => !whole.includes(one.toLowerCase()));
  return gone === undefined ? otherwise : `"${gone.slice(0, 80)}" does not stand in what it names`;
}

function inRecord(text: string, atoms: Atoms, record: Record, inherited: readonly string[]): Shown | Missing {
  if (record.kind === 'changes') return inChanges(text, atoms, record, inherited);
  const without = standing(atoms, record, inherited);
  if (without !== null) return without;
  const found =
    record.kind === 'series'
      ? inSeries(atoms, record)
      : record.kind === 'count'
        ? inCount(atoms, record)
        : inLine(atoms, record);
  if (isMissing(found)) return found;
  const still = wayOf(atoms.spoken) === 'still' && record.kind === 'series';
  if (negation.test(atoms.bare) && !still && !negation.test(record.text))
    return missing(6, 'it says that something is not so, and no record says that');
  const said = record.kind === 'series' ? `${record.lower} ${record.direction ?? 'no change'}` : record.lower;
  return wordsShown(atoms, said, record.words) ?? found;
}

function ordered(
  order: NonNullable<Clause['order']>,
  first: Shown,
  records: readonly Record[],
  whole: string,
  names: ReadonlySet<string>,
  before: Atoms,
): string | null {
  const atoms = atomsOf(order.other, names);
  const place = placed(order.kind, atoms, before, first);
  if (place !== null) return place.reason;
  if (isOfAnySeries(order.other, atoms, first)) {
    const series = records.filter(({ kind }) => kind === 'series');
    const turn = shownBy(order.other, atoms, series, whole, []);
    return isMissing(turn) ? turn.reason : inOrder(order, first.time, turn.time);
  }
  const bare = subjectsOf(atoms).length === 0 && (atoms.words.length === 0 || /\bits?\b/i.test(order.other));
  const other = shownBy(order.other, atoms, records, whole, bare ? subjectsOf(before) : []);
  if (isMissing(other)) return other.reason;
  // One change is no order by itself.
  const isOne = other.record !== null && other.record === first.record && other.time === first.time;
  return inOrder(order, first.time, isOne ? null : other.time);
}

/** `the onset`, and `the rise` behind a change, speak of a series that is named beside, and not of what stands before. */
function isOfAnySeries(text: string, atoms: Atoms, first: Shown): boolean {
  if (subjectsOf(atoms).length + atoms.words.length > 0 || /\bits?\b/i.test(text)) return false;
  return isOfOnset(atoms.spoken) || (wayOf(atoms.spoken) !== null && first.record?.kind === 'changes');
}

/** `removed A after B` tells where A stood in the diff, and no time; null where it tells none of that. */
function placed(
  kind: 'before' | 'after',
  { quotes, ids, times, words, names, spoken }: Atoms,
  before: Atoms,
  first: Shown,
): { readonly reason: string | null } | null {
  const code = [...quotes, ...ids];
  const isCode = code.length > 0 && times.length + words.length + names.length === 0;
  if (!isCode || wayOf(spoken) !== null || first.record?.kind !== 'changes') return null;
  const text = plainSpace(first.record.changes.flatMap(({ lines }) => lines).join('\n'));
  const others = code.map((one) => plainSpace(one));
  if (!others.every((one) => text.includes(one))) return null;
  const own = [...before.quotes, ...before.ids]
    .map((one) => plainSpace(one))
    .filter((one) => text.includes(one));
  const isSo = own.every((one) =>
    others.every((other) =>
      kind === 'after'
        ? text.indexOf(other) < text.lastIndexOf(one)
        : text.indexOf(one) < text.lastIndexOf(other),
    ),
  );
  return { reason: isSo ? null : `it does not stand ${kind} ${code[0]}` };
}

const plainSpace = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
