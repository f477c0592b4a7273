/**
 * Shared by the entries over symbols: undefined and ambiguous names, rows as lines with evidence, and size limits.
 */
import { z } from 'zod';
import {
  type Completeness,
  type Evidence,
  escapePath,
  type ListingFacts,
  type NoSymbol,
  type SymbolRow,
} from '../../core/index.ts';
import { clipLine, formatCount, partialIfCut } from '../bounds.ts';
import { type ClaimedSpan, done, type EntryResult, failed } from '../entry.ts';
import type { CodeContext } from './code-ports.ts';

export interface ListingStatus {
  readonly completeness: Completeness;
  /** Never empty if the listing is not complete. */
  readonly why: readonly string[];
}

/**
 * Says how complete a listing is, and gives the reasons if it is not: those of the reply, and what was left out here.
 * Reasons that name a path outside of the scope are hidden.
 */
export function assessListing(
  { completeness, why }: ListingFacts,
  leftOut: readonly string[],
  outer?: { readonly text: string | undefined },
): ListingStatus {
  const visible = why.filter((one) => outer?.text === undefined || !one.includes('/'));
  const unseen = visible.length < why.length ? ['there are reasons outside of the scope'] : [];
  const all = [...visible, ...unseen, ...leftOut];
  const status = partialIfCut(completeness, leftOut.length > 0);
  return {
    completeness: status,
    why: status !== 'complete' && all.length === 0 ? ['why is not known'] : all,
  };
}

export const symbolName = z.string().trim().min(1).max(1_000).describe('name, Class.method or path#name');
export const limit = z.int().min(1).max(1_000).default(100).describe('Most rows');
export const maxTokens = z.int().min(100).max(100_000).default(8_000).describe('Of the listing, about');

const maxCandidates = 12;

/** The result for a name that has no definition or several definitions. */
export function createNoSymbolResult(symbol: string, found: NoSymbol): EntryResult {
  if (found.kind === 'nowhere')
    return done({
      summary: `${clipLine(symbol)} occurs nowhere`,
      nothing: `${clipLine(symbol)} occurs nowhere in the files.`,
      data: { found: 'nowhere', symbol },
    });
  if (found.kind === 'undefined') {
    const { places, cut } = found;
    const stands = `the word stands in ${places.slice(0, 5).map(escapePath).join(', ')}${places.length > 5 ? ` and ${places.length - 5} more files` : ''}.`;
    const why = ['ask again to go on with what was not read yet; path#name is found sooner'];
    // If the time was too short, nothing is known about the name.
    if (cut)
      return done({
        summary: `no definition of ${clipLine(symbol)} was found in the time, in which not all was looked at`,
        nothing: `No definition of ${clipLine(symbol)} was found in the time, in which not all was looked at; ${stands}`,
        data: {
          found: 'undefined',
          symbol,
          completeness: 'partial',
          why,
          cut: true,
          places: places.slice(0, 50),
        },
        completeness: 'partial',
        notes: why,
      });
    return failed(`Nothing defines ${clipLine(symbol)} by that name; ${stands}`, {
      remedy: 'Look for the word as text, or give the name of a definition.',
      details: { found: 'undefined', places: places.slice(0, 50) },
    });
  }
  const shown = found.candidates.slice(0, maxCandidates);
  return failed(
    `Several definitions are named ${clipLine(symbol)}: ${shown.join(', ')}${found.candidates.length > shown.length ? ` and ${found.candidates.length - shown.length} more` : ''}.`,
    {
      remedy: 'Give one of them as it is written here.',
      details: { found: 'ambiguous', candidates: found.candidates },
    },
  );
}

/** The first rows, at most `max`, that fit into `tokens`; a token is taken to be four characters. */
export function takeFitting<Row extends SymbolRow>(
  rows: readonly Row[],
  max: number,
  tokens: number,
): readonly Row[] {
  let left = tokens * 4;
  const kept: Row[] = [];
  for (const row of rows.slice(0, max)) {
    left -= row.path.length + Math.min(row.text.length, 160) + (row.enclosing?.length ?? 0) + 40;
    if (left < 0 && kept.length > 0) break;
    kept.push(row);
  }
  return kept;
}

export const toClaimedSpan = (row: SymbolRow, reason: string): ClaimedSpan => ({
  path: row.path,
  start: row.line,
  end: row.line,
  reason,
  near: row.text,
  provenance: row.provenance?.includes('syntax') === false ? 'lsp' : 'syntax',
});

/** Collects evidence for the first rows. `idOf` gives the id of a row's evidence; null if it has none. */
export async function addEvidence<Row extends SymbolRow>(
  rows: readonly Row[],
  reason: string,
  { pieces, collect }: Pick<CodeContext, 'pieces' | 'collect'>,
): Promise<{
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
  readonly idOf: (row: Row) => string | null;
}> {
  const { evidence, notes } =
    pieces === 0
      ? { evidence: [], notes: [] }
      : await collect(rows.slice(0, pieces).map((row) => toClaimedSpan(row, reason)));
  const ids = new Map(evidence.map((item) => [`${item.file_path}:${item.start_line}`, item.id]));
  return { evidence, notes, idOf: (row) => ids.get(`${row.path}:${row.line}`) ?? null };
}

/** `src/a.py:12| f(x)  (call, by import, in A.run)`. */
export function formatRow(row: SymbolRow, id: string | null, more = ''): string {
  const text = row.text.length > 160 ? `${row.text.slice(0, 160)}…` : row.text;
  const around = row.enclosing === null ? '' : `, in ${row.enclosing.slice(row.enclosing.indexOf('#') + 1)}`;
  const how = row.sure ? `by ${row.how}` : row.how === 'text' ? 'may be another' : `likely, by ${row.how}`;
  return `${id === null ? '' : `${id} `}${escapePath(row.path)}:${row.line}| ${text}  (${row.kind}, ${how}${around}${more})`;
}

export const toRowData = (row: SymbolRow, evidence: string | null) => ({
  path: row.path,
  start: row.line,
  end: row.line,
  line: row.line,
  text: row.text,
  kind: row.kind,
  how: row.how,
  sure: row.sure,
  provenance: row.provenance ?? ['syntax'],
  enclosing: row.enclosing,
  evidence,
});

export const noteLeftOut = (all: number, shown: number, noun: string): readonly string[] =>
  all > shown ? [`${formatCount(all - shown, `more ${noun}`)} not listed`] : [];
