import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import { findPage, page } from './fields.ts';
import { pageEntry } from './page-entry.ts';

export const getBacklinks = pageEntry({
  name: 'get_backlinks',
  description: 'Links that lead to a page, and what derives from it.',
  parameters: z.object({ page }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms',
  run({ page }, { ports: { world } }) {
    const { id } = findPage(world, page);
    const [links, derived] = [world.backlinks(id), world.derivedFrom(id)];
    const pathOf = (name: string) => world.page(name)?.path ?? name;
    const handleOf = (block: string) => world.block(block)?.handle ?? block;
    return done({
      summary: `${formatCount(links.length, 'link')}, ${derived.length} derived`,
      lines: [
        ...links.map(
          ({ from, from_page, target }) => `${pathOf(from_page)} [${handleOf(from)}] as ${target}`,
        ),
        ...derived.map(({ derived_id, link_type }) => `derived: ${pathOf(derived_id)} (${link_type})`),
      ],
      // A vault may have links of other forms, for instance in the shortcodes of a site.
      nothing:
        'Nothing leads there by a link of the forms [[page]], ![[page]] or [text](page.md); other forms are not counted.',
      data: { links, derived },
    });
  },
});
