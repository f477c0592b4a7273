/** Whether one line, or one pattern of lines with its count, shows a clause. */
import { wordsOf } from '../../brief/words.ts';
import { type Atoms, escaped } from './atoms.ts';
import { isSameTime } from './order.ts';
import { isSame, type Quantity, quantitiesIn } from './quantities.ts';
import type { CountRecord, LineRecord } from './records.ts';
import { type Missing, missing, type Shown } from './shown.ts';
import { assertingWords, isAmong, occurrence, ownersIn, wayOf } from './vocabulary.ts';

export function inCount(atoms: Atoms, record: CountRecord): Shown | Missing {
  const foreign = notOwner(atoms, record.owner);
  if (foreign !== null) return foreign;
  const way = wayOf(atoms.spoken);
  const { count, baseline } = record;
  if (
    way !== null &&
    (baseline === null || way !== (count > baseline ? 'up' : count < baseline ? 'down' : 'still'))
  )
    return missing(3, `its count does not go ${way}`);
  const within = quantitiesIn(record.template);
  const words = new Set(wordsOf(record.template));
  for (const quantity of atoms.quantities) {
    const isCount = isSame(quantity, of(count));
    const isBefore = baseline !== null && isSame(quantity, of(baseline));
    const lead = atoms.bare.slice(Math.max(0, quantity.at - 40), quantity.at);
    const saysBefore =
      /\b(?:against|compared (?:with|to)|from|than|instead of|normally|usually|was|calm)\W*(?:about |around |only )?$/i.test(
        lead,
      );
    if (
      isBefore &&
      (saysBefore || /^\W*(?:before|previously|earlier|normally)/i.test(atoms.bare.slice(quantity.end)))
    )
      continue;
    if (isCount && !(saysBefore && /from\W*$/.test(lead))) {
      if (countsThat(atoms, quantity.end, words)) continue;
      return missing(6, `${quantity.text} is how often that line came, and no number of what is claimed`);
    }
    if (within.some((held) => isSame(quantity, held))) continue;
    return missing(4, `the number ${quantity.text} does not stand there`);
  }
  const wrong = atoms.times.find((time) => !record.times.some((held) => isSameTime(time, held)));
  if (wrong !== undefined) return missing(4, `the time ${wrong} does not stand there`);
  return { record, time: record.first };
}

/** What is counted must be the line itself, or something that it speaks of. */
function countsThat({ bare, spoken, names }: Atoms, from: number, words: ReadonlySet<string>): boolean {
  const after = (text: string): readonly string[] =>
    text
      .slice(from)
      .trim()
      .split(/[^\p{L}\p{N}_-]+/u)
      .filter((word) => word !== '');
  const [counted] = after(spoken);
  // `49 orders`: a name behind a number is what is counted, and no service.
  if (counted !== undefined && names.includes(counted.toLowerCase()))
    return wordsOf(counted).some((word) => words.has(word));
  const next = after(bare);
  const [first] = next;
  if (first === undefined || /^\s*[.,;)]/.test(bare.slice(from)) || occurrence.test(first)) return true;
  return next.slice(0, 3).some((word) => assertingWords(word).some((one) => isAmong(one, words)));
}

export function inLine(atoms: Atoms, record: LineRecord): Shown | Missing {
  const foreign = notOwner(atoms, record.owner);
  if (foreign !== null) return foreign;
  if (wayOf(atoms.spoken) !== null && !atoms.words.some((word) => isAmong(word, record.words)))
    return missing(3, 'a line shows no course');
  const wrong = atoms.times.find((time) => !record.times.some((held) => isSameTime(time, held)));
  if (wrong !== undefined) return missing(4, `the time ${wrong} does not stand there`);
  for (const quantity of atoms.quantities) {
    const held = record.quantities.filter((one) => isSame(quantity, one, keyUnit(keyOf(record.text, one))));
    if (held.length === 0) return missing(4, `the number ${quantity.text} does not stand there`);
    const fits = held.some((one) => isOfKey(keyOf(record.text, one), quantity, atoms));
    if (!fits) return missing(5, `${quantity.text} stands there for something else`);
  }
  return { record, time: /^\S*\d{4}-\d{2}-\d{2}T\S+/.exec(record.text)?.[0] ?? record.times[0] ?? null };
}

/** `db.cpu_pct` of `db.cpu_pct=92`; null where the number stands by itself. */
function keyOf(text: string, { text: number }: Quantity): string | null {
  const at = new RegExp(`([\\w.-]+)"?\\s?[=:]\\s?"?${escaped(number)}(?![\\w.])`).exec(text);
  return at?.[1] ?? null;
}

const keyUnit = (key: string | null): Quantity['unit'] =>
  key === null ? null : /(?:^|[_.])(?:ms|millis)$/.test(key) ? 'time' : /pct|percent/.test(key) ? '%' : null;

/** A value with a key is claimed only by a clause that speaks of the key. */
function isOfKey(key: string | null, quantity: Quantity, { words, ids, names, bare }: Atoms): boolean {
  if (key === null) return true;
  if (quantity.unit !== null && quantity.unit === keyUnit(key)) return true;
  if ([...ids, ...names].some((one) => one.toLowerCase().includes(key.toLowerCase()))) return true;
  const spoken = new Set([...words, ...wordsOf(bare)]);
  return wordsOf(key).some((word) => isAmong(word, spoken));
}

function notOwner({ names, spoken }: Atoms, is: string | null): Missing | null {
  const said = ownersIn(spoken).find((one) => names.includes(one));
  if (said === undefined || is === null || said === is) return null;
  return missing(2, `${said} did not log that, ${is} did`);
}

const of = (value: number): Quantity => quantitiesIn(String(value))[0]!;
