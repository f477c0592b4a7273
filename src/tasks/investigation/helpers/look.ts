/** Helpers that read the material. They are made from entries of the catalogue. */

import { hybridSearch } from '../../../catalogue/code/hybrid-search.ts';
import { listPaths } from '../../../catalogue/code/list-paths.ts';
import { readText } from '../../../catalogue/code/read-text.ts';
import type { EntryDone } from '../../../catalogue/index.ts';
import type { Arguments, Helper, HelperCall } from './helper.ts';
import { helperOf } from './helper-of.ts';

const defaultHits = 10;
const maxHits = 100;

export const kbSearch: Helper = helperOf(hybridSearch, 'the search', {
  args({ k, wide, ...rest }, { runContext: context }: HelperCall): Arguments {
    const max = wide === true ? context.limits.wide : maxHits;
    const requested = typeof k === 'number' ? k : wide === true ? max : defaultHits;
    return { ...rest, wide, k: Math.min(requested, max) };
  },
  value: ({ data }) => (data as { readonly hits: unknown }).hits,
  summary: ({ summary }, { query }) => `${summary} for ${JSON.stringify(query)}`,
});

export const kbList: Helper = helperOf(listPaths, 'the listing', {
  absent: {
    message: 'the paths of this material can’t be listed',
    remedy: 'Find them with kb_search(query, wide=True).',
  },
  value: ({ data, completeness, notes }) => ({
    ...(data as { readonly paths: readonly string[] }),
    complete: completeness === 'complete',
    note: notes.join(' '),
  }),
  summary: ({ summary, completeness }, { scope }) =>
    `${summary}${completeness === 'complete' ? '' : ', not all'}${scope === undefined ? '' : ` of ${scope}`}`,
});

export const kbRead: Helper = helperOf(readText, 'reading', { summary: readPlace });

function readPlace({ data }: EntryDone): string {
  const { path, start, end } = data as Readonly<Record<string, unknown>>;
  return `${path}:${start}-${end}`;
}
