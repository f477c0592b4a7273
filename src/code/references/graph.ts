/**
 * Follows dependencies step by step from a definition to its users, or to what it uses. Computed anew for each
 * question.
 */
import {
  type Edge,
  type Expansion,
  type Impact,
  type ImpactRow,
  type ListingFacts,
  type NoSymbol,
  type SymbolRow,
  type SymbolSpan,
  type SymbolTrace,
  scopeMatcher,
  type TraceStep,
} from '../../core/index.ts';
import { type Definition, type FileFacts, listUses } from '../facts/facts.ts';
import type { LanguageName } from '../syntax/languages.ts';
import { findTests, isTest } from './affected-tests.ts';
import { familyOf, type Meaning, type NameResolver } from './name-resolver.ts';
import { findLineage, findMember, resolveReceiver } from './receivers.ts';
import { continueHint, findTarget, listReferencesIn, mayMeanAnotherNote, toSpan } from './references.ts';
import { findImpl, isSamePlace } from './rust-impl.ts';
import type { Survey } from './survey.ts';
import { parseSymbol, symbolOf } from './targets.ts';

/** Maximum definitions whose users are looked up. */
const maxNodes = 60;
const maxHops = 3;
const maxTraceHops = 8;
/** Maximum reasons listed for definitions beyond the first step. */
const maxLaterReasons = 8;

export interface ChangedSymbol extends SymbolSpan {
  /** The kind of change. */
  readonly change: string;
}

type WorstCompleteness = { completeness: ListingFacts['completeness']; readonly why: Set<string> };

function lowerCompleteness(worst: WorstCompleteness, { completeness, why }: ListingFacts): void {
  if (completeness === 'unknown' || (completeness === 'partial' && worst.completeness === 'complete'))
    worst.completeness = completeness;
  for (const one of why) worst.why.add(one);
}

/** Says how many places may refer to another definition, so that the users of their definitions were not followed. */
const notFollowedNote = (many: number): string =>
  `${formatCount(many, 'place')} may mean it or another, and ${many === 1 ? 'was' : 'were'} not followed`;

/** Finds the users of the changed definitions, their users in turn, and the tests among them. */
export async function findImpact(
  survey: Survey,
  changed: readonly ChangedSymbol[],
  scope: string | undefined,
  signal?: AbortSignal,
): Promise<Impact> {
  const rows: ImpactRow[] = [];
  const worst: WorstCompleteness = { completeness: 'complete', why: new Set() };
  const seen = new Set(changed.map(({ symbol }) => symbol));
  const removedSymbols = new Set(
    changed.filter(({ change }) => change === 'removed').map(({ symbol }) => symbol),
  );
  const symbolsByReason = new Map<string, string[]>();
  const symbolsByLaterReason = new Map<string, string[]>();
  const addReason = (symbolsOf: Map<string, string[]>, why: string, symbol: string) =>
    symbolsOf.set(why, [...(symbolsOf.get(why) ?? []), symbol]);
  let nodes = 0;
  // A test is called by a test runner, so it has no users in the code.
  let level = changed
    .filter((changedSymbol) => !isTest(changedSymbol))
    .map(({ symbol }) => ({ symbol, of: symbol }));
  look: for (let hop = 1; hop <= maxHops && level.length > 0; hop += 1) {
    const next: typeof level = [];
    for (const { symbol, of } of level) {
      if (nodes >= maxNodes || survey.isOver) {
        lowerCompleteness(worst, {
          completeness: 'partial',
          why: [
            `the search ended after ${formatCount(nodes, 'definition')}, ${formatCount(hop, 'step')} away`,
          ],
        });
        level = [];
        break look;
      }
      nodes += 1;
      const request = { symbol, withServers: hop === 1, ...(signal && { signal }) };
      const found = await listReferencesIn(survey, request);
      if (found.kind !== 'listed') {
        // The users of this definition are not known.
        lowerCompleteness(worst, {
          completeness: hop === 1 ? 'unknown' : 'partial',
          why: [`the users of ${symbol} were not looked for: ${notFoundReasons[found.kind]}`],
        });
        continue;
      }
      if (hop === 1) {
        lowerCompleteness(worst, { ...found, why: [] });
        for (const why of found.why) addReason(symbolsByReason, why, symbol);
        if (removedSymbols.has(symbol)) lowerCompleteness(worst, await findNamesakes(survey, symbol));
      } else if (found.completeness !== 'complete' && !isTest({ path: found.definition.path, symbol })) {
        lowerCompleteness(worst, { completeness: 'partial', why: [] });
        const undecidedCount = found.rows.filter(({ how }) => how === 'text').length;
        if (undecidedCount > 0) addReason(symbolsByLaterReason, notFollowedNote(undecidedCount), symbol);
        for (const why of found.why)
          if (undecidedCount === 0 || why !== mayMeanAnotherNote(found.rows))
            addReason(symbolsByLaterReason, why, symbol);
      }
      for (const row of found.rows) {
        // Beyond the first step only certain uses count.
        if (hop > 1 && row.how === 'text') continue;
        if (row.how !== 'text' && row.enclosing !== null && !seen.has(row.enclosing)) {
          seen.add(row.enclosing);
          next.push({ symbol: row.enclosing, of });
        }
        rows.push({ ...row, hop, of });
      }
    }
    level = next;
  }
  if (level.length > 0)
    lowerCompleteness(worst, {
      completeness: 'partial',
      why: [`more than ${maxHops} steps away is not listed`],
    });
  const inScope = scopeMatcher(scope);
  // Certain uses come before possible ones.
  const ranked = rows.toSorted((a, b) => Number(a.how === 'text') - Number(b.how === 'text'));
  const impactRows = removeDuplicates(ranked).filter(({ path }) => inScope(path));
  return {
    kind: 'impact',
    changed,
    files: survey.counts,
    rows: impactRows,
    tests: await findTests(
      survey,
      impactRows,
      changed.filter(({ path }) => inScope(path)),
    ),
    completeness: worst.completeness,
    why: [
      ...(changed.length > 1 ? joinReasons(symbolsByReason) : symbolsByReason.keys()),
      ...joinReasons(symbolsByLaterReason).slice(0, maxLaterReasons),
      ...worst.why,
    ],
  };
}

const formatCount = (many: number, noun: string): string => `${many} ${noun}${many === 1 ? '' : 's'}`;

/**
 * Collects the reasons why listings are incomplete, each with the definitions that it applies to. Reasons that differ
 * only in a number are joined.
 */
function joinReasons(symbolsByReason: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const groups = Map.groupBy(symbolsByReason, ([why]) =>
    why
      .replace(/^\d+ (\w+?)s? /, '$1 ')
      .replace(/\b(?:is|are|was|were) /g, '')
      .replace(/ \([^()]*\)$/, ''),
  );
  return [...groups.values()].map((group) => {
    const symbols = [...new Set(group.flatMap(([, each]) => each))].map((one) =>
      one.slice(one.indexOf('#') + 1),
    );
    const leadingNumber = (why: string): number => Number(/^\d+/.exec(why)?.[0] ?? 0);
    const [largestReason] = group.map(([why]) => why).toSorted((a, b) => leadingNumber(b) - leadingNumber(a));
    const shown = symbols.slice(0, 3).join(', ');
    const more = symbols.length > 3 ? ` and ${symbols.length - 3} more` : '';
    return `${shown}${more}: ${group.length > 1 && leadingNumber(largestReason!) > 0 ? 'up to ' : ''}${largestReason}`;
  });
}

const notFoundReasons: Readonly<Record<NoSymbol['kind'], string>> = {
  ambiguous: 'several definitions have this name',
  undefined: 'its definition was not found',
  nowhere: 'its definition was not found',
};

/** If a definition was removed, a use may refer to another of the same name. */
async function findNamesakes(survey: Survey, symbol: string): Promise<ListingFacts> {
  const { name, path } = parseSymbol(symbol);
  const symbols = (await survey.readContaining([name])).flatMap((at) => {
    const facts = survey.facts(at);
    return (facts?.definitions ?? [])
      .filter((definition) => definition.name === name && !definition.flags.includes('local'))
      .map((definition) => symbolOf(facts!, at, definition));
  });
  const others = [...new Set(symbols)].filter((one) => one !== symbol);
  const imported = survey.facts(path ?? '')?.imports.some(({ local }) => local === name) === true;
  if (others.length === 0 && !imported) return { completeness: 'complete', why: [] };
  return {
    completeness: 'partial',
    why: [
      imported
        ? `${symbol} was removed, and its file now has the name from elsewhere`
        : `${symbol} was removed, and other definitions have its name (${others.slice(0, 3).join(', ')}${others.length > 3 ? ', …' : ''})`,
    ],
  };
}

/** Keeps each line once: with the shortest path that leads to it, and for the definition that it most certainly uses. */
function removeDuplicates(rows: readonly ImpactRow[]): readonly ImpactRow[] {
  const rowsByKey = new Map<string, ImpactRow>();
  for (const row of rows) {
    const key = `${row.path}:${row.line}:${row.hop === 1 ? row.of : ''}`;
    if (row.hop > 1 && rowsByKey.has(`${row.path}:${row.line}:${row.of}`)) continue;
    if (!rowsByKey.has(key)) rowsByKey.set(key, row);
  }
  return [...rowsByKey.values()];
}

/** Finds a chain of calls from one definition to another, searching backwards. */
export async function findTrace(
  survey: Survey,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<SymbolTrace | (NoSymbol & { readonly of: string })> {
  const [start, end] = [await findTarget(survey, from), await findTarget(survey, to)];
  if (start.kind !== 'target') return { ...start, of: from };
  if (end.kind !== 'target') return { ...end, of: to };
  const spanAt = ({
    path,
    definition,
  }: {
    readonly path: string;
    readonly definition: Parameters<typeof toSpan>[2];
  }) => toSpan(survey.facts(path)!, path, definition);
  const [startSpan, endSpan] = [spanAt(start.target), spanAt(end.target)];
  const targetNotes = [...start.notes, ...end.notes];
  const worst: WorstCompleteness = { completeness: 'complete', why: new Set(targetNotes) };
  const nextSteps = new Map<string, { readonly row: SymbolRow; readonly next: string }>();
  const spans = new Map<string, SymbolSpan>([
    [startSpan.symbol, startSpan],
    [endSpan.symbol, endSpan],
  ]);
  let level = [endSpan.symbol];
  let nodes = 0;
  let isCut = false;
  let undecidedCount = 0;
  search: for (
    let hop = 0;
    hop < maxTraceHops && level.length > 0 && startSpan.symbol !== endSpan.symbol;
    hop += 1
  ) {
    const next: string[] = [];
    for (const symbol of level) {
      if (nodes >= maxNodes || survey.isOver) {
        isCut = survey.isOver;
        const ended = `the search ended after ${formatCount(nodes, 'definition')}`;
        lowerCompleteness(worst, {
          completeness: 'partial',
          why: [
            survey.isOver
              ? `${ended}, when its time was over; ${continueHint}, and path#name is found sooner`
              : ended,
          ],
        });
        break search;
      }
      nodes += 1;
      const found = await listReferencesIn(survey, { symbol, quick: true, ...(signal && { signal }) });
      if (found.kind !== 'listed') continue;
      spans.set(symbol, found.definition);
      undecidedCount += found.rows.filter(({ how }) => how === 'text').length;
      for (const row of found.rows) {
        const { enclosing } = row;
        if (
          enclosing === null ||
          row.how === 'text' ||
          row.kind === 'import' ||
          row.kind === 'type' ||
          nextSteps.has(enclosing) ||
          enclosing === endSpan.symbol
        )
          continue;
        nextSteps.set(enclosing, { row, next: symbol });
        if (
          enclosing === startSpan.symbol ||
          startSpan.symbol.startsWith(`${enclosing}.`) ||
          enclosing.startsWith(`${startSpan.symbol}.`)
        ) {
          if (enclosing !== startSpan.symbol) nextSteps.set(startSpan.symbol, { row, next: symbol });
          break search;
        }
        next.push(enclosing);
      }
    }
    level = next;
  }
  const steps: TraceStep[] = [];
  for (
    let current: string | undefined = startSpan.symbol;
    current !== undefined && (nextSteps.has(current) || current === endSpan.symbol);
  ) {
    const step: { readonly row: SymbolRow; readonly next: string } | undefined =
      current === endSpan.symbol ? undefined : nextSteps.get(current);
    const span = spans.get(current) ?? (await findSpan(survey, current));
    if (span !== null) steps.push({ ...span, row: step?.row ?? null });
    current = step?.next;
  }
  // If no path is found, that proves little: calls that don't write the name are not followed.
  const isPathFound = steps.length > 0;
  const uncertainStep = steps.find(({ row }) => row !== null && !row.sure);
  return {
    kind: 'trace',
    steps,
    cut: !isPathFound && isCut,
    completeness: isPathFound && uncertainStep === undefined ? 'complete' : 'partial',
    why: isPathFound
      ? [...targetNotes, ...(uncertainStep === undefined ? [] : ['a path is as certain as its weakest step'])]
      : [
          ...(isCut
            ? []
            : [
                'no way along calls that are known was found; calls through values, interfaces and names made at run time are not followed',
              ]),
          ...(undecidedCount > 0
            ? [
                `${formatCount(undecidedCount, 'place')} may be a step or another, and ${undecidedCount === 1 ? 'was' : 'were'} not followed`,
              ]
            : []),
          ...worst.why,
        ],
  };
}

async function findSpan(survey: Survey, symbol: string): Promise<SymbolSpan | null> {
  const found = await findTarget(survey, symbol);
  return found.kind === 'target'
    ? toSpan(survey.facts(found.target.path)!, found.target.path, found.target.definition)
    : null;
}

/** Lists the neighbours of a definition along edges of the given kinds. */
export async function expandDefinition(
  survey: Survey,
  symbol: string,
  along: readonly Edge[],
  scope: string | undefined,
  signal?: AbortSignal,
): Promise<Expansion | NoSymbol> {
  const found = await findTarget(survey, symbol);
  if (found.kind !== 'target') return found;
  const { target } = found;
  const facts = survey.facts(target.path)!;
  const rows: Expansion['rows'][number][] = [];
  const worst: WorstCompleteness = { completeness: 'complete', why: new Set(found.notes) };
  if (along.includes('called-by') || along.includes('inherits')) {
    const users = await listReferencesIn(survey, {
      symbol: symbolOf(facts, target.path, target.definition),
      ...(signal && { signal }),
    });
    if (users.kind === 'listed') {
      lowerCompleteness(worst, users);
      for (const row of users.rows) {
        const heir = await findHeir(survey, row, target.definition.name);
        if (row.kind === 'inherits' || heir !== null) {
          // A short class may name its base again on the same line.
          const isNew = !rows.some(
            ({ path, line, to }) => path === row.path && line === row.line && to === heir,
          );
          if (along.includes('inherits') && isNew)
            rows.push({
              ...row,
              kind: 'inherits',
              along: isMixin(facts, target.definition) ? 'included-by' : 'inherited-by',
              to: heir ?? row.enclosing ?? row.path,
            });
        } else if (along.includes('called-by') && row.kind !== 'import')
          rows.push({ ...row, along: 'called-by', to: row.enclosing ?? row.path });
        const trait = along.includes('inherits') ? await findTrait(survey, row) : null;
        if (trait !== null) rows.push({ ...row, kind: 'inherits', along: 'inherits', to: trait });
      }
    } else
      lowerCompleteness(worst, {
        completeness: 'unknown',
        why: [`its users were not looked for: ${notFoundReasons[users.kind]}`],
      });
  }
  if (along.includes('calls') || along.includes('inherits') || along.includes('imports')) {
    const outgoing = await survey.askUntilSettled((resolver) =>
      listOutgoing(survey, resolver, target, along),
    );
    rows.push(...outgoing.rows);
    if (outgoing.open > 0)
      lowerCompleteness(worst, {
        completeness: 'partial',
        why: [
          `${formatCount(outgoing.open, 'name')} that it uses ${outgoing.open === 1 ? 'was' : 'were'} not traced to a definition`,
        ],
      });
  }
  const inScope = scopeMatcher(scope);
  return {
    kind: 'expansion',
    definition: toSpan(facts, target.path, target.definition),
    files: survey.counts,
    rows: rows.filter(({ path }) => inScope(path)),
    completeness: worst.completeness,
    why: [...worst.why],
  };
}

/** Lines of a body that name a base: an embedded type, a mixin, a trait. */
const basesInBody: Partial<Readonly<Record<LanguageName, RegExp>>> = {
  go: /^\*?(?:\w+\.)?\w+(?:\[[^\]]*\])?\s*(?:[`"].*)?(?:\/\/.*)?$/,
  ruby: /^(?:include|extend|prepend)\b/,
  php: /^use\b/,
};

/** Whether classes include this definition: a module of Ruby or a trait of PHP. */
const isMixin = ({ language }: FileFacts, { kind, signature }: Definition): boolean =>
  language === 'ruby' ? kind === 'namespace' : language === 'php' && /^trait\b/.test(signature);

type Place = Pick<SymbolRow, 'path' | 'line' | 'column' | 'text'>;

/** Finds the definition that names `base` as its base class at this place. */
function findHeirAt(facts: FileFacts, { line, text }: Place, base: string): Definition | undefined {
  const isHeir = (definition: Definition): boolean =>
    definition.bases?.some((one) => one.split('.').at(-1) === base) === true;
  const form = basesInBody[facts.language];
  return facts.definitions.findLast(
    (definition) =>
      isHeir(definition) &&
      definition.start <= line &&
      (line <= definition.header || (line <= definition.end && form?.test(text) === true)),
  );
}

/** Returns the definition that names `base` as its base class at this place; null if there is none. */
async function findHeir(survey: Survey, row: SymbolRow, base: string): Promise<string | null> {
  const facts = survey.facts(row.path);
  if (facts === null || row.kind === 'import') return null;
  const impl = facts.language === 'rust' ? findImpl(survey.lines(row.path), row.line) : null;
  if (impl !== null) return isSamePlace(row, impl.trait) ? resolveNameAt(survey, row.path, impl.type) : null;
  const heir =
    findHeirAt(facts, row, base) ??
    // The import may give the base another name.
    (row.kind === 'inherits'
      ? facts.definitions.findLast(
          ({ bases, start, header }) => bases !== undefined && start <= row.line && row.line <= header,
        )
      : undefined);
  return heir === undefined ? null : symbolOf(facts, row.path, heir);
}

/** For Rust: if this place names the type of an `impl`, the trait that it implements; null if that is not in the tree. */
async function findTrait(survey: Survey, { path, line, column }: SymbolRow): Promise<string | null> {
  if (survey.facts(path)?.language !== 'rust') return null;
  const impl = findImpl(survey.lines(path), line);
  if (impl === null || !isSamePlace({ line, column }, impl.type)) return null;
  return resolveNameAt(survey, path, impl.trait);
}

/** Finds the definition of the name at a place, in the form `path#name`; null if it is not in the tree. */
function resolveNameAt(
  survey: Survey,
  path: string,
  { name, line, column }: { readonly name: string; readonly line: number; readonly column: number },
): Promise<string | null> {
  return survey.askUntilSettled((resolver) => {
    const facts = resolver.facts(path);
    const uses = facts === null ? [] : listUses(facts, { name, start: line, end: line });
    const use = uses.find((one) => one.column === column);
    if (use === undefined) return null;
    const meaning = resolveUse(resolver, path, use);
    const definitionFacts = meaning.kind === 'definition' ? resolver.facts(meaning.path) : null;
    const definition =
      meaning.kind === 'definition' ? definitionFacts?.definitions[meaning.index] : undefined;
    return definitionFacts === null || definition === undefined || meaning.kind !== 'definition'
      ? null
      : symbolOf(definitionFacts, meaning.path, definition);
  });
}

function listOutgoing(
  survey: Survey,
  resolver: NameResolver,
  { path, definition, places }: Parameters<typeof spanTarget>[0],
  along: readonly Edge[],
) {
  const facts = resolver.facts(path)!;
  const rows: Expansion['rows'][number][] = [];
  let unknownCount = 0;
  const add = (edge: Edge | 'includes', line: number, column: number, to: string, kind: SymbolRow['kind']) =>
    rows.push({
      path,
      line,
      column,
      text: (survey.lines(path)[line - 1] ?? '').trim(),
      kind,
      how: 'scope',
      sure: true,
      enclosing: symbolOf(facts, path, definition),
      along: edge,
      to,
    });
  if (along.includes('calls'))
    for (const use of listUses(facts, { start: definition.start, end: definition.end })) {
      if (use.role !== 'call' && use.role !== 'decorator') continue;
      const meaning = resolveUse(resolver, path, use);
      if (meaning.kind === 'definition') {
        const calledFacts = resolver.facts(meaning.path);
        const calledDefinition = calledFacts?.definitions[meaning.index];
        if (
          calledFacts !== null &&
          calledDefinition !== undefined &&
          !calledDefinition.flags.includes('local')
        )
          add('calls', use.line, use.column, symbolOf(calledFacts, meaning.path, calledDefinition), 'call');
      } else if (meaning.kind === 'unknown') unknownCount += 1;
    }
  if (along.includes('inherits'))
    for (const base of findLineage(resolver, places[0]!).classes.slice(1)) {
      const baseFacts = resolver.facts(base.path);
      const baseDefinition = baseFacts?.definitions[base.index];
      if (baseFacts !== null && baseDefinition !== undefined)
        add(
          isMixin(baseFacts, baseDefinition) ? 'includes' : 'inherits',
          definition.line,
          definition.column,
          symbolOf(baseFacts, base.path, baseDefinition),
          'inherits',
        );
    }
  if (along.includes('imports'))
    for (const one of facts.imports) {
      const module = resolver.resolveModule(path, facts.language, one.module);
      add(
        'imports',
        one.line,
        0,
        module.kind === 'file' || module.kind === 'folder' ? module.path : one.module,
        'import',
      );
    }
  return { rows, open: unknownCount };
}

const spanTarget = (target: {
  readonly path: string;
  readonly definition: Parameters<typeof toSpan>[2];
  readonly places: readonly { readonly path: string; readonly index: number }[];
}) => target;

/** The definition that a use refers to, as far as its file and the files that it imports show. */
function resolveUse(resolver: NameResolver, path: string, use: ReturnType<typeof listUses>[number]): Meaning {
  const facts = resolver.facts(path)!;
  const family = familyOf(facts.language);
  if (use.receiver !== null) {
    const receiver = resolveReceiver(resolver, use.receiver, {
      path,
      within: use.within,
      binding: use.binding,
    });
    if (receiver.kind === 'class') {
      const found = findMember(resolver, receiver, use.name);
      return found.kind === 'found'
        ? { kind: 'definition', ...found.place }
        : { kind: found.kind === 'unknown' ? 'unknown' : 'external' };
    }
    if (receiver.kind === 'module')
      return family === 'script'
        ? resolver.resolveExport(receiver.path, use.name)
        : family === 'rust'
          ? resolver.resolveRustPath(receiver.path, ['self', use.name])
          : resolver.resolveInFile(receiver.path, use.name);
    if (receiver.kind === 'folder') return resolver.resolveInFolder(receiver.path, use.name);
    return { kind: receiver.kind === 'external' ? 'external' : 'unknown' };
  }
  const { binding } = use;
  if (binding?.kind === 'definition' || binding?.kind === 'import')
    return resolver.resolveBinding(path, binding);
  if (binding?.kind === 'local') return { kind: 'external' };
  if (family === 'go')
    return resolver.resolveInFolder(
      path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '',
      use.name,
      facts.package,
    );
  if (family === 'c' || family === 'other') return { kind: 'unknown' };
  return resolver.resolveInFile(path, use.name);
}
