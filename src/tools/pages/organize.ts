/** Entries that rename, move, promote or delete pages, and entries whose effect needs the author's approval. */
import { z } from 'zod';
import { done, type Entry, formatCount, toLines } from '../../catalogue/index.ts';
import { forPrograms } from '../../core/index.ts';
import type { InboxItem } from '../../world/index.ts';
import { formatDeviation } from './deviation-line.ts';
import { content, findContent, findPage, limit, page } from './fields.ts';
import { type PageContext, pageEntry, partialIf } from './page-entry.ts';
import { recordIfAuthor } from './record-shown.ts';
import { submitPlain } from './submit-write.ts';

const cost = 'some ms';

export const organizingEntries: readonly Entry<PageContext>[] = [
  pageEntry({
    name: 'move_page',
    description: 'Moves or renames a page, with all below it. Links stay.',
    parameters: z.object({ page, to: z.string().min(1).max(1000).describe('New path') }),
    capability: 'PagesOrganize',
    effect: 'write',
    cost: 'some ms, and more for a large subtree',
    run: ({ page, to }, { ports: { world }, call }) =>
      submitPlain(world, 'move_page', call, { op: 'move_page', page: findPage(world, page).id, to }),
  }),
  pageEntry({
    name: 'rename_page',
    description: 'Gives a page another name in the same place. Links stay.',
    // Not shown to planners: they use `move_page`.
    forPrograms: true,
    parameters: z.object({ page, name: z.string().min(1).max(300) }),
    capability: 'PagesOrganize',
    effect: 'write',
    cost: 'some ms, and more for a large subtree',
    run: ({ page, name }, { ports: { world }, call }) =>
      submitPlain(world, 'rename_page', call, { op: 'rename_page', page: findPage(world, page).id, name }),
  }),
  pageEntry({
    name: 'delete_page',
    description: 'Deletes a page.',
    parameters: z.object({ page }),
    capability: 'PagesDelete',
    effect: 'write',
    cost,
    run: ({ page }, { ports: { world }, call }) =>
      submitPlain(world, 'delete_page', call, { op: 'delete_page', page: findPage(world, page).id }),
  }),
  pageEntry({
    name: 'add_tag',
    description: 'Tags a page or a block.',
    parameters: z.object({ content, tag: z.string().min(1).max(200) }),
    capability: 'PagesOrganize',
    effect: 'write',
    cost,
    run: ({ content, tag }, { ports: { world }, call }) =>
      submitPlain(world, 'add_tag', call, { op: 'add_tag', content: findContent(world, content), tag }),
  }),
];

/** What accepting an open item would do, and its revision. */
const acceptEffect = (item: InboxItem | undefined) => {
  if (item === undefined) return {};
  const { revision, before, after, conflicts } = item;
  return { revision, before, after, conflicts };
};

const revision = z
  .int()
  .min(1)
  .optional()
  .describe('The one that is meant; without it the newest that the author was shown')
  .meta(forPrograms);

export const authorEntries: readonly Entry<PageContext>[] = [
  pageEntry({
    name: 'promote_to_canonical',
    description:
      'Makes a candidate or a draft canonical, as the author was shown it. The author in person only.',
    parameters: z.object({ content, revision }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    authorOnly: true,
    run: ({ content, revision }, { ports: { world }, call }) =>
      submitPlain(world, 'promote_to_canonical', call, {
        op: 'promote',
        content: findContent(world, content),
        ...(revision !== undefined && { revision }),
      }),
  }),
  pageEntry({
    name: 'list_deviations',
    description: 'Writes that are in conflict with canonical content, newest first.',
    // Not shown to planners: they find deviations in the inbox.
    forPrograms: true,
    parameters: z.object({
      status: z.enum(['open', 'resolved', 'dismissed']).default('open'),
      type: z.enum(['contradiction', 'overwrite']).optional(),
      content: content.optional(),
      before: z.int().min(0).optional().describe('Made before this time, ms since 1970'),
      limit: limit(50, 500),
    }),
    capability: 'PagesRead',
    effect: 'read',
    cost: 'some ms; the size of what was submitted',
    run({ status, type, content, before, limit }, { ports: { world }, call: { caller } }) {
      const all = world.deviations({
        status,
        ...(type !== undefined && { type }),
        ...(content !== undefined && { content: findContent(world, content) }),
        ...(before !== undefined && { before }),
      });
      const deviations = [...all].sort((a, b) => b.created_at - a.created_at).slice(0, limit);
      const items = new Map(world.inbox(Number.MAX_SAFE_INTEGER).map((item) => [item.id, item]));
      const detailed = deviations.map((deviation) => ({
        ...deviation,
        ...acceptEffect(items.get(deviation.id)),
      }));
      const lines = detailed.map(formatDeviation);
      const data = { deviations: detailed };
      const waiting = deviations.flatMap(({ id }) => items.get(id) ?? []);
      recordIfAuthor(world, caller, waiting, [lines.join('\n'), data]);
      return done({
        summary: formatCount(deviations.length, 'deviation'),
        lines: lines.flatMap((line) => toLines(line)),
        nothing: 'None.',
        data,
        completeness: partialIf(all.length > limit),
      });
    },
  }),
  pageEntry({
    name: 'resolve_deviation',
    description:
      'Settles a deviation: accept what was submitted, keep what stands, or a text instead. Of an agent it is a proposal.',
    parameters: z.object({
      deviation: z.string().min(1).max(100),
      decision: z.enum(['accept', 'keep', 'text']),
      text: z.string().optional(),
      note: z.string().max(4000).optional(),
      revision,
    }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: ({ deviation, decision, text = '', note, revision }, { ports: { world }, call }) =>
      submitPlain(world, 'resolve_deviation', call, {
        op: 'resolve_deviation',
        deviation,
        decision: decision === 'text' ? { text } : decision,
        ...(note !== undefined && { note }),
        ...(revision !== undefined && { revision }),
      }),
  }),
];
