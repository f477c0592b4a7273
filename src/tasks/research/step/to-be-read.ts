/**
 * Prepares the result of an action for a model: the few best places as whole blocks, and each other place as its most
 * relevant line with an id. No text is shown twice. Without a model, the result is left as it is.
 */

import { setback } from '../../../catalogue/code/reading-order.ts';
import { type Evidence, escapePath, type FileText, type LineSpan } from '../../../core/index.ts';
import type { Call } from '../../../model/index.ts';
import type { ActionDone } from '../actions/action.ts';
import { bestDefinitions } from '../actions/search-definitions.ts';
import { asQuote, firstLine, tellingLines, weightsOver } from '../lines/telling-lines.ts';
import { identifiersIn, namesToLookUp, termsOf } from '../lines/terms.ts';
import { collect } from '../material/collect.ts';
import type { RunContext } from '../run-context.ts';
import { isToBeAskedAgain } from './run-choice.ts';
import { isTwin } from './same-text.ts';
import { definitionAt, unitAround } from './unit-around.ts';

/**
 * Maximum places of a search that are shown in full, and that are named by one line, and maximum lines of all that are
 * shown in full; and of the first search, where the definitions that say most stand before it.
 */
const placesShown = { full: 3, named: 10, lines: 100 };
const besideDefinitions: typeof placesShown = { full: 1, named: 5, lines: 25 };
/** Places that are shown in full: maximum and minimum lines of one. */
const maxFullLines = 45;
const minFullLines = 12;
/**
 * Definitions that say most: maximum number, maximum lines of all, and the least score; the best has 1. Where the
 * question names what it asks for, the definitions of these names say more.
 */
const telling = { max: 4, lines: 80 };
const besideNamed: typeof telling = { max: 2, lines: 45 };
const leastTelling = 0.1;
/** If there are more definitions than this, only this many are shown in full. */
const fullDefinitions = 2;

/** A hit of a search, with the line in it that says most. */
interface FoundSpan {
  readonly item: Evidence;
  readonly line: number;
  readonly text: string;
  readonly twin: boolean;
}

export async function keepForReading(
  { name, input }: Pick<Call, 'name' | 'input'>,
  done: ActionDone,
  context: RunContext,
  unasked: boolean,
): Promise<ActionDone> {
  if (name === 'find_definition') return unasked ? worthwhile(done) : keepDefinitions(done);
  if (done.evidence.length === 0) return done;
  if (name === 'find_references' && unasked) return showUsers(done, context);
  if (name === 'find_references' || name === 'grep')
    return showPlaces(done, context, { head: name === 'grep', max: maxUnits });
  if (name === bestDefinitions)
    return keepTelling(done, namesToLookUp(String(input['query'])).length === 0 ? telling : besideNamed);
  if (name !== 'hybrid_search') return done;
  const isBeside = unasked && context.start.definitions === true;
  return keepFoundSpans(String(input['query']), isBeside ? besideDefinitions : placesShown, done, context);
}

/** The definitions that say most, in full, up to a number of lines: those of programs before those of tests. */
function keepTelling(done: ActionDone, { max, lines: maxLines }: typeof telling): ActionDone {
  const ranked = done.evidence.map((item, n) => ({ item, score: done.scores?.[n] ?? 0 }));
  const sources = ranked.filter(({ item }) => setback(item.file_path) === 0);
  let left = maxLines;
  const full = (sources.length === 0 ? ranked : sources)
    .filter(({ score }) => score >= leastTelling)
    .flatMap(({ item }) => {
      const lines = item.end_line - item.start_line + 1;
      if (lines > left) return [];
      left -= lines;
      return [item];
    })
    .slice(0, max);
  const { scores: _, ...rest } = done;
  return { ...rest, summary: `${full.length} definitions`, evidence: full, notes: [] };
}

async function keepFoundSpans(
  query: string,
  { full: maxFull, named: maxNamed, lines: maxLines }: typeof placesShown,
  done: ActionDone,
  context: RunContext,
): Promise<ActionDone> {
  const places = placesOf(done.evidence, query);
  const full: Evidence[] = [];
  const named: { item: Evidence; text: string; within: string; twin: boolean }[] = [];
  let left = maxLines;
  for (const place of places) {
    const { item, line } = place;
    if (
      full.some((one) => one.file_path === item.file_path && one.start_line <= line && line <= one.end_line)
    )
      continue;
    const file = await context.material.text.readText(item.file_path, item.commit);
    if (file.kind === 'unreadable') continue;
    const { shown, within } = await unitAround(item.commit === null ? context.material.symbols : undefined, {
      path: item.file_path,
      lines: file.lines,
      line,
      max: Math.min(maxFullLines, Math.max(left, minFullLines)),
      signal: context.signal,
    });
    const inFull = full.length < maxFull && left >= minFullLines && !place.twin && !isLong(file, line);
    if (!inFull && named.length >= maxNamed) continue;
    const span = inFull ? shown : { start: line, end: line };
    const read = await evidenceOf(item, span, query, context);
    if (read === undefined) continue;
    if (inFull) {
      full.push(read);
      left -= read.end_line - read.start_line + 1;
    } else {
      const around = within ?? shown;
      named.push({
        item: read,
        text: place.text,
        within: around.end > around.start ? ` (in ${around.start}-${around.end})` : '',
        twin: place.twin,
      });
    }
  }
  const lines = named.map(
    ({ item, text, within, twin }) =>
      `${item.id} ${escapePath(item.file_path)}:${item.start_line}${within}${twin ? ' the same text again' : `| ${asQuote(text, query)}`}`,
  );
  return toListing(
    done,
    full,
    lines,
    named.map(({ item }) => item),
  );
}

async function evidenceOf(
  { file_path, commit, provenance, score, reason }: Evidence,
  span: LineSpan,
  near: string,
  { material, scope }: RunContext,
): Promise<Evidence | undefined> {
  const find = { path: file_path, ...span, commit, provenance, score, reason, near };
  return (await collect(material.text, scope, [find])).evidence[0];
}

/** A line of more characters than this is shown only in part, and without its neighbours. */
const longLine = 1_000;
const isLong = ({ lines }: FileText, line: number): boolean => (lines[line - 1]?.length ?? 0) > longLine;

/** The hits in the order of the search, with copies and tests moved back. */
function placesOf(evidence: readonly Evidence[], query: string): readonly FoundSpan[] {
  const weights = weightsOver([...termsOf(query)], evidence);
  const names = new Set(identifiersIn(query).flatMap(({ name, sure }) => (sure ? [name] : [])));
  const ranked = evidence
    .map((item, rank) => ({ item, rank: rank + placesBack[setback(item.file_path)] }))
    .sort((a, b) => a.rank - b.rank);
  const places: FoundSpan[] = [];
  for (const { item } of ranked) {
    const lines = tellingLines(item, weights, names);
    const best = lines.toSorted((a, b) => b.score - a.score)[0] ?? firstLine(item);
    const { line, text } = best ?? { line: item.start_line, text: item.content.split('\n')[0] ?? '' };
    const twin = places.some((other) => isTwin({ item, text }, other));
    places.push({ item, line, text, twin });
  }
  return places;
}

/** Ranks that a file of each setback loses. */
const placesBack = [0, 2, 8, 20] as const;

/**
 * Shows matches or uses in sources within their definitions if they are few, so that nobody has to open each of them.
 * If they are many, the model has to choose.
 */
async function showPlaces(
  { summary, completeness, text, evidence, ...rest }: ActionDone,
  { material, scope, signal }: RunContext,
  { head, max }: { readonly head: boolean; readonly max: number },
): Promise<ActionDone> {
  const done = { summary, completeness, text, evidence, ...rest };
  const { symbols, text: reader } = material;
  if (symbols === undefined) return done;
  const units: Evidence[] = [];
  for (const { file_path: path, start_line: line, commit, reason } of evidence) {
    if (commit !== null || setback(path) !== 0 || units.some((unit) => holds(unit, path, line))) continue;
    const file = await reader.readText(path, null);
    if (file.kind === 'unreadable' || isLong(file, line)) continue;
    const asked = { path, lines: file.lines, line, max: maxUnitLines, signal };
    const definition = await definitionAt(symbols, asked);
    // A line outside of all definitions is mostly an import. The first line of a definition needs no other line to
    // explain it.
    if (definition === undefined || definition.start === line) continue;
    if (units.length === max) return done;
    const { shown } = await unitAround(symbols, asked);
    const find = { path, ...shown, reason, provenance: 'syntax' as const };
    units.push(...(await collect(reader, scope, [find])).evidence);
  }
  if (units.length === 0) return done;
  const said = completeness === 'complete' ? `${summary} (complete)` : summary;
  return {
    ...done,
    evidence: [...evidence, ...units],
    text: [...(head ? [said] : []), text].join('\n'),
    inText: evidence.map(({ id }) => id),
  };
}

const holds = ({ file_path, start_line, end_line }: Evidence, path: string, line: number): boolean =>
  file_path === path && start_line <= line && line <= end_line;

/**
 * Maximum number of definitions shown around matches or uses: if a model asked for them, and if nobody did. Maximum
 * lines of one.
 */
const maxUnits = 5;
const unaskedUnits = 3;
const maxUnitLines = 16;

/** The callers of a function that the question names: its uses in sources, without imports. */
async function showUsers(done: ActionDone, context: RunContext): Promise<ActionDone> {
  const [head = '', ...rows] = done.text.split('\n');
  const kept = done.evidence.slice(1).flatMap((item) => {
    const row = rows.find((one) => one.startsWith(`${item.id} `));
    return row === undefined || setback(item.file_path) !== 0 || / \(import, by /.test(row)
      ? []
      : [{ item, row }];
  });
  const own = done.evidence.slice(0, 1);
  // Most uses of a class or a value only name it.
  const isCalled = own.some(({ symbol_kind }) => symbol_kind === 'function' || symbol_kind === 'method');
  if (!isCalled) return { ...done, evidence: [], text: '', notes: [] };
  // That there is none, or none but in tests, is an answer, too: the head says whether it can be cited.
  if (kept.length === 0) return { ...done, evidence: own, text: head, inText: own.map(({ id }) => id) };
  const first = kept.slice(0, unaskedRows);
  const text = [head, ...first.map(({ row }) => row)].join('\n');
  const short = {
    ...done,
    text,
    evidence: [...own, ...first.map(({ item }) => item)],
    notes: done.notes.filter(isToBeAskedAgain),
  };
  const inText = short.evidence.map(({ id }) => id);
  return showPlaces({ ...short, inText }, context, { head: false, max: unaskedUnits });
}

const unaskedRows = 10;

/** Shows the first definitions in full, and each other by its first line. */
function keepDefinitions(done: ActionDone): ActionDone {
  const full = done.evidence.length > fullDefinitions + 1 ? fullDefinitions : done.evidence.length;
  const others = done.evidence.slice(full);
  return toListing(done, done.evidence.slice(0, full), others.map(firstLineOf), others);
}

const firstLineOf = ({ id, file_path, start_line, end_line, content }: Evidence): string =>
  `${id} ${escapePath(file_path)}:${start_line}-${end_line}| ${asQuote(content.split('\n')[0] ?? '', '')}`;

/**
 * Keeps the definitions of a name that nobody asked for, if they say enough. A name with many definitions says little
 * about each of them, and tests define names of their own.
 */
function worthwhile(done: ActionDone): ActionDone {
  const sources = done.evidence.filter(({ file_path }) => setback(file_path) === 0);
  const nothing = { ...done, summary: 'no definition that says much', evidence: [], notes: [] };
  if (sources.length === 0 || sources.length > commonName) return nothing;
  const isShort = ({ start_line, end_line }: Evidence) => end_line - start_line < maxFullLines;
  const long = sources.filter((item) => !isShort(item));
  return toListing({ ...done, notes: [] }, sources.filter(isShort), long.map(firstLineOf), long);
}

/** Maximum number of definitions of a name that nobody asked for. If there are more, none is shown. */
const commonName = 3;

function toListing(
  done: ActionDone,
  full: readonly Evidence[],
  lines: readonly string[],
  others: readonly Evidence[],
): ActionDone {
  return {
    ...done,
    evidence: [...full, ...others],
    text: [...(done.text === '' ? [] : [done.text]), ...lines].join('\n'),
    inText: others.map(({ id }) => id),
  };
}
