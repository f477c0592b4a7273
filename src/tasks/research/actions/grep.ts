import { z } from 'zod';
import type { LineMatch } from '../../../core/index.ts';
import type { Find } from '../collect.ts';
import { scopeOf } from '../scope.ts';
import { action } from './action.ts';
import { count, listing, lowered } from './bounds.ts';

/** Lines asked of the port, lines listed, spans kept as evidence, lines shown around a match. */
const asked = 200;
const listed = 60;
const kept = 8;
const around = 3;

/** Matches near each other become one span; the first spans of different files come first. */
function spansOf(matches: readonly LineMatch[], pattern: string): readonly Find[] {
  const spans: { path: string; first: number; last: number; text: string }[] = [];
  for (const { path, line, text } of matches) {
    const near = spans.find(
      (span) => span.path === path && line >= span.first - around && line <= span.last + 2 * around + 1,
    );
    if (near === undefined) spans.push({ path, first: line, last: line, text });
    else if (line - near.first < 40) near.last = Math.max(near.last, line);
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
    .slice(0, kept)
    .map(({ span }) => ({
      path: span.path,
      start: Math.max(1, span.first - (isLong(span.text) ? 0 : around)),
      end: span.last + (isLong(span.text) ? 0 : around),
      reason: `matches ${pattern}`,
      near: span.text,
      provenance: 'grep',
    }));
}

/** Shown with a mark of the cut: of such a line the part around the match is evidence, and its neighbours are left. */
const isLong = (text: string): boolean => /^… | …$/.test(text);

export const grep = action({
  name: 'grep',
  about:
    'Every line that matches a regular expression. The completeness check: use it to see all callers, all uses, or that there are none.',
  input: z.object({
    pattern: z.string().describe('Regular expression, as ripgrep reads it'),
    ignore_case: z.boolean().default(false),
    path: z
      .string()
      .default('')
      .describe('Glob that narrows the search, e.g. src/**/*.ts; empty for everywhere'),
  }),
  available: (material) => material.grep !== undefined,
  async run({ pattern, ignore_case, path }, { material, scope, signal, collect }) {
    if (pattern === '') return { kind: 'failed', message: 'The pattern is empty.' };
    const within = scopeOf(path);
    const asksFor = within.text ?? scope.text;
    const reply = await material.grep?.grep({
      pattern,
      ignoreCase: ignore_case,
      limit: asked,
      ...(asksFor !== undefined && { scope: asksFor }),
      signal,
    });
    if (reply === undefined) return { kind: 'failed', message: 'There is no grep over this material.' };
    const matches = reply.matches.filter((match) => scope.admits(match.path) && within.admits(match.path));
    const outside = reply.matches.length - matches.length;
    const lines = listing(
      matches.map((match) => `${match.path}:${match.line}: ${match.text.trim()}`),
      listed,
      'matching lines',
    );
    const { evidence, notes } = await collect(spansOf(matches, pattern));
    const files = new Set(matches.map((match) => match.path)).size;
    return {
      kind: 'done',
      summary:
        matches.length === 0
          ? 'no line matches'
          : `${count(matches.length, 'matching line')} in ${count(files, 'file')}`,
      text: lines.text,
      evidence,
      // A narrower glob that leaves the scope loses matches only outside it: nothing that was to be found.
      completeness: lowered(reply.completeness, lines.cut),
      notes: [
        ...reply.notes,
        ...lines.notes,
        ...(outside > 0 ? [`${count(outside, 'match')} outside the scope dropped`] : []),
        ...notes,
      ],
    };
  },
});
