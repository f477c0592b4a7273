import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import { under } from './fields.ts';
import { pageEntry } from './page-entry.ts';

export const listTags = pageEntry({
  name: 'list_tags',
  description: 'Tags in use, with how many pages have each.',
  parameters: z.object({ under }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; 20 bytes a tag',
  run({ under }, { ports: { world } }) {
    const tags = world.tags(under);
    return done({
      summary: formatCount(tags.length, 'tag'),
      lines: tags.map(({ tag, pages }) => `${tag} ${pages}`),
      nothing: 'No tag.',
      data: { tags },
    });
  },
});
