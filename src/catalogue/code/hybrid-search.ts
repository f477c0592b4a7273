import { z } from 'zod';
import type { SpanHit, SpanReply } from '../../core/index.ts';
import { clipLine, formatCount, partialIfCut } from '../bounds.ts';
import { done } from '../entry.ts';
import { type CodeContext, codeEntry, maxLength, narrowScope, scope, spanData } from './code-ports.ts';
import { checkCase } from './scope-case.ts';

const k = z.int().min(1);
const kDescription = 'How many spans; 8 is usual';

export const hybridSearch = codeEntry({
  name: 'hybrid_search',
  description:
    'Ranked search by words and meaning over all files in scope. Use the terms that the files would use: identifiers, error messages, names of options; or a sentence. Returns the best spans with their lines.',
  parameters: z.object({
    // A query may be an issue with its log: the search uses the words that it can.
    query: z.string().trim().min(1).max(maxLength).describe('Terms, identifiers, or a sentence'),
    k: k.default(8).describe(kDescription),
    scope,
    wide: z.boolean().default(false).describe('Several spans of one file, for a first look over hundreds'),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '10 ms to 1 s where files changed; 1 KB a span',
  needs: ['search'],
  pieces: { tool: 50, action: 20 },
  asTool: { k: k.max(50).default(8).describe(kDescription), wide: null },
  asAction: {
    description:
      'Ranked search by words and meaning: identifiers, error messages, names of options, or a sentence. The best places as whole blocks, others by a line each.',
    fixed: { scope: undefined, wide: false },
    undescribed: ['query'],
    max: { k: 20 },
  },
  async run({ query, k, scope: wanted, wide }, context) {
    const { ports, scope: outer, pieces, collect, signal } = context;
    const inside = narrowScope(outer, wanted);
    const reply = await ports.search.search({
      query,
      k,
      ...(wide && { wide }),
      ...inside.asked,
      ...(signal && { signal }),
    });
    const hits = reply.hits.filter(({ path }) => inside.admits(path));
    if (hits.length === 0 && wanted !== undefined) await checkCase(wanted, ports, outer.admits, signal);
    const dropped = reply.hits.length - hits.length;
    const outside = dropped > 0 ? [`${formatCount(dropped, 'hit')} outside the scope dropped`] : [];
    if (pieces === 0) return createHitResult(hits.slice(0, k), reply, outside, context);
    const reason = clipLine(`found by searching for: ${query}`);
    const { evidence, notes } = await collect(
      hits.slice(0, Math.min(k, pieces)).map((hit) => ({ ...hit, reason, near: query })),
    );
    const files = new Set(evidence.map(({ file_path }) => file_path)).size;
    return done({
      summary:
        evidence.length === 0
          ? 'nothing matched'
          : `${formatCount(evidence.length, 'span')} in ${formatCount(files, 'file')}`,
      nothing: 'Nothing matched.',
      data: { spans: evidence.map(spanData) },
      evidence,
      completeness: partialIfCut(reply.completeness, hits.length >= k || notes.length > 0),
      ranked: true,
      notes: [...reply.notes, ...notes, ...outside],
    });
  },
});

/** The result for programs, which look through many hits: the hits themselves, each with its lines. */
async function createHitResult(
  hits: readonly SpanHit[],
  { completeness, notes }: SpanReply,
  outside: readonly string[],
  { ports }: Pick<CodeContext, 'ports'>,
) {
  // Only programs ask for the text of each hit.
  const { readHitTexts } = await import('./hit-texts.ts');
  const texts = await readHitTexts(hits, ports.text);
  return done({
    summary: formatCount(hits.length, 'hit'),
    lines: hits.map(({ path, start, end }) => `${path}:${start}-${end}`),
    noun: 'hits',
    nothing: 'Nothing matched.',
    data: {
      hits: hits.map(({ path, start, end, score }, index) => ({
        path,
        start,
        end,
        score,
        text: texts[index]!,
      })),
    },
    completeness,
    ranked: true,
    notes: [...notes, ...outside],
  });
}
