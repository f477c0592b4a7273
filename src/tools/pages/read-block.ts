import { z } from 'zod';
import { done, toLines } from '../../catalogue/index.ts';
import { block, findBlock } from './fields.ts';
import { notFound, pageEntry } from './page-entry.ts';
import { evidenceOfBlock } from './page-evidence.ts';
import { formatBlock, formatStatus } from './page-text.ts';

export const readBlock = pageEntry({
  name: 'read_block',
  description: 'One block, with its page and standing.',
  parameters: z.object({ block }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'under 1 ms',
  run({ block }, { ports: { world } }) {
    const found = world.block(findBlock(world, block));
    if (found === null) throw notFound(`There is no block ${block}`);
    const { evidence, notes } = evidenceOfBlock(world, found.page, found.id);
    const path = world.page(found.page)?.path;
    const where = path === undefined ? found.page : `${path} [${found.page}]`;
    return done({
      summary: '1 block',
      lines: toLines(`${formatBlock(found)}\n(${formatStatus(found)}; page ${where})`),
      data: { block: found },
      reads: [found.id],
      evidence,
      asides: notes,
    });
  },
});
