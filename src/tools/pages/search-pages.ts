import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import { forPrograms } from '../../core/index.ts';
import { tag, under } from './fields.ts';
import { pageEntry } from './page-entry.ts';
import { evidenceOfHits, remainingBytes } from './page-evidence.ts';

const defaultHits = { narrow: 10, wide: 400 } as const;

export const searchPages = pageEntry({
  name: 'search_pages',
  description: 'Ranked search over pages and their blocks by words and meaning. Candidates are marked.',
  parameters: z.object({
    query: z.string().trim().min(1).max(2000),
    k: z.int().min(1).max(400).optional(),
    under,
    tag,
    wide: z
      .boolean()
      .default(false)
      .describe('Hundreds of hits, for a first look: 400 where no k is given, else 10')
      .meta(forPrograms),
  }),
  capability: 'SearchUse',
  effect: 'read',
  cost: 'some ms; a few KB, wide up to 100 KB',
  async run({ query, k, under, tag, wide }, { ports: { world, search }, signal }) {
    const max = k ?? (wide ? defaultHits.wide : defaultHits.narrow);
    const reply = await search.search({
      query,
      k: max,
      ...(wide && { wide }),
      ...(under !== undefined && { under }),
      ...(tag !== undefined && { tag }),
      ...(signal !== undefined && { signal }),
    });
    const { hits, completeness } = reply;
    const lines = hits.flatMap(({ path, lifecycle, blocks: [first], shown = first, snippet }) => {
      const handle = shown === undefined ? '' : ` ${world.block(shown)?.handle ?? shown}`;
      const mark = lifecycle === 'Candidate' ? ' (Candidate)' : '';
      return [`${path}${handle}${mark}`, `  ${snippet.replace(/\s+/g, ' ').trim()}`];
    });
    // Programs get the search's own completeness: the number of hits shows whether the search ended at its limit.
    const data = { hits, completeness, notes: reply.notes };
    const { evidence, notes } = evidenceOfHits(world, hits, query, remainingBytes(lines.join('\n'), data));
    // A ranked list ends at its limit: what comes after is weaker, not absent.
    const isAtLimit = completeness === 'complete' && hits.length >= max;
    return done({
      summary: formatCount(hits.length, 'hit'),
      lines,
      nothing: 'Nothing found.',
      data,
      evidence,
      completeness: isAtLimit ? 'partial' : completeness,
      ranked: true,
      notes: reply.notes,
      asides: [...(isAtLimit ? [`the best ${max} are listed: a larger k gives more`] : []), ...notes],
    });
  },
});
