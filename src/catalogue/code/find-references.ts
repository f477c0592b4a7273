import { z } from 'zod';
import { escapePath, type SymbolRow } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, type EntryFailed, type EntryResult } from '../entry.ts';
import { type CodeContext, codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { readingPenalty } from './reading-order.ts';
import {
  addEvidence,
  assessListing,
  createNoSymbolResult,
  formatRow,
  limit,
  maxTokens,
  noteLeftOut,
  symbolName,
  takeFitting,
  toRowData,
} from './symbol-listing.ts';

export const findReferences = codeEntry({
  name: 'find_references',
  description:
    'Who uses a definition: calls, imports, subclasses, by syntax. Each row says how it is known; the listing says whether it is complete. That nobody uses it can be cited where it is complete.',
  parameters: z.object({
    symbol: symbolName,
    calls: z.boolean().default(false).describe('Calls only'),
    scope,
    limit,
    max_tokens: maxTokens,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '50 ms to 2 s; 100 bytes a row',
  needs: ['symbols'],
  pieces: { tool: 50, action: 24 },
  asAction: {
    description: 'Who uses or calls a definition, or that nobody does; says if complete.',
    fixed: { scope: undefined, limit: 60, max_tokens: 3_000, calls: false },
    lines: 60,
  },
  async run(asked, context) {
    const first = await listUses(asked, context);
    // The question may name a subclass, while the member is defined in a base class.
    const isElsewhere = first.kind === 'failed' && first.details?.['found'] === 'undefined';
    const bare = context.citable === true && isElsewhere ? toBareName(asked.symbol) : asked.symbol;
    const found = bare === asked.symbol ? first : await listUses({ ...asked, symbol: bare }, context);
    // If a function and a method have the same name, the listing shows both.
    const few = found.kind === 'failed' && context.citable === true ? listCandidates(found) : [];
    if (few.length === 0 || few.length > maxCandidates) return found;
    const lists = await Promise.all(few.map((symbol) => listUses({ ...asked, symbol }, context)));
    return lists.reduce(joinResults);
  },
});

const toBareName = (symbol: string): string =>
  /^[\p{L}\p{N}_$.]+\.([\p{L}\p{N}_$]+)$/u.exec(symbol)?.[1] ?? symbol;

/** Maximum definitions of one name whose uses are listed together. */
const maxCandidates = 2;

const listCandidates = ({ details = {} }: EntryFailed): readonly string[] =>
  details['found'] === 'ambiguous' ? (details['candidates'] as readonly string[]) : [];

function joinResults(entryResult: EntryResult, other: EntryResult): EntryResult {
  if (entryResult.kind === 'failed' || other.kind === 'failed')
    return entryResult.kind === 'failed' ? other : entryResult;
  return {
    ...entryResult,
    summary: `${entryResult.summary}; ${other.summary}`,
    lines: [...entryResult.lines, ...other.lines],
    evidence: [...entryResult.evidence, ...other.evidence],
    completeness: entryResult.completeness === 'complete' ? other.completeness : entryResult.completeness,
    notes: [...new Set([...entryResult.notes, ...other.notes])],
  };
}

interface AskedUses {
  readonly symbol: string;
  readonly calls: boolean;
  readonly scope?: string | undefined;
  readonly limit: number;
  readonly max_tokens: number;
}

async function listUses(
  { symbol, calls, scope: wanted, limit: max, max_tokens }: AskedUses,
  context: CodeContext,
): Promise<EntryResult> {
  const { ports, scope: outer, signal } = context;
  const inside = narrowScope(outer, wanted);
  const reply = await requirePort(ports.symbols).references({
    symbol,
    calls,
    ...inside.asked,
    ...(signal && { signal }),
  });
  if (reply.kind !== 'listed') return createNoSymbolResult(symbol, keepInside(reply, inside.admits));
  const all = reply.rows.filter(({ path }) => inside.admits(path));
  const rows = takeFitting(all, max, max_tokens);
  const { definition } = reply;
  const isShown = inside.admits(definition.path);
  const none = noneText(
    reply.completeness,
    reply.files.with_word,
    `${inside.text === undefined ? '' : ' in the scope'} ${calls ? 'calls' : 'uses'} it`,
  );
  const cited = await addEvidence(rows, `uses ${reply.symbol}`, context);
  const whole = await context.collect(
    isShown && context.pieces > 0
      ? [
          {
            path: definition.path,
            start: definition.start,
            end: definition.header,
            reason:
              all.length === 0
                ? `defines ${plainName(definition.name)}; ${none}`
                : `defines ${plainName(definition.name)}`,
            provenance: 'syntax',
            symbol: definition.name,
            symbolKind: definition.kind,
          },
        ]
      : [],
  );
  const [own] = whole.evidence;
  const { completeness, why } = assessListing(reply, noteLeftOut(all.length, rows.length, 'row'), outer);
  const summary =
    all.length === 0
      ? none
      : `${formatCount(all.length, calls ? 'call' : 'use')} in ${formatCount(new Set(all.map(({ path }) => path)).size, 'file')}`;
  const head = isShown
    ? `${own === undefined ? '' : `${own.id} `}${escapePath(definition.path)}:${definition.start}| ${definition.signature}  (${definition.kind}; ${summary}; ${reply.completeness})`
    : `${summary}; ${reply.completeness}`;
  return done({
    summary,
    lines: [
      head,
      ...(context.citable === true
        ? formatShortened(rows, cited.idOf)
        : rows.map((row) => formatRow(row, cited.idOf(row)))),
    ],
    inLines: true,
    noun: 'rows',
    nothing: 'Nothing uses it.',
    data: {
      symbol: reply.symbol,
      completeness,
      why,
      files: reply.files,
      rows: rows.map((row) => toRowData(row, cited.idOf(row))),
      evidence: own?.id ?? null,
      cut: rows.length < all.length,
    },
    evidence: [...whole.evidence, ...cited.evidence],
    completeness,
    notes: [...why, ...cited.notes],
  });
}

/**
 * Lists only line numbers of uses in tests after the first `testsWithText`, since uses in the program matter more to a
 * reader.
 */
function formatShortened(
  rows: readonly SymbolRow[],
  idOf: (row: SymbolRow) => string | null,
): readonly string[] {
  const tests = rows.filter(({ path }) => readingPenalty(path) > 0).slice(testsWithText);
  if (tests.length === rows.length - testsWithText) return rows.map((row) => formatRow(row, idOf(row)));
  const left = new Set(tests);
  return [
    ...rows.filter((row) => !left.has(row)).map((row) => formatRow(row, idOf(row))),
    ...[...Map.groupBy(tests, ({ path }) => path)].map(
      ([path, some]) => `${escapePath(path)}: lines ${[...new Set(some.map(({ line }) => line))].join(', ')}`,
    ),
  ];
}

const testsWithText = 4;

const noneText = (completeness: string, files: number, uses: string): string =>
  completeness === 'complete'
    ? `nothing${uses}: ${files === 1 ? 'the one file that holds the word was read' : `all ${files} files that hold the word were read`}`
    : 'no use was found, which is no proof that there is none';

/** The gate reads this reason, so a name that could contain a sentence is replaced by `it`. */
const plainName = (name: string): string => (/^[\p{L}\p{N}_$#~.]+$/u.test(name) ? name : 'it');

type NoSymbolReply = Parameters<typeof createNoSymbolResult>[1];

/** Removes places outside of the scope: the caller may not learn their names. */
export function keepInside(found: NoSymbolReply, admits: (path: string) => boolean): NoSymbolReply {
  if (found.kind === 'undefined') {
    const places = found.places.filter(admits);
    return places.length === 0 ? { kind: 'nowhere' } : { kind: 'undefined', places, cut: found.cut };
  }
  if (found.kind === 'ambiguous') {
    const candidates = found.candidates.filter((one) => admits(one.slice(0, one.indexOf('#'))));
    return candidates.length === 0 ? { kind: 'nowhere' } : { kind: 'ambiguous', candidates };
  }
  return found;
}
