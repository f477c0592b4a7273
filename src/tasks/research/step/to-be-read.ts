/**
 * Prepares the result of an action for a model: the best places as whole definitions, and each other place as its most
 * relevant line with an id. No text is shown twice.
 */

import { readingPenalty } from '../../../catalogue/code/reading-order.ts';
import { type Evidence, escapePath, type FileText, type LineSpan } from '../../../core/index.ts';
import type { Call } from '../../../model/index.ts';
import type { ActionDone } from '../actions/action.ts';
import { searchDefinitionsName } from '../actions/search-definitions.ts';
import { asQuote, firstLine, tellingLines, weightsOver } from '../lines/telling-lines.ts';
import { identifiersIn, namesToLookUp, termsOf } from '../lines/terms.ts';
import { collect } from '../material/collect.ts';
import type { RunContext } from '../run-context.ts';
import { isContinueNote } from './run-choice.ts';
import { hasSameText } from './same-text.ts';
import { definitionAt, unitAround } from './unit-around.ts';

/**
 * Limits of a search result: maximum places in full, maximum places by one line, and maximum lines of all places in
 * full. They are lower if the best definitions are shown before it.
 */
const placeLimits = { full: 3, named: 10, lines: 100 };
const placeLimitsBesideDefinitions: typeof placeLimits = { full: 1, named: 5, lines: 25 };
/** Maximum and minimum lines of a place that is shown in full. */
const maxFullLines = 45;
const minFullLines = 12;
/**
 * Limits of the best definitions: maximum number, maximum lines of all, and minimum score, where the best has 1. They
 * are lower if the question contains names, whose definitions are more relevant.
 */
const definitionLimits = { max: 4, lines: 80 };
const definitionLimitsBesideNames: typeof definitionLimits = { max: 2, lines: 45 };
const minDefinitionScore = 0.1;
/** Number of definitions of a name in full, if there are at least two more. */
const maxFullDefinitions = 2;

/** A hit of a search, with the line that matches the query best. */
interface FoundSpan {
  readonly item: Evidence;
  readonly line: number;
  readonly keyLine: string;
  readonly isRepeat: boolean;
}

export async function prepareForModel(
  { name, input }: Pick<Call, 'name' | 'input'>,
  done: ActionDone,
  context: RunContext,
  unasked: boolean,
): Promise<ActionDone> {
  if (name === 'find_definition') return unasked ? keepIfInformative(done) : keepDefinitions(done);
  if (done.evidence.length === 0) return done;
  if (name === 'find_references' && unasked) return showUsers(done, context);
  if (name === 'find_references' || name === 'grep')
    return showPlaces(done, context, { withHeading: name === 'grep', max: maxUnits });
  if (name === searchDefinitionsName)
    return keepBestDefinitions(
      done,
      namesToLookUp(String(input['query'])).length === 0 ? definitionLimits : definitionLimitsBesideNames,
    );
  if (name !== 'hybrid_search') return done;
  const hasDefinitions = unasked && context.start.definitions === true;
  return showFoundSpans(
    String(input['query']),
    hasDefinitions ? placeLimitsBesideDefinitions : placeLimits,
    done,
    context,
  );
}

/** Keeps the best definitions, up to a number of lines. Definitions in tests count only if there are no others. */
function keepBestDefinitions(
  done: ActionDone,
  { max, lines: maxLines }: typeof definitionLimits,
): ActionDone {
  const ranked = done.evidence.map((item, n) => ({ item, score: done.scores?.[n] ?? 0 }));
  const sources = ranked.filter(({ item }) => readingPenalty(item.file_path) === 0);
  let remainingLines = maxLines;
  const shown = (sources.length === 0 ? ranked : sources)
    .filter(({ score }) => score >= minDefinitionScore)
    .flatMap(({ item }) => {
      const lines = item.end_line - item.start_line + 1;
      if (lines > remainingLines) return [];
      remainingLines -= lines;
      return [item];
    })
    .slice(0, max);
  const { scores: _, ...rest } = done;
  return { ...rest, summary: `${shown.length} definitions`, evidence: shown, notes: [] };
}

async function showFoundSpans(
  query: string,
  { full: maxFull, named: maxNamed, lines: maxLines }: typeof placeLimits,
  done: ActionDone,
  context: RunContext,
): Promise<ActionDone> {
  const places = rankPlaces(done.evidence, query);
  const shownInFull: Evidence[] = [];
  const shownByLine: { item: Evidence; text: string; within: string; isRepeat: boolean }[] = [];
  let remainingLines = maxLines;
  for (const place of places) {
    const { item, line } = place;
    if (
      shownInFull.some(
        (shownItem) =>
          shownItem.file_path === item.file_path &&
          shownItem.start_line <= line &&
          line <= shownItem.end_line,
      )
    )
      continue;
    const file = await context.material.text.readText(item.file_path, item.commit);
    if (file.kind === 'unreadable') continue;
    const { shown, within } = await unitAround(item.commit === null ? context.material.symbols : undefined, {
      path: item.file_path,
      lines: file.lines,
      line,
      max: Math.min(maxFullLines, Math.max(remainingLines, minFullLines)),
      signal: context.signal,
    });
    const isShownInFull =
      shownInFull.length < maxFull &&
      remainingLines >= minFullLines &&
      !place.isRepeat &&
      !isLong(file, line);
    if (!isShownInFull && shownByLine.length >= maxNamed) continue;
    const span = isShownInFull ? shown : { start: line, end: line };
    const evidence = await readEvidence(item, span, query, context);
    if (evidence === undefined) continue;
    if (isShownInFull) {
      shownInFull.push(evidence);
      remainingLines -= evidence.end_line - evidence.start_line + 1;
    } else {
      const enclosingSpan = within ?? shown;
      shownByLine.push({
        item: evidence,
        text: place.keyLine,
        within:
          enclosingSpan.end > enclosingSpan.start ? ` (in ${enclosingSpan.start}-${enclosingSpan.end})` : '',
        isRepeat: place.isRepeat,
      });
    }
  }
  const lines = shownByLine.map(
    ({ item, text, within, isRepeat }) =>
      `${item.id} ${escapePath(item.file_path)}:${item.start_line}${within}${isRepeat ? ' the same text again' : `| ${asQuote(text, query)}`}`,
  );
  return toListing(
    done,
    shownInFull,
    lines,
    shownByLine.map(({ item }) => item),
  );
}

async function readEvidence(
  { file_path, commit, provenance, score, reason }: Evidence,
  span: LineSpan,
  near: string,
  { material, scope }: RunContext,
): Promise<Evidence | undefined> {
  const claimedSpan = { path: file_path, ...span, commit, provenance, score, reason, near };
  return (await collect(material.text, scope, [claimedSpan])).evidence[0];
}

/** A line with more characters is shown only in part, and without its neighbours. */
const maxLineLength = 1_000;
const isLong = ({ lines }: FileText, line: number): boolean => (lines[line - 1]?.length ?? 0) > maxLineLength;

/** The hits in the order of the search, with tests and generated files moved back, and copies marked. */
function rankPlaces(evidence: readonly Evidence[], query: string): readonly FoundSpan[] {
  const weights = weightsOver([...termsOf(query)], evidence);
  const names = new Set(identifiersIn(query).flatMap(({ name, sure }) => (sure ? [name] : [])));
  const ranked = evidence
    .map((item, rank) => ({ item, rank: rank + rankPenalties[readingPenalty(item.file_path)] }))
    .sort((a, b) => a.rank - b.rank);
  const places: FoundSpan[] = [];
  for (const { item } of ranked) {
    const lines = tellingLines(item, weights, names);
    const best = lines.toSorted((a, b) => b.score - a.score)[0] ?? firstLine(item);
    const { line, text } = best ?? { line: item.start_line, text: item.content.split('\n')[0] ?? '' };
    const isRepeat = places.some((other) => hasSameText({ item, keyLine: text }, other));
    places.push({ item, line, keyLine: text, isRepeat });
  }
  return places;
}

/** The number added to the rank of a file, by its setback (0 to 3). */
const rankPenalties = [0, 2, 8, 20] as const;

/**
 * Adds the definitions around matches or uses, if there are at most `max`, so that the model need not open each of
 * them. If there are more, the model has to choose.
 */
async function showPlaces(
  { summary, completeness, text, evidence, ...rest }: ActionDone,
  { material, scope, signal }: RunContext,
  { withHeading, max }: { readonly withHeading: boolean; readonly max: number },
): Promise<ActionDone> {
  const done = { summary, completeness, text, evidence, ...rest };
  const { symbols, text: reader } = material;
  if (symbols === undefined) return done;
  const units: Evidence[] = [];
  for (const { file_path: path, start_line: line, commit, reason } of evidence) {
    if (commit !== null || readingPenalty(path) !== 0 || units.some((unit) => containsLine(unit, path, line)))
      continue;
    const file = await reader.readText(path, null);
    if (file.kind === 'unreadable' || isLong(file, line)) continue;
    const request = { path, lines: file.lines, line, max: maxUnitLines, signal };
    const definition = await definitionAt(symbols, request);
    // A line outside any definition is mostly an import. The first line of a definition is clear without the others.
    if (definition === undefined || definition.start === line) continue;
    if (units.length === max) return done;
    const { shown } = await unitAround(symbols, request);
    const claimedSpan = { path, ...shown, reason, provenance: 'syntax' as const };
    units.push(...(await collect(reader, scope, [claimedSpan])).evidence);
  }
  if (units.length === 0) return done;
  const heading = completeness === 'complete' ? `${summary} (complete)` : summary;
  return {
    ...done,
    evidence: [...evidence, ...units],
    text: [...(withHeading ? [heading] : []), text].join('\n'),
    inText: evidence.map(({ id }) => id),
  };
}

const containsLine = ({ file_path, start_line, end_line }: Evidence, path: string, line: number): boolean =>
  file_path === path && start_line <= line && line <= end_line;

/**
 * Maximum number of definitions shown around matches or uses, if the model or if the program asked for them; maximum
 * lines of one.
 */
const maxUnits = 5;
const maxProgramUnits = 3;
const maxUnitLines = 16;

/** Shows the callers of a function that the question names: its uses outside of tests, without imports. */
async function showUsers(done: ActionDone, context: RunContext): Promise<ActionDone> {
  const [headLine = '', ...rows] = done.text.split('\n');
  const uses = done.evidence.slice(1).flatMap((item) => {
    const row = rows.find((candidate) => candidate.startsWith(`${item.id} `));
    return row === undefined || readingPenalty(item.file_path) !== 0 || / \(import, by /.test(row)
      ? []
      : [{ item, row }];
  });
  const definitions = done.evidence.slice(0, 1);
  // Most uses of a class or a value only name it.
  const isCalled = definitions.some(
    ({ symbol_kind }) => symbol_kind === 'function' || symbol_kind === 'method',
  );
  if (!isCalled) return { ...done, evidence: [], text: '', notes: [] };
  // No caller, or callers only in tests, is an answer too: the first line says whether it can be cited.
  if (uses.length === 0)
    return { ...done, evidence: definitions, text: headLine, inText: definitions.map(({ id }) => id) };
  const shownUses = uses.slice(0, maxProgramRows);
  const text = [headLine, ...shownUses.map(({ row }) => row)].join('\n');
  const shortened = {
    ...done,
    text,
    evidence: [...definitions, ...shownUses.map(({ item }) => item)],
    notes: done.notes.filter(isContinueNote),
  };
  const inText = shortened.evidence.map(({ id }) => id);
  return showPlaces({ ...shortened, inText }, context, { withHeading: false, max: maxProgramUnits });
}

const maxProgramRows = 10;

/** Shows the first definitions in full, and each other one by its first line. */
function keepDefinitions(done: ActionDone): ActionDone {
  const fullCount = done.evidence.length > maxFullDefinitions + 1 ? maxFullDefinitions : done.evidence.length;
  const others = done.evidence.slice(fullCount);
  return toListing(done, done.evidence.slice(0, fullCount), others.map(firstLineOf), others);
}

const firstLineOf = ({ id, file_path, start_line, end_line, content }: Evidence): string =>
  `${id} ${escapePath(file_path)}:${start_line}-${end_line}| ${asQuote(content.split('\n')[0] ?? '', '')}`;

/**
 * Keeps the definitions of a name that the program looked up, if there are few outside of tests. Many definitions say
 * little about the name in the question.
 */
function keepIfInformative(done: ActionDone): ActionDone {
  const sources = done.evidence.filter(({ file_path }) => readingPenalty(file_path) === 0);
  const noDefinitions = { ...done, summary: 'no definition that says much', evidence: [], notes: [] };
  if (sources.length === 0 || sources.length > maxDefinitionsOfName) return noDefinitions;
  const isShort = ({ start_line, end_line }: Evidence) => end_line - start_line < maxFullLines;
  const longDefinitions = sources.filter((item) => !isShort(item));
  return toListing(
    { ...done, notes: [] },
    sources.filter(isShort),
    longDefinitions.map(firstLineOf),
    longDefinitions,
  );
}

/** Maximum number of definitions of a name that the program looked up. If there are more, none is shown. */
const maxDefinitionsOfName = 3;

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
