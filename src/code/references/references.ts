/** Finds the uses of a definition, how certain each is, and whether the list is complete. */
import {
  type Completeness,
  escapePath,
  type NoSymbol,
  type ReferenceHow,
  type References,
  type SymbolRow,
  type SymbolSpan,
  scopeMatcher,
} from '../../core/index.ts';
import { type Definition, enclosingDefinition, type FileFacts, type Use, usesOf } from '../facts/facts.ts';
import { isAside } from './aside.ts';
import { isReadAllTheSame, unsureInMacros } from './c-hides.ts';
import { findHiddenCallers } from './hidden.ts';
import { judge, type Target } from './judge.ts';
import { usesByMacros } from './macros.ts';
import { type DefinitionRef, familyOf, type Meaning, type Names } from './names.ts';
import { type Member, memberOf } from './receivers.ts';
import { implAt, isAt } from './rust-impl.ts';
import { type CodeSources, Survey } from './survey.ts';
import { parseSymbol, symbolOf, targetsOf } from './targets.ts';
import { askWitness, type RowAt } from './witness.ts';

export interface ReferenceRequest {
  readonly symbol: string;
  readonly scope?: string;
  /** Only uses that call it. */
  readonly calls?: boolean;
  /** Skips the search for hidden callers: used for the steps of a longer path. */
  readonly quick?: boolean;
  /** Whether language servers are asked too; by default they are, unless it is quick. */
  readonly withServers?: boolean;
  readonly signal?: AbortSignal;
}

export const isCall = ({ kind }: SymbolRow): boolean => kind === 'call' || kind === 'decorator';

export async function references(
  sources: CodeSources,
  request: ReferenceRequest,
): Promise<References | NoSymbol> {
  const survey = new Survey(sources, request.signal);
  survey.expect(parseSymbol(request.symbol).name);
  await survey.start();
  return referencesIn(survey, request);
}

/** With the files that earlier questions about the same tree have read. */
export async function referencesIn(
  survey: Survey,
  request: ReferenceRequest,
): Promise<References | NoSymbol> {
  const found = await targetIn(survey, request.symbol);
  return found.kind === 'target' ? listing(survey, found, request) : found;
}

export interface FoundTarget {
  readonly kind: 'target';
  readonly target: Target;
  /** The number of other definitions of the same name. */
  readonly others: number;
  /** Notes for the caller about the search. */
  readonly notes: readonly string[];
}

/** Finds the definition that a name refers to. */
export async function targetIn(survey: Survey, symbol: string): Promise<FoundTarget | NoSymbol> {
  const symbolQuery = parseSymbol(symbol);
  if (symbolQuery.name === '') return { kind: 'nowhere' };
  // A file named in the question is read first.
  if (symbolQuery.path !== null) await survey.readFirst(symbolQuery.path);
  else await survey.readDefining(symbolQuery.name);
  const paths = await survey.holding([symbolQuery.name]);
  if (paths.length === 0) return { kind: 'nowhere' };
  let all = await survey.askUntilSettled((names) => targetsOf(names, paths, symbolQuery));
  if (all.length === 0 && survey.wasCut) {
    // The time ran out before any file was read: a few are read anyway.
    const first = paths.toSorted((a, b) => Number(isAside(a)) - Number(isAside(b))).slice(0, maxFirst);
    for (const path of first) await survey.readFirst(path);
    all = await survey.askUntilSettled((names) => targetsOf(names, paths, symbolQuery));
  }
  const target = onlyOne(all);
  if (target !== null) return { kind: 'target', target, others: all.length - 1, notes: [] };
  const inherited = all.length === 0 ? await findInherited(survey, symbolQuery, paths) : null;
  if (inherited !== null) return inherited;
  return all.length === 0
    ? { kind: 'undefined', places: paths, cut: survey.wasCut }
    : { kind: 'ambiguous', candidates: await survey.askUntilSettled((names) => candidatesOf(names, all)) };
}

const maxFirst = 4;

/** A member that a class inherits: it is found through the class, and reported under its owner. */
async function findInherited(
  survey: Survey,
  { path, holders, name }: ReturnType<typeof parseSymbol>,
  paths: readonly string[],
): Promise<FoundTarget | null> {
  const holder = holders.at(-1);
  if (holder === undefined) return null;
  if (path === null) await survey.readDefining(holder);
  else await survey.readFirst(path);
  const holding = await survey.listHolding([holder]);
  const defines = (at: string) =>
    survey.facts(at)?.definitions.some((definition) => definition.name === holder) === true;
  if (path === null && !holding.some(defines)) await survey.read(holding);
  const classPaths = path === null ? holding.filter(defines) : [path];
  return survey.askFirst((names) => {
    const classes = targetsOf(names, classPaths, {
      path,
      holders: holders.slice(0, -1),
      name: holder,
    });
    const own = onlyOne(classes);
    if (own === null) return null;
    const { kind, ...found } = memberOfAny(names, own.places, name);
    if (kind !== 'found') return null;
    const { place } = found as { place: DefinitionRef };
    const facts = names.facts(place.path)!;
    const member = facts.definitions[place.index]!;
    const symbol = symbolOf(facts, place.path, member);
    const target = onlyOne(targetsOf(names, [...new Set([...paths, place.path])], parseSymbol(symbol)));
    // The class's own member may not have been read yet.
    const isOwn = own.places.some(({ path: at, index }) => at === place.path && index === member.parent);
    const note = `${[...holders, name].join('.')} is inherited: what is shown is of ${symbol}`;
    return target === null ? null : { kind: 'target', target, others: 0, notes: isOwn ? [] : [note] };
  });
}

function memberOfAny(names: Names, places: readonly DefinitionRef[], name: string): Member {
  for (const place of places) {
    const found = memberOf(names, place, name);
    if (found.kind === 'found') return found;
  }
  return { kind: 'none' };
}

/** A candidate that scores less than half of the first was not meant. */
function onlyOne(all: readonly Target[]): Target | null {
  const [first, second] = all;
  if (first === undefined) return null;
  if (second === undefined) return first;
  const rank = ({ definition, path }: Target) =>
    definition.flags.includes('local')
      ? 3
      : definition.kind === 'field'
        ? 2
        : isAside(path) || gives(first, definition.kind)
          ? 1
          : 0;
  return rank(second) > rank(first) ? first : null;
}

/** For C: a macro with the name of a function stands for that function, and a tag is written with `struct`. */
const gives = ({ definition }: Target, kind: string): boolean =>
  kind !== definition.kind &&
  (kind === 'macro' || (/^(?:struct|enum)$/.test(kind) && /^(?:function|variable)$/.test(definition.kind)));

const candidatesOf = (names: Names, all: readonly Target[]): readonly string[] => [
  ...new Set(all.slice(0, 50).map(({ path, definition }) => symbolOf(names.facts(path)!, path, definition))),
];

async function listing(
  survey: Survey,
  { target, others, notes: said }: FoundTarget,
  { scope, calls = false, quick = false, withServers = !quick, signal }: ReferenceRequest,
): Promise<References> {
  const facts = survey.facts(target.path)!;
  const syntax = await judgeAll(survey, target);
  const judged = !withServers
    ? { ...syntax, partial: [], notes: [] }
    : {
        ...syntax,
        ...(await askWitness(survey, survey.servers, target, syntax.rows, (at) => rowAt(survey, at), signal)),
      };
  const inScope = scopeMatcher(scope);
  const stale = await survey.listChanged(new Set(judged.rows.map(({ path }) => path)));
  const current = judged.rows.filter(({ path }) => !stale.has(path));
  const rows = current.filter((row) => inScope(row.path) && (!calls || isCall(row) || row.kind === 'text'));
  const { why, completeness } = await howComplete(survey, target, current, {
    calls,
    quick,
    stale: stale.size,
    renamed: judged.isLost,
    witness: judged.partial,
  });
  const { definition, path } = target;
  return {
    kind: 'listed',
    symbol: symbolOf(facts, path, definition),
    definition: spanOf(facts, path, definition),
    completeness,
    why: [
      ...said,
      ...why,
      ...judged.notes,
      ...(others > 0
        ? [
            `${others} other definitions have this name, in tests or within others; name one by its path to have its uses`,
          ]
        : []),
    ],
    files: survey.counts,
    rows: sortRows(rows),
  };
}

export const spanOf = (facts: FileFacts, path: string, definition: Definition): SymbolSpan => ({
  symbol: symbolOf(facts, path, definition),
  path,
  name: definition.name,
  kind: definition.kind,
  start: definition.start,
  end: definition.end,
  header: definition.header,
  signature: definition.signature,
});

interface RowJudgement {
  readonly rows: readonly SymbolRow[];
  /** It is exported under names that could not all be followed. */
  readonly isLost: boolean;
}

/** Maximum number of other names under which files import or export it. */
const maxAliases = 6;

async function judgeAll(survey: Survey, target: Target): Promise<RowJudgement> {
  const found = new Map<string, SymbolRow>();
  const seen = new Set<string>();
  let words: readonly string[] = [target.name];
  let isLost = false;
  for (let round = 0; words.length > 0; round += 1) {
    if (round > 3 || seen.size > maxAliases) {
      isLost = true;
      break;
    }
    const paths = round === 0 ? await survey.holding([target.name]) : await survey.holding(words);
    const names = words;
    const more = await survey.askUntilSettled((known) => {
      const aliases = new Set<string>();
      for (const path of paths) judgeFile(survey, known, target, path, names, found, aliases);
      return aliases;
    });
    for (const word of words) seen.add(word);
    words = [...more].filter((word) => !seen.has(word));
  }
  const followed = await usesByMacros(survey, target, found, (facts, path, use, isSure) =>
    rowOf(survey, facts, path, use, 'import', isSure),
  );
  await unsureInMacros(survey, target, found);
  return { rows: [...found.values()], isLost: isLost || !followed };
}

function judgeFile(
  survey: Survey,
  names: Names,
  target: Target,
  path: string,
  words: readonly string[],
  found: Map<string, SymbolRow>,
  aliases: Set<string>,
): void {
  const facts = names.facts(path);
  if (facts === null) return;
  for (const name of words)
    for (const use of usesOf(facts, { name })) {
      const verdict = judge(names, name === target.name ? target : { ...target, name }, path, use);
      const key = `${path}:${use.line}:${use.column}`;
      if (verdict.kind === 'other') continue;
      const means = verdict.kind === 'means';
      if (name !== target.name && !means) continue;
      const before = found.get(key);
      if (before?.sure === true) continue;
      found.set(key, rowOf(survey, facts, path, use, means ? verdict.how : 'text', means && verdict.sure));
    }
  // Searched under the name that this file uses.
  for (const [index, one] of facts.imports.entries()) {
    if (one.local === '*' || one.local === one.name || !(words.includes(one.name) || one.name === 'default'))
      continue;
    if (!isMeant(target, names.resolveImport(path, one))) continue;
    for (const use of usesOf(facts, { name: one.local })) aliasRow(survey, facts, path, use, index, found);
  }
  collectExports(names, target, path, facts, aliases);
}

const isMeant = ({ places }: Target, meaning: Meaning): boolean =>
  meaning.kind === 'definition' &&
  places.some((place) => place.path === meaning.path && place.index === meaning.index);

function aliasRow(
  survey: Survey,
  facts: FileFacts,
  path: string,
  use: Use,
  index: number,
  found: Map<string, SymbolRow>,
): void {
  const key = `${path}:${use.line}:${use.column}`;
  if (
    use.receiver === null &&
    use.binding?.kind === 'import' &&
    use.binding.index === index &&
    !found.has(key)
  )
    found.set(key, rowOf(survey, facts, path, use, 'import', true));
}

/** Other names under which a file exports it. */
function collectExports(
  names: Names,
  target: Target,
  path: string,
  facts: FileFacts,
  aliases: Set<string>,
): void {
  if (familyOf(facts.language) === 'script') {
    for (const { name, local, module } of facts.exports) {
      if (name === '*' || name === target.name || local === '*') continue;
      const meaning = module === undefined ? names.inFile(path, local) : names.resolveExport(path, name);
      if (!isMeant(target, meaning)) continue;
      // An importer may give a default export any name, but must name the module.
      if (name === 'default' || name === '=') for (const word of stemOf(path)) aliases.add(word);
      else aliases.add(name);
    }
  } else if (familyOf(facts.language) === 'python' || familyOf(facts.language) === 'rust')
    for (const one of facts.imports) {
      if (one.local === one.name || one.name !== target.name || one.local === '*') continue;
      if (isMeant(target, names.resolveImport(path, one))) aliases.add(one.local);
    }
}

function stemOf(path: string): readonly string[] {
  const parts = path.replace(/(?:\.d)?\.\w+$/, '').split('/');
  const last = parts.at(-1) ?? '';
  const stem = last === 'index' ? (parts.at(-2) ?? '') : last;
  return [stem.split('.')[0] ?? ''].filter((word) => /^[\w$-]+$/.test(word));
}

const kinds: Readonly<Record<Use['role'], SymbolRow['kind']>> = {
  call: 'call',
  import: 'import',
  base: 'inherits',
  type: 'type',
  export: 'export',
  decorator: 'decorator',
  read: 'reference',
  key: 'reference',
  string: 'text',
  macro: 'call',
  word: 'call',
};

/** The trait in the header of an `impl` is written as a type, and is what the type inherits from. */
function kindOf(survey: Survey, { language }: FileFacts, path: string, use: Use): SymbolRow['kind'] {
  if (language !== 'rust' || use.role !== 'type') return kinds[use.role];
  const impl = implAt(survey.lines(path), use.line);
  return impl !== null && isAt(use, impl.trait) ? 'inherits' : 'type';
}

/** A word that a macro is given, and that nothing calls there. */
function isOnlyWord(survey: Survey, path: string, { role, name, line, column }: Use): boolean {
  if (role !== 'macro' && role !== 'word') return false;
  const after = (survey.lines(path)[line - 1] ?? '').slice(column + name.length);
  return !/^\s*(?:[(!]|::<)/.test(after);
}

function rowOf(
  survey: Survey,
  facts: FileFacts,
  path: string,
  use: Use,
  how: ReferenceHow,
  isSure: boolean,
): SymbolRow {
  const around = facts.definitions[use.within];
  return {
    path,
    line: use.line,
    column: use.column,
    text: (survey.lines(path)[use.line - 1] ?? '').trim(),
    kind: how === 'text' && isOnlyWord(survey, path, use) ? 'text' : kindOf(survey, facts, path, use),
    how,
    sure: isSure,
    enclosing: around === undefined ? null : symbolOf(facts, path, around),
  };
}

/** Makes a row for a place that a language server reports: a name that the parser knows, or another word. */
function rowAt(survey: Survey, place: Parameters<RowAt>[0]): ReturnType<RowAt> {
  const { path, line, column } = place;
  const text = survey.lines(path)[line - 1];
  const facts = survey.facts(path);
  if (text === undefined || facts === null || !/[\p{L}\p{N}_$#]/u.test(text[column] ?? '')) return null;
  const use = usesOf(facts, { start: line, end: line }).find((one) => one.column === column);
  if (facts.definitions.some((definition) => definition.line === line && definition.column === column))
    return 'definition';
  const around = facts.definitions[use?.within ?? enclosingDefinition(facts, line)];
  return {
    path,
    line,
    column,
    text: text.trim(),
    kind: use === undefined || use.role === 'string' ? 'reference' : kindOf(survey, facts, path, use),
    enclosing: around === undefined ? null : symbolOf(facts, path, around),
  };
}

function sortRows(rows: readonly SymbolRow[]): readonly SymbolRow[] {
  const rank = (row: SymbolRow) => (row.sure ? 0 : row.how === 'text' ? 2 : 1);
  return rows.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(isAside(a.path)) - Number(isAside(b.path)) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column),
  );
}

/** The hint if the time ran out. */
export const goesOn = 'asked again it goes on from the files that were read';

/** The reason where it is uncertain whether some uses mean the definition. */
export function mayMeanAnother(rows: readonly SymbolRow[]): string {
  const many = rows.filter((row) => !row.sure).length;
  return `${many} ${many === 1 ? 'place' : 'places'} may mean it or another`;
}

interface HowAsked {
  readonly calls: boolean;
  readonly quick: boolean;
  readonly stale: number;
  readonly renamed: boolean;
  /** Notes on differences from the language server. */
  readonly witness: readonly string[];
}

async function howComplete(
  survey: Survey,
  target: Target,
  rows: readonly SymbolRow[],
  { calls, quick, stale, renamed, witness }: HowAsked,
): Promise<{ readonly completeness: Completeness; readonly why: readonly string[] }> {
  const partial: string[] = [];
  const note = (paths: readonly string[], one: string, several = one) => {
    if (paths.length > 0)
      partial.push(
        `${paths.length} ${paths.length === 1 ? 'file' : 'files'} with the word ${paths.length === 1 ? one : several} (${paths.slice(0, 3).map(escapePath).join(', ')}${paths.length > 3 ? ', …' : ''})`,
      );
  };
  if (rows.some((row) => !row.sure)) partial.push(mayMeanAnother(rows));
  note(
    survey.listTroubled('failed').filter((path) => !isReadAllTheSame(survey, target, path, rows)),
    'could not be read without errors',
  );
  note(survey.listTroubled('over_limit'), 'is over the limit of bytes', 'are over the limit of bytes');
  note(survey.listTroubled('unread'), 'was not read in the time', 'were not read in the time');
  note(
    survey.listTroubled('other'),
    'is in a language whose syntax is not read',
    'are in a language whose syntax is not read',
  );
  if (stale > 0) partial.push(`${stale} ${stale === 1 ? 'file' : 'files'} changed meanwhile`);
  if (renamed) partial.push('it is given out under more names than were followed');
  partial.push(...witness);
  const handed = calls ? rows.find((row) => row.kind === 'reference' && row.sure) : undefined;
  if (handed !== undefined)
    partial.push(
      `it is handed on as a value (${escapePath(handed.path)}:${handed.line}), and may be called there`,
    );
  const hidden = quick ? { unknown: [], partial: [] } : await findHiddenCallers(survey, target, rows);
  if (survey.wasCut) partial.push(`the look was cut at its limit; ${goesOn}`);
  partial.push(...hidden.partial);
  const completeness = hidden.unknown.length > 0 ? 'unknown' : partial.length > 0 ? 'partial' : 'complete';
  return { completeness, why: [...hidden.unknown, ...partial] };
}
