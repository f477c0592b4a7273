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
import {
  type Definition,
  type FileFacts,
  findEnclosingDefinition,
  listUses,
  type Use,
} from '../facts/facts.ts';
import { isReadDespiteErrors, markMacroUsesUnsure } from './c-hidden-uses.ts';
import { findHiddenCallers } from './hidden.ts';
import { judge, type Target } from './judge.ts';
import { addUsesByMacros } from './macros.ts';
import { type DefinitionRef, familyOf, type Meaning, type NameResolver } from './name-resolver.ts';
import { findMember, type Member } from './receivers.ts';
import { findImpl, isSamePlace } from './rust-impl.ts';
import { compareWithServer, type RowAt } from './server-uses.ts';
import { type CodeSources, Survey } from './survey.ts';
import { findTargets, parseSymbol, symbolOf } from './targets.ts';
import { isTestOrVendored } from './test-or-vendored.ts';

export interface ReferenceRequest {
  readonly symbol: string;
  readonly scope?: string;
  /** True: lists only uses that call the definition. */
  readonly calls?: boolean;
  /** True: skips the search for hidden callers, as for the inner steps of a call chain. */
  readonly quick?: boolean;
  /** Whether language servers are asked too; by default they are, unless it is quick. */
  readonly withServers?: boolean;
  readonly signal?: AbortSignal;
}

export const isCall = ({ kind }: SymbolRow): boolean => kind === 'call' || kind === 'decorator';

export async function listReferences(
  sources: CodeSources,
  request: ReferenceRequest,
): Promise<References | NoSymbol> {
  const survey = new Survey(sources, request.signal);
  survey.prefetch(parseSymbol(request.symbol).name);
  await survey.start();
  return listReferencesIn(survey, request);
}

/** Like `listReferences`, with a survey whose files were already read. */
export async function listReferencesIn(
  survey: Survey,
  request: ReferenceRequest,
): Promise<References | NoSymbol> {
  const found = await findTarget(survey, request.symbol);
  return found.kind === 'target' ? createListing(survey, found, request) : found;
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
export async function findTarget(survey: Survey, symbol: string): Promise<FoundTarget | NoSymbol> {
  const symbolQuery = parseSymbol(symbol);
  if (symbolQuery.name === '') return { kind: 'nowhere' };
  // A file named in the question is read first.
  if (symbolQuery.path !== null) await survey.readFirst(symbolQuery.path);
  else await survey.readDefining(symbolQuery.name);
  const paths = await survey.readContaining([symbolQuery.name]);
  if (paths.length === 0) return { kind: 'nowhere' };
  let all = await survey.askUntilSettled((resolver) => findTargets(resolver, paths, symbolQuery));
  if (all.length === 0 && survey.wasCut) {
    // The time ran out before any file was read: a few are read anyway.
    const likelyPaths = paths
      .toSorted((a, b) => Number(isTestOrVendored(a)) - Number(isTestOrVendored(b)))
      .slice(0, maxFilesAfterTimeout);
    for (const path of likelyPaths) await survey.readFirst(path);
    all = await survey.askUntilSettled((resolver) => findTargets(resolver, paths, symbolQuery));
  }
  const target = pickClearTarget(all);
  if (target !== null) return { kind: 'target', target, others: all.length - 1, notes: [] };
  const inherited = all.length === 0 ? await findInherited(survey, symbolQuery, paths) : null;
  if (inherited !== null) return inherited;
  return all.length === 0
    ? { kind: 'undefined', places: paths, cut: survey.wasCut }
    : {
        kind: 'ambiguous',
        candidates: await survey.askUntilSettled((resolver) => listCandidates(resolver, all)),
      };
}

const maxFilesAfterTimeout = 4;

/** Finds an inherited member: looks it up in the class, and reports it under the base class that declares it. */
async function findInherited(
  survey: Survey,
  { path, qualifiers, name }: ReturnType<typeof parseSymbol>,
  paths: readonly string[],
): Promise<FoundTarget | null> {
  const className = qualifiers.at(-1);
  if (className === undefined) return null;
  if (path === null) await survey.readDefining(className);
  else await survey.readFirst(path);
  const pathsWithClass = await survey.listContaining([className]);
  const definesClass = (at: string) =>
    survey.facts(at)?.definitions.some((definition) => definition.name === className) === true;
  if (path === null && !pathsWithClass.some(definesClass)) await survey.read(pathsWithClass);
  const classPaths = path === null ? pathsWithClass.filter(definesClass) : [path];
  return survey.askDespiteDeadline((resolver) => {
    const classes = findTargets(resolver, classPaths, {
      path,
      qualifiers: qualifiers.slice(0, -1),
      name: className,
    });
    const classTarget = pickClearTarget(classes);
    if (classTarget === null) return null;
    const { kind, ...found } = findMemberOfAny(resolver, classTarget.places, name);
    if (kind !== 'found') return null;
    const { place } = found as { place: DefinitionRef };
    const facts = resolver.facts(place.path)!;
    const member = facts.definitions[place.index]!;
    const symbol = symbolOf(facts, place.path, member);
    const target = pickClearTarget(
      findTargets(resolver, [...new Set([...paths, place.path])], parseSymbol(symbol)),
    );
    // The class itself declares the member, in a file that was read only now, so that it is not inherited.
    const isDeclaredByClass = classTarget.places.some(
      ({ path: at, index }) => at === place.path && index === member.parent,
    );
    const inheritedNote = `${[...qualifiers, name].join('.')} is inherited: what is shown is of ${symbol}`;
    return target === null
      ? null
      : { kind: 'target', target, others: 0, notes: isDeclaredByClass ? [] : [inheritedNote] };
  });
}

function findMemberOfAny(resolver: NameResolver, places: readonly DefinitionRef[], name: string): Member {
  for (const place of places) {
    const found = findMember(resolver, place, name);
    if (found.kind === 'found') return found;
  }
  return { kind: 'none' };
}

/** Returns the first target if it is the only one, or clearly more likely than the second; otherwise null. */
function pickClearTarget(targets: readonly Target[]): Target | null {
  const [first, second] = targets;
  if (first === undefined) return null;
  if (second === undefined) return first;
  const rank = ({ definition, path }: Target) =>
    definition.flags.includes('local')
      ? 3
      : definition.kind === 'field'
        ? 2
        : isTestOrVendored(path) || standsFor(first, definition.kind)
          ? 1
          : 0;
  return rank(second) > rank(first) ? first : null;
}

/**
 * For C: whether a definition of this kind only stands for the target: a macro with the name of a function, or a tag,
 * which is written with `struct`.
 */
const standsFor = ({ definition }: Target, kind: string): boolean =>
  kind !== definition.kind &&
  (kind === 'macro' || (/^(?:struct|enum)$/.test(kind) && /^(?:function|variable)$/.test(definition.kind)));

const listCandidates = (resolver: NameResolver, targets: readonly Target[]): readonly string[] => [
  ...new Set(
    targets.slice(0, 50).map(({ path, definition }) => symbolOf(resolver.facts(path)!, path, definition)),
  ),
];

async function createListing(
  survey: Survey,
  { target, others, notes: targetNotes }: FoundTarget,
  { scope, calls = false, quick = false, withServers = !quick, signal }: ReferenceRequest,
): Promise<References> {
  const facts = survey.facts(target.path)!;
  const syntax = await judgeAll(survey, target);
  const judgement = !withServers
    ? { ...syntax, partial: [], notes: [] }
    : {
        ...syntax,
        ...(await compareWithServer(
          survey,
          survey.servers,
          target,
          syntax.rows,
          (at) => rowAt(survey, at),
          signal,
        )),
      };
  const inScope = scopeMatcher(scope);
  const changedPaths = await survey.listChanged(new Set(judgement.rows.map(({ path }) => path)));
  const currentRows = judgement.rows.filter(({ path }) => !changedPaths.has(path));
  const rows = currentRows.filter(
    (row) => inScope(row.path) && (!calls || isCall(row) || row.kind === 'text'),
  );
  const { why, completeness } = await assessCompleteness(survey, target, currentRows, {
    calls,
    quick,
    stale: changedPaths.size,
    hasUnfollowedAliases: judgement.hasUnfollowedAliases,
    serverNotes: judgement.partial,
  });
  const { definition, path } = target;
  return {
    kind: 'listed',
    symbol: symbolOf(facts, path, definition),
    definition: toSpan(facts, path, definition),
    completeness,
    why: [
      ...targetNotes,
      ...why,
      ...judgement.notes,
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

export const toSpan = (facts: FileFacts, path: string, definition: Definition): SymbolSpan => ({
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
  /** True if the definition is exported under more names than were searched. */
  readonly hasUnfollowedAliases: boolean;
}

/** Maximum number of other names under which files import or export it. */
const maxAliases = 6;

async function judgeAll(survey: Survey, target: Target): Promise<RowJudgement> {
  const rowsByPlace = new Map<string, SymbolRow>();
  const searchedWords = new Set<string>();
  let words: readonly string[] = [target.name];
  let hasUnfollowedAliases = false;
  for (let round = 0; words.length > 0; round += 1) {
    if (round > 3 || searchedWords.size > maxAliases) {
      hasUnfollowedAliases = true;
      break;
    }
    const paths =
      round === 0 ? await survey.readContaining([target.name]) : await survey.readContaining(words);
    const roundWords = words;
    const newAliases = await survey.askUntilSettled((resolver) => {
      const aliases = new Set<string>();
      for (const path of paths) judgeFile(survey, resolver, target, path, roundWords, rowsByPlace, aliases);
      return aliases;
    });
    for (const word of words) searchedWords.add(word);
    words = [...newAliases].filter((word) => !searchedWords.has(word));
  }
  const areMacrosFollowed = await addUsesByMacros(survey, target, rowsByPlace, (facts, path, use, isSure) =>
    toRow(survey, facts, path, use, 'import', isSure),
  );
  await markMacroUsesUnsure(survey, target, rowsByPlace);
  return {
    rows: [...rowsByPlace.values()],
    hasUnfollowedAliases: hasUnfollowedAliases || !areMacrosFollowed,
  };
}

function judgeFile(
  survey: Survey,
  resolver: NameResolver,
  target: Target,
  path: string,
  words: readonly string[],
  rowsByPlace: Map<string, SymbolRow>,
  aliases: Set<string>,
): void {
  const facts = resolver.facts(path);
  if (facts === null) return;
  for (const name of words)
    for (const use of listUses(facts, { name })) {
      const verdict = judge(resolver, name === target.name ? target : { ...target, name }, path, use);
      const key = `${path}:${use.line}:${use.column}`;
      if (verdict.kind === 'other') continue;
      const isUseOfTarget = verdict.kind === 'means';
      if (name !== target.name && !isUseOfTarget) continue;
      const previousRow = rowsByPlace.get(key);
      if (previousRow?.sure === true) continue;
      rowsByPlace.set(
        key,
        toRow(
          survey,
          facts,
          path,
          use,
          isUseOfTarget ? verdict.how : 'text',
          isUseOfTarget && verdict.isSure,
        ),
      );
    }
  // An import under another name: searches for that name, too.
  for (const [index, one] of facts.imports.entries()) {
    if (one.local === '*' || one.local === one.name || !(words.includes(one.name) || one.name === 'default'))
      continue;
    if (!isMeant(target, resolver.resolveImport(path, one))) continue;
    for (const use of listUses(facts, { name: one.local }))
      addAliasRow(survey, facts, path, use, index, rowsByPlace);
  }
  collectExports(resolver, target, path, facts, aliases);
}

const isMeant = ({ places }: Target, meaning: Meaning): boolean =>
  meaning.kind === 'definition' &&
  places.some((place) => place.path === meaning.path && place.index === meaning.index);

function addAliasRow(
  survey: Survey,
  facts: FileFacts,
  path: string,
  use: Use,
  index: number,
  rowsByPlace: Map<string, SymbolRow>,
): void {
  const key = `${path}:${use.line}:${use.column}`;
  if (
    use.receiver === null &&
    use.binding?.kind === 'import' &&
    use.binding.index === index &&
    !rowsByPlace.has(key)
  )
    rowsByPlace.set(key, toRow(survey, facts, path, use, 'import', true));
}

/** Collects the other names under which a file exports the target. */
function collectExports(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  aliases: Set<string>,
): void {
  if (familyOf(facts.language) === 'script') {
    for (const { name, local, module } of facts.exports) {
      if (name === '*' || name === target.name || local === '*') continue;
      const meaning =
        module === undefined ? resolver.resolveInFile(path, local) : resolver.resolveExport(path, name);
      if (!isMeant(target, meaning)) continue;
      // An importer may give a default export any name, but must name the module.
      if (name === 'default' || name === '=') for (const word of fileStems(path)) aliases.add(word);
      else aliases.add(name);
    }
  } else if (familyOf(facts.language) === 'python' || familyOf(facts.language) === 'rust')
    for (const one of facts.imports) {
      if (one.local === one.name || one.name !== target.name || one.local === '*') continue;
      if (isMeant(target, resolver.resolveImport(path, one))) aliases.add(one.local);
    }
}

function fileStems(path: string): readonly string[] {
  const parts = path.replace(/(?:\.d)?\.\w+$/, '').split('/');
  const last = parts.at(-1) ?? '';
  const stem = last === 'index' ? (parts.at(-2) ?? '') : last;
  return [stem.split('.')[0] ?? ''].filter((word) => /^[\w$-]+$/.test(word));
}

const kindsByRole: Readonly<Record<Use['role'], SymbolRow['kind']>> = {
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

/** The kind of a row. In the header of an `impl`, the trait is written as a type, but the use counts as `inherits`. */
function rowKind(survey: Survey, { language }: FileFacts, path: string, use: Use): SymbolRow['kind'] {
  if (language !== 'rust' || use.role !== 'type') return kindsByRole[use.role];
  const impl = findImpl(survey.lines(path), use.line);
  return impl !== null && isSamePlace(use, impl.trait) ? 'inherits' : 'type';
}

/** Whether a use is a word that is passed to a macro and is not called there. */
function isOnlyWord(survey: Survey, path: string, { role, name, line, column }: Use): boolean {
  if (role !== 'macro' && role !== 'word') return false;
  const after = (survey.lines(path)[line - 1] ?? '').slice(column + name.length);
  return !/^\s*(?:[(!]|::<)/.test(after);
}

function toRow(
  survey: Survey,
  facts: FileFacts,
  path: string,
  use: Use,
  how: ReferenceHow,
  isSure: boolean,
): SymbolRow {
  const enclosing = facts.definitions[use.within];
  return {
    path,
    line: use.line,
    column: use.column,
    text: (survey.lines(path)[use.line - 1] ?? '').trim(),
    kind: how === 'text' && isOnlyWord(survey, path, use) ? 'text' : rowKind(survey, facts, path, use),
    how,
    sure: isSure,
    enclosing: enclosing === undefined ? null : symbolOf(facts, path, enclosing),
  };
}

/** Makes a row for a place that a language server reports: a name that the parser knows, or another word. */
function rowAt(survey: Survey, place: Parameters<RowAt>[0]): ReturnType<RowAt> {
  const { path, line, column } = place;
  const text = survey.lines(path)[line - 1];
  const facts = survey.facts(path);
  if (text === undefined || facts === null || !/[\p{L}\p{N}_$#]/u.test(text[column] ?? '')) return null;
  const use = listUses(facts, { start: line, end: line }).find((one) => one.column === column);
  if (facts.definitions.some((definition) => definition.line === line && definition.column === column))
    return 'definition';
  const enclosing = facts.definitions[use?.within ?? findEnclosingDefinition(facts, line)];
  return {
    path,
    line,
    column,
    text: text.trim(),
    kind: use === undefined || use.role === 'string' ? 'reference' : rowKind(survey, facts, path, use),
    enclosing: enclosing === undefined ? null : symbolOf(facts, path, enclosing),
  };
}

function sortRows(rows: readonly SymbolRow[]): readonly SymbolRow[] {
  const rank = (row: SymbolRow) => (row.sure ? 0 : row.how === 'text' ? 2 : 1);
  return rows.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(isTestOrVendored(a.path)) - Number(isTestOrVendored(b.path)) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column),
  );
}

/** Tells the caller what to do if the time ran out. */
export const continueHint = 'ask again to go on with the files that were not read yet';

/** Says how many uses may mean another definition. */
export function mayMeanAnotherNote(rows: readonly SymbolRow[]): string {
  const unsureCount = rows.filter((row) => !row.sure).length;
  return `${unsureCount} ${unsureCount === 1 ? 'place' : 'places'} may mean it or another`;
}

interface CompletenessFacts {
  readonly calls: boolean;
  readonly quick: boolean;
  readonly stale: number;
  readonly hasUnfollowedAliases: boolean;
  /** Notes on differences from the language server. */
  readonly serverNotes: readonly string[];
}

async function assessCompleteness(
  survey: Survey,
  target: Target,
  rows: readonly SymbolRow[],
  { calls, quick, stale, hasUnfollowedAliases, serverNotes }: CompletenessFacts,
): Promise<{ readonly completeness: Completeness; readonly why: readonly string[] }> {
  const partial: string[] = [];
  const addFileNote = (paths: readonly string[], singular: string, plural = singular) => {
    if (paths.length > 0)
      partial.push(
        `${paths.length} ${paths.length === 1 ? 'file' : 'files'} with the word ${paths.length === 1 ? singular : plural} (${paths.slice(0, 3).map(escapePath).join(', ')}${paths.length > 3 ? ', …' : ''})`,
      );
  };
  if (rows.some((row) => !row.sure)) partial.push(mayMeanAnotherNote(rows));
  addFileNote(
    survey.listTroubled('failed').filter((path) => !isReadDespiteErrors(survey, target, path, rows)),
    'could not be read without errors',
  );
  addFileNote(survey.listTroubled('over_limit'), 'is over the limit of bytes', 'are over the limit of bytes');
  addFileNote(survey.listTroubled('unread'), 'was not read in the time', 'were not read in the time');
  addFileNote(
    survey.listTroubled('other'),
    'is in a language whose syntax is not read',
    'are in a language whose syntax is not read',
  );
  if (stale > 0) partial.push(`${stale} ${stale === 1 ? 'file' : 'files'} changed meanwhile`);
  if (hasUnfollowedAliases) partial.push('it is exported under more names than were followed');
  partial.push(...serverNotes);
  const valueRow = calls ? rows.find((row) => row.kind === 'reference' && row.sure) : undefined;
  if (valueRow !== undefined)
    partial.push(
      `it is handed on as a value (${escapePath(valueRow.path)}:${valueRow.line}), and may be called there`,
    );
  const hidden = quick ? { unknown: [], partial: [] } : await findHiddenCallers(survey, target, rows);
  if (survey.wasCut) partial.push(`the search stopped at its time limit; ${continueHint}`);
  partial.push(...hidden.partial);
  const completeness = hidden.unknown.length > 0 ? 'unknown' : partial.length > 0 ? 'partial' : 'complete';
  return { completeness, why: [...hidden.unknown, ...partial] };
}
