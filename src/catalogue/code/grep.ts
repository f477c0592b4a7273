import { z } from 'zod';
import { escapePath, type LineMatch } from '../../core/index.ts';
import { clipLine, formatCount, partialIfCut } from '../bounds.ts';
import { type ClaimedSpan, done } from '../entry.ts';
import { citeLines } from './cited-lines.ts';
import { codeEntry, maxLength, narrowScope, requirePort, scope } from './code-ports.ts';
import { findUnitsAround } from './units-around.ts';

/** Number of lines shown on either side of a match. */
const around = 3;
const maxSpanLength = 40;

export const grep = codeEntry({
  name: 'grep',
  description:
    'Every line that matches a regular expression, as ripgrep reads it. The completeness check: use it to see all callers, all uses, or that there are none.',
  parameters: z.object({
    pattern: z.string().min(1).max(maxLength).describe('Regular expression'),
    ignore_case: z.boolean().default(false),
    fixed: z.boolean().default(false).describe('A plain text, not an expression'),
    scope,
    limit: z.int().min(1).max(1000).default(100),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '20 ms and more for large trees; 100 bytes a line',
  needs: ['grep'],
  pieces: { tool: 0, action: 8 },
  asAction: {
    description: 'Every line that matches a regular expression of ripgrep: all uses, or that there are none.',
    fixed: { fixed: false, limit: 200 },
    undescribed: ['pattern'],
    renamedTo: { scope: 'path' },
    lines: 100,
  },
  async run({ pattern, ignore_case, fixed, scope: wanted, limit }, context) {
    const { ports, pieces, collect, signal } = context;
    const inside = narrowScope(context.scope, wanted);
    const reply = await requirePort(ports.grep).grep({
      pattern,
      ignoreCase: ignore_case,
      fixed,
      limit,
      ...inside.asked,
      ...(signal && { signal }),
    });
    const matches = reply.matches.filter(({ path }) => inside.admits(path));
    const outside = reply.matches.length - matches.length;
    const listed =
      context.citable === true
        ? await citeLines(matches, pattern, collect, await findUnitsAround(matches, ports.symbols, signal))
        : null;
    const { evidence, notes } = listed?.collected ?? (await collect(groupSpans(matches, pattern, pieces)));
    const files = new Set(matches.map(({ path }) => path)).size;
    return done({
      summary:
        matches.length === 0
          ? 'no line matches'
          : `${formatCount(matches.length, 'matching line')} in ${formatCount(files, 'file')}`,
      lines:
        listed?.lines ?? matches.map(({ path, line, text }) => `${escapePath(path)}:${line}: ${text.trim()}`),
      inLines: listed !== null,
      noun: 'matching lines',
      nothing: 'No line matches.',
      data: { matches },
      evidence,
      // If a glob reaches outside the scope, only matches outside the scope are lost. The result is still complete for
      // the scope.
      completeness: partialIfCut(reply.completeness, listed?.cut === true),
      notes: [
        ...reply.notes,
        ...(outside > 0 ? [`${formatCount(outside, 'match')} outside the scope dropped`] : []),
        ...notes,
      ],
    });
  },
});

/** Matches near each other become one span; the first spans of different files come first. */
function groupSpans(matches: readonly LineMatch[], pattern: string, pieces: number): readonly ClaimedSpan[] {
  if (pieces === 0) return [];
  const spans: { path: string; first: number; last: number; text: string }[] = [];
  for (const { path, line, text } of matches) {
    const near = spans.find(
      (span) => span.path === path && line >= span.first - around && line <= span.last + 2 * around + 1,
    );
    if (near === undefined) spans.push({ path, first: line, last: line, text });
    else if (line - near.first < maxSpanLength) near.last = Math.max(near.last, line);
  }
  const seen = new Map<string, number>();
  const rank = spans.map((span) => {
    const nth = seen.get(span.path) ?? 0;
    seen.set(span.path, nth + 1);
    return nth;
  });
  return spans
    .map((span, n) => ({ span, nth: rank[n] ?? 0 }))
    .sort((a, b) => a.nth - b.nth)
    .slice(0, pieces)
    .map(({ span }) => ({
      path: span.path,
      start: Math.max(1, span.first - (isLong(span.text) ? 0 : around)),
      end: span.last + (isLong(span.text) ? 0 : around),
      reason: clipLine(`matches ${pattern}`),
      near: span.text,
      provenance: 'grep',
    }));
}

/**
 * Whether a line is shown cut, as its mark says. Of such a line the part around the match is evidence, without the
 * neighbouring lines.
 */
const isLong = (text: string): boolean => /^… | …$/.test(text);
