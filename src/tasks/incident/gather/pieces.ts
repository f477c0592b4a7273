/**
 * Evidence as a model sees it: in full, or as one line with its id, by which the model can request it again. Text of
 * systems is in marked blocks. Text that was shown before is named, but not repeated.
 */
import { type Change, type Evidence, quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import { pageWords } from '../brief/page-words.ts';
import { computedHead, dropHead, type RecordedDocument } from './documents.ts';

/** Evidence ids by the hash of their text, as the model sees them. */
export type SeenTexts = ReadonlyMap<string, string>;

export interface ShowOptions {
  /** Maximum tokens of evidence in full, estimated on the high side. */
  readonly tokens: number;
  readonly sees: SeenTexts;
  readonly recorded: readonly RecordedDocument[];
  /** Leave out the lines that the program computed, since they are shown elsewhere. */
  readonly withoutComputed?: boolean;
}

export interface ShownText {
  readonly text: string;
  /** Ids of what is shown in full. */
  readonly ids: readonly string[];
  readonly tokens: number;
}

/** Maximum tokens of lines that only name evidence; less if there is little room. */
const listTokens = { max: 1_500, min: 150, share: 0.5 } as const;
/** If fewer tokens than this could be shown of a piece, it is only named. */
const minPartTokens = 150;

/** Shows pieces in this order while there is room; `listed` ones are shown by name only. */
export function showPieces(
  pieces: readonly Evidence[],
  { tokens, sees, recorded, withoutComputed = false }: ShowOptions,
  listed: readonly Evidence[] = [],
): ShownText {
  const docs = new Map(recorded.flatMap((doc) => doc.evidence.map((id) => [id, doc] as const)));
  const full: string[] = [];
  const named: string[] = [];
  const seen = new Map(sees);
  const ids: string[] = [];
  let left = tokens;
  for (const item of pieces) {
    const doc = docs.get(item.id);
    const above = seen.get(item.hash);
    if (above !== undefined) {
      named.push(
        `${formatStub(item, doc)}: ${above === item.id ? 'shown above' : `as ${above}, shown above`}`,
      );
      continue;
    }
    const lines = listLines(item, doc, withoutComputed);
    const block = formatBlock(item, doc, lines);
    const cost = estimateTokens(block);
    if (cost <= left) {
      full.push(block);
      ids.push(item.id);
      seen.set(item.hash, item.id);
      left -= cost;
      continue;
    }
    const part = isChange(item) ? null : formatPart(item, doc, lines, left);
    if (part === null) named.push(formatStub(item, doc));
    else {
      full.push(part);
      left -= estimateTokens(part);
    }
  }
  const stubs = [...named, ...listed.map((item) => formatStub(item, docs.get(item.id)))];
  const list = formatList(
    stubs,
    Math.min(listTokens.max, Math.max(listTokens.min, tokens * listTokens.share)),
  );
  const text = [...full, ...list].join('\n');
  return { text, ids, tokens: estimateTokens(text) };
}

export const isChange = ({ symbol_kind }: Pick<Evidence, 'symbol_kind'>): boolean => symbol_kind !== null;

function listLines(
  item: Evidence,
  doc: RecordedDocument | undefined,
  withoutComputed: boolean,
): readonly string[] {
  const lines = doc === undefined ? item.content.split('\n') : dropHead(item, doc);
  const computed = withoutComputed ? lines.indexOf(computedHead) : -1;
  return computed < 0 ? lines : lines.slice(0, computed);
}

function formatBlock(item: Evidence, doc: RecordedDocument | undefined, lines: readonly string[]): string {
  const source = isChange(item) || doc === undefined ? item.id : `${item.id} ${doc.tool}`;
  return quoteMaterial(lines.join('\n'), { source, trust: 'untrusted' });
}

/** The part of a piece that fits. */
function formatPart(
  item: Evidence,
  doc: RecordedDocument | undefined,
  lines: readonly string[],
  tokens: number,
): string | null {
  if (tokens < minPartTokens) return null;
  for (let kept = lines.length - 1; kept > 0; kept = Math.floor(kept * 0.8)) {
    const rest = `[${lines.length - kept} more lines: search_evidence looks in them]`;
    const part = formatBlock(item, doc, [...lines.slice(0, kept), rest]);
    if (estimateTokens(part) <= tokens) return part;
  }
  return null;
}

function formatList(stubs: readonly string[], tokens: number): readonly string[] {
  if (stubs.length === 0) return [];
  const lines: string[] = [];
  let left = tokens;
  for (const stub of stubs) {
    left -= estimateTokens(stub) + 1;
    if (left < 0) break;
    lines.push(stub);
  }
  if (lines.length < stubs.length)
    lines.push(`and ${stubs.length - lines.length} more: search_evidence finds them`);
  return [
    quoteMaterial(lines.join('\n'), {
      source: 'named alone; recall_evidence shows what it holds',
      trust: 'untrusted',
    }),
  ];
}

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

/** One line, whole. */
function formatStub(item: Evidence, doc: RecordedDocument | undefined): string {
  if (doc === undefined) return `${item.id} ${shorten(item.reason)}`;
  const change = findChange(item, doc);
  if (change === null) return `${item.id} ${doc.tool} ${JSON.stringify(doc.arguments)}`;
  const { kind, id, at, service, title, commits, paths, diff } = change;
  const brought = commits.filter((commit) => commit !== id);
  const some = brought.length > 3 ? ' and more' : '';
  const more = [
    ...(brought.length === 0
      ? []
      : [`${pageWords.brought} ${brought.slice(0, 3).map(shortId).join(' ')}${some}`]),
    ...(kind === 'commit' && diff === null ? [['without its diff', ...paths.slice(0, 2)].join(' ')] : []),
  ];
  const about = [item.id, kind, shortId(id), formatTime(at), ...(service === null ? [] : [service])].join(
    ' ',
  );
  return `${about}: ${shorten(title)}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}

/**
 * Leaves out changes without a diff, which one line describes completely, if there are many. A single one is kept: it
 * may be all that was asked for.
 */
export function separateBare(pieces: readonly Evidence[], recorded: readonly RecordedDocument[]) {
  const docs = new Map(recorded.flatMap((doc) => doc.evidence.map((id) => [id, doc] as const)));
  const isBare = (item: Evidence): boolean => {
    const doc = docs.get(item.id);
    const change = doc === undefined ? null : findChange(item, doc);
    return change !== null && change.diff === null && change.kind !== 'flag' && change.kind !== 'config';
  };
  return {
    full: pieces.filter((item) => !isBare(item)),
    listed: pieces.filter(isBare),
  };
}

/** The change in a piece of evidence. */
export function findChange({ id }: Evidence, { rows, rowEvidence }: RecordedDocument): Change | null {
  return rows.kind === 'changes' ? (rows.changes[rowEvidence.indexOf(id)] ?? null) : null;
}

const shortId = (id: string): string => (/^[0-9a-f]{40}$/.test(id) ? id.slice(0, 12) : id);

/** A title is shown as one line, and few are longer than this. */
const maxTitleLength = 200;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength).replace(/\s\S*$/, '')} …`;
}
