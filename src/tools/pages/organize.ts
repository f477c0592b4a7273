/** Tools that put pages in order, and those that only the author's own hand completes. */
import { z } from 'zod';
import { type Tool, toolReply } from '../../core/index.ts';
import type { Deviation, InboxItem, World } from '../../world/index.ts';
import { readTool, writeTool } from '../define.ts';
import { denied } from '../failures.ts';
import { content, contentNamed, limit, page, pageNamed } from './fields.ts';
import { keepIfAuthors } from './shown-to-author.ts';
import { plain } from './write.ts';

const cost = 'some ms';

export function pageOrganizingTools(world: World): readonly Tool[] {
  return [
    writeTool({
      name: 'move_page',
      description: 'Moves a page, with all below it, to another path. Links stay.',
      input: { page, to: z.string().min(1).max(1000).describe('New path') },
      capability: 'PagesOrganize',
      cost: 'some ms, and more for a large subtree',
      run: ({ page, to }, call) =>
        plain(world, 'move_page', call, { op: 'move_page', page: pageNamed(world, page).id, to }),
    }),
    writeTool({
      name: 'rename_page',
      description: 'Gives a page another name in the same place. Links stay.',
      input: { page, name: z.string().min(1).max(300) },
      capability: 'PagesOrganize',
      cost: 'some ms, and more for a large subtree',
      run: ({ page, name }, call) =>
        plain(world, 'rename_page', call, { op: 'rename_page', page: pageNamed(world, page).id, name }),
    }),
    writeTool({
      name: 'delete_page',
      description: 'Deletes a page.',
      input: { page },
      capability: 'PagesDelete',
      cost,
      run: ({ page }, call) =>
        plain(world, 'delete_page', call, { op: 'delete_page', page: pageNamed(world, page).id }),
    }),
    writeTool({
      name: 'add_tag',
      description: 'Tags a page or a block.',
      input: { content, tag: z.string().min(1).max(200) },
      capability: 'PagesOrganize',
      cost,
      run: ({ content, tag }, call) =>
        plain(world, 'add_tag', call, { op: 'add_tag', content: contentNamed(world, content), tag }),
    }),
  ];
}

/** What accepting an open one would do, and its revision. */
const effectOf = (item: InboxItem | undefined) => {
  if (item === undefined) return {};
  const { revision, before, after, conflicts } = item;
  return { revision, before, after, conflicts };
};

const deviationLine = ({
  id,
  type,
  status,
  canonical_refs,
  note,
  revision,
}: Deviation & Partial<Pick<InboxItem, 'revision'>>): string =>
  `${id}${revision === undefined ? '' : ` revision ${revision}`} ${status} ${type} of ${canonical_refs.join(', ')}${note === '' ? '' : `: ${note}`}`;

const revision = z
  .int()
  .min(1)
  .optional()
  .describe('The one that is meant; without it the newest that the author was shown');

export function authorTools(world: World): readonly Tool[] {
  return [
    writeTool({
      name: 'promote_to_canonical',
      description:
        'Makes a candidate or a draft canonical, as the author was shown it. The author in person only.',
      input: { content, revision },
      capability: 'PagesWrite',
      cost,
      run: ({ content, revision }, call) =>
        call.caller.kind === 'user'
          ? plain(world, 'promote_to_canonical', call, {
              op: 'promote',
              content: contentNamed(world, content),
              ...(revision !== undefined && { revision }),
            })
          : denied('promote_to_canonical', 'author'),
    }),
    readTool({
      name: 'list_deviations',
      description: 'Writes that are in conflict with canonical content, newest first.',
      input: {
        status: z.enum(['open', 'resolved', 'dismissed']).default('open'),
        type: z.enum(['contradiction', 'overwrite']).optional(),
        content: content.optional(),
        before: z.int().min(0).optional().describe('Made before this time, ms since 1970'),
        limit: limit(50, 500),
      },
      capability: 'PagesRead',
      cost: 'some ms; the size of what was submitted',
      run({ status, type, content, before, limit }, { caller }) {
        const all = world.deviations({
          status,
          ...(type !== undefined && { type }),
          ...(content !== undefined && { content: contentNamed(world, content) }),
          ...(before !== undefined && { before }),
        });
        const shown = [...all].sort((a, b) => b.created_at - a.created_at).slice(0, limit);
        const items = new Map(world.inbox(Number.MAX_SAFE_INTEGER).map((item) => [item.id, item]));
        const told = shown.map((each) => ({ ...each, ...effectOf(items.get(each.id)) }));
        const text = told.map(deviationLine).join('\n') || 'None.';
        const waiting = shown.flatMap(({ id }) => items.get(id) ?? []);
        keepIfAuthors(world, caller, waiting, [text, { deviations: told }]);
        return toolReply(
          text,
          { deviations: told },
          { completeness: all.length > limit ? 'partial' : 'complete' },
        );
      },
    }),
    writeTool({
      name: 'resolve_deviation',
      description:
        'Settles a deviation: accept what was submitted, keep what stands, or neither but a text. Of an agent it is a proposal; the author decides.',
      input: {
        deviation: z.string().min(1).max(100),
        decision: z.enum(['accept', 'keep', 'text']),
        text: z.string().optional().describe('With the decision text'),
        note: z.string().max(4000).optional(),
        revision,
      },
      capability: 'PagesWrite',
      cost,
      run: ({ deviation, decision, text = '', note, revision }, call) =>
        plain(world, 'resolve_deviation', call, {
          op: 'resolve_deviation',
          deviation,
          decision: decision === 'text' ? { text } : decision,
          ...(note !== undefined && { note }),
          ...(revision !== undefined && { revision }),
        }),
    }),
  ];
}
