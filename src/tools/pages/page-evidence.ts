/**
 * Makes evidence of the parts of a page that a tool showed: lines under the path of the page, numbered as in an
 * investigation, so that citations of these lines pass the citation gate.
 */
import { type Evidence, type LineSpan, toEvidence } from '../../core/index.ts';
import {
  type ContentId,
  findBlockRuns,
  findBlockSpan,
  type PageHit,
  type PageText,
  splitPageLines,
  type World,
} from '../../world/index.ts';
import { resultBytes } from '../tools.ts';

/** Limits of one piece of evidence. */
const caps = { lines: 200, characters: 8_000 };
/**
 * Maximum bytes of the evidence of one result, as JSON. The text is in the result twice already, for readers and for
 * programs.
 */
const maxBytes = 24_000;
/** Bytes left for the notes and the small fields of a result. */
const reservedBytes = 2_000;

export interface EvidenceWithNotes {
  readonly evidence: readonly Evidence[];
  /** Why some content has no evidence, and how to get it. */
  readonly notes: readonly string[];
}

const read = { reason: 'read', provenance: 'manual' } as const;

/**
 * The bytes left for evidence beside a text and data, so that it never makes a result too long. If the result is too
 * long by itself, the host cuts it, the data first.
 */
export function remainingBytes(text: string, data: unknown): number {
  const left =
    resultBytes - reservedBytes - Buffer.byteLength(text) - Buffer.byteLength(JSON.stringify(data));
  return left < -reservedBytes ? maxBytes : Math.max(0, Math.min(maxBytes, left));
}

/**
 * Evidence of a page as it was shown in some view: the parts of the whole page that the view contains. `pageText`: the
 * shown view.
 */
export function evidenceOfPage(page: PageText, pageText: PageText, bytes: number): EvidenceWithNotes {
  const ids = pageText.blocks.map(({ id }) => id);
  const [first, ...rest] = findBlockRuns(page, ids);
  if (first === undefined) return none;
  // The front matter was shown, too, as the properties of the page.
  const top = page.blocks[0]?.id === ids[0] ? { ...first, start: 1 } : first;
  return evidenceOfSpans(page, [top, ...rest], bytes);
}

export function evidenceOfBlock(world: World, page: ContentId, block: ContentId): EvidenceWithNotes {
  const found = world.read(page, 'all');
  if (found === null) return none;
  return evidenceOfSpans(found, findBlockRuns(found, [block]), maxBytes);
}

/** One piece of evidence for each hit, the best first, while there is room. */
export function evidenceOfHits(
  world: World,
  hits: readonly PageHit[],
  query: string,
  bytes: number,
): EvidenceWithNotes {
  const room = openAllowance(bytes);
  const reason = `found by searching for: ${query}`;
  for (const [rank, { page, blocks, provenance, score }] of hits.entries()) {
    const text = world.read(page, 'all');
    if (text === null) continue;
    const found = { path: text.path, ...findBlockSpan(text, blocks), reason, provenance, score };
    const evidence = toEvidence(splitPageLines(text), found, caps);
    if (typeof evidence !== 'string' && evidence.content.trim() !== '' && !room.take(evidence))
      return {
        evidence: room.taken,
        notes: [`evidence for the first ${rank} of ${hits.length} hits: read_page gives that of a page`],
      };
  }
  return { evidence: room.taken, notes: [] };
}

function evidenceOfSpans(page: PageText, spans: readonly LineSpan[], bytes: number): EvidenceWithNotes {
  const room = openAllowance(bytes);
  const file = splitPageLines(page);
  const notes: string[] = [];
  for (const { start, end } of spans)
    for (let line = start; line <= Math.min(end, file.lines.length); ) {
      const evidence = toEvidence(file, { path: page.path, start: line, end, ...read }, caps);
      if (typeof evidence === 'string') notes.push(evidence);
      else if (evidence.content.trim() !== '' && !room.take(evidence)) {
        const rest = `evidence ends before line ${line} of ${file.lines.length}: read_block gives that of a block`;
        return { evidence: room.taken, notes: [...notes, rest] };
      }
      line = typeof evidence === 'string' ? line + 1 : evidence.end_line + 1;
    }
  return { evidence: room.taken, notes };
}

const none: EvidenceWithNotes = Object.freeze({ evidence: [], notes: [] });

function openAllowance(bytes: number): {
  readonly taken: readonly Evidence[];
  take(evidence: Evidence): boolean;
} {
  const taken: Evidence[] = [];
  let left = bytes;
  return {
    taken,
    take(evidence) {
      left -= Buffer.byteLength(JSON.stringify(evidence)) + 1;
      if (left < 0) return false;
      taken.push(evidence);
      return true;
    },
  };
}
