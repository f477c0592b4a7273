import { z } from 'zod';
import { done, formatCount, toLines } from '../../catalogue/index.ts';
import { findPage, page, view } from './fields.ts';
import { notFound, pageEntry } from './page-entry.ts';
import { evidenceOfPage, remainingBytes } from './page-evidence.ts';
import { formatPage } from './page-text.ts';
import { recordIfAuthor } from './record-shown.ts';

export const readPage = pageEntry({
  name: 'read_page',
  description: 'A page whole: tags, properties, and its blocks, each behind its handle (#57123).',
  parameters: z.object({ page, view }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'under 1 ms; the size of the page',
  run({ page, view }, { ports: { world }, call: { caller } }) {
    const found = world.read(findPage(world, page).id, view);
    if (found === null) throw notFound(`The page ${page} has nothing to read in the view ${view}`);
    const wholePage = view === 'all' ? found : (world.read(found.id, 'all') ?? found);
    const data = { page: found, links: world.links(found.id) };
    const text = formatPage(found);
    recordIfAuthor(world, caller, [found], [text, data]);
    const { evidence, notes } = evidenceOfPage(wholePage, found, remainingBytes(text, data));
    return done({
      summary: formatCount(found.blocks.length, 'block'),
      lines: toLines(text),
      data,
      reads: [found.id],
      evidence,
      asides: notes,
    });
  },
});
