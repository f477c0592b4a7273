/** Tools that read a workspace. None of them comes near the submit boundary. */
import { z } from 'zod';
import { SondeError, type Tool, toolReply } from '../../core/index.ts';
import type { ContentId, PageSearch, World, WorldEvent } from '../../world/index.ts';
import { readTool } from '../define.ts';
import { block, blockNamed, content, contentNamed, limit, page, pageNamed } from './fields.ts';
import { evidenceOfBlock, evidenceOfHits, evidenceOfPage, roomBeside } from './page-evidence.ts';
import { blockText, pageText, standingOf } from './page-text.ts';
import { keepIfAuthors } from './shown-to-author.ts';

const view = z
  .enum(['all', 'canonical'])
  .default('all')
  .describe('canonical: what the author reads; all: candidates too, marked');
const under = z.string().max(1000).optional().describe('Only this page path and below');
const tag = z.string().max(200).optional();

const partialIf = (cut: boolean) => ({ completeness: cut ? ('partial' as const) : ('complete' as const) });

const eventLine = ({ seq, at, op, caller_kind, caller, write_id }: WorldEvent): string =>
  `${seq} ${new Date(at).toISOString()} ${op} by ${caller_kind} ${caller} (${write_id})`;

export function pageReadingTools(world: World, search: Pick<PageSearch, 'search'>): readonly Tool[] {
  const handleOf = (block: ContentId): string => world.block(block)?.handle ?? block;
  return [
    readTool({
      name: 'search_pages',
      description: 'Ranked search over pages and their blocks by words and meaning. Candidates are marked.',
      input: {
        query: z.string().trim().min(1).max(2000),
        k: z.int().min(1).max(400).optional().describe('10; 400 where wide'),
        under,
        tag,
        wide: z.boolean().default(false).describe('Hundreds of hits, for a first look'),
      },
      capability: 'SearchUse',
      cost: 'some ms; a few KB, wide up to 100 KB',
      async run({ query, k, under, tag, wide }, { signal }) {
        const most = k ?? (wide ? 400 : 10);
        const reply = await search.search({
          query,
          k: most,
          ...(wide && { wide }),
          ...(under !== undefined && { under }),
          ...(tag !== undefined && { tag }),
          ...(signal !== undefined && { signal }),
        });
        const lines = reply.hits.map(
          ({ path, page, lifecycle, blocks, snippet }) =>
            `${path} [${page}] ${lifecycle}${blocks[0] === undefined ? '' : ` ${handleOf(blocks[0])}`}\n  ${snippet.replace(/\s+/g, ' ').trim()}`,
        );
        const text = lines.join('\n') || 'Nothing found.';
        const data = { hits: reply.hits };
        const { evidence, notes } = evidenceOfHits(world, reply.hits, query, roomBeside(text, data));
        return toolReply(text, data, {
          evidence,
          // A ranked list ends where it was told to: what comes after is weaker, not absent.
          completeness:
            reply.completeness === 'complete' && reply.hits.length >= most ? 'partial' : reply.completeness,
          notes: [...reply.notes, ...notes],
        });
      },
    }),
    readTool({
      name: 'read_page',
      description:
        'A page whole: tags, properties, and its blocks, each behind its handle (#57123), which other tools take.',
      input: { page, view },
      capability: 'PagesRead',
      cost: 'under 1 ms; the size of the page',
      run({ page, view }, { caller }) {
        const found = world.read(pageNamed(world, page).id, view);
        if (found === null) throw nothing(`The page ${page} has nothing to read in the view ${view}`);
        const whole = view === 'all' ? found : (world.read(found.id, 'all') ?? found);
        const data = { page: found, links: world.links(found.id) };
        const text = pageText(found);
        keepIfAuthors(world, caller, [found], [text, data]);
        return toolReply(text, data, {
          ...evidenceOfPage(whole, found, roomBeside(text, data)),
          reads: [found.id],
        });
      },
    }),
    readTool({
      name: 'read_block',
      description: 'One block, with its page and standing.',
      input: { block },
      capability: 'PagesRead',
      cost: 'under 1 ms',
      run({ block }) {
        const found = world.block(blockNamed(world, block));
        if (found === null) throw nothing(`There is no block ${block}`);
        return toolReply(
          `${blockText(found)}\n(${standingOf(found)}; page ${found.page})`,
          { block: found },
          { ...evidenceOfBlock(world, found.page, found.id), reads: [found.id] },
        );
      },
    }),
    readTool({
      name: 'list_pages',
      description: 'Pages by path.',
      input: {
        under,
        tag,
        view,
        limit: limit(100, 1000),
        after: z.string().max(1000).optional().describe('Last path of the listing before'),
      },
      capability: 'PagesRead',
      cost: 'some ms; 100 bytes a page',
      run({ under, tag, view, limit, after }) {
        const pages = world.pages({
          view,
          // One more than is shown tells whether there are more.
          limit: limit + 1,
          ...(under !== undefined && { under }),
          ...(tag !== undefined && { tag }),
          ...(after !== undefined && { after }),
        });
        const shown = pages.slice(0, limit);
        const cut = pages.length > limit;
        return toolReply(
          shown.map(({ path, id, lifecycle }) => `${path} [${id}] ${lifecycle}`).join('\n') || 'No page.',
          { pages: shown, next: cut ? shown.at(-1)?.path : null },
          {
            ...partialIf(cut),
            notes: cut ? [`there are more; go on with after: ${shown.at(-1)?.path}`] : [],
          },
        );
      },
    }),
    readTool({
      name: 'list_tags',
      description: 'Tags in use, with how many pages have each.',
      input: { under },
      capability: 'PagesRead',
      cost: 'some ms; 20 bytes a tag',
      run({ under }) {
        const tags = world.tags(under);
        return toolReply(tags.map(({ tag, pages }) => `${tag} ${pages}`).join('\n') || 'No tag.', { tags });
      },
    }),
    readTool({
      name: 'get_backlinks',
      description: 'Links that lead to a page, and what derives from it.',
      input: { page },
      capability: 'PagesRead',
      cost: 'some ms',
      run({ page }) {
        const { id } = pageNamed(world, page);
        const [links, derived] = [world.backlinks(id), world.derivedFrom(id)];
        const pathOf = (name: string) => world.page(name)?.path ?? name;
        return toolReply(
          [
            ...links.map(
              ({ from, from_page, target }) => `${pathOf(from_page)} [${handleOf(from)}] as ${target}`,
            ),
            ...derived.map(({ derived_id, link_type }) => `derived: ${pathOf(derived_id)} (${link_type})`),
          ].join('\n') || 'Nothing leads there.',
          { links, derived },
        );
      },
    }),
    readTool({
      name: 'page_history',
      description: 'What happened to a page or a block, newest first.',
      input: { content, limit: limit(20, 200) },
      capability: 'PagesRead',
      cost: 'some ms; before and after of each change',
      run({ content, limit }) {
        const events = world.history(contentNamed(world, content), limit + 1);
        const shown = events.slice(0, limit);
        return toolReply(
          shown.map(eventLine).join('\n') || 'Nothing happened to it.',
          { events: shown },
          partialIf(events.length > limit),
        );
      },
    }),
  ];
}

const nothing = (message: string): SondeError =>
  new SondeError('not_found', { message, remedy: 'Look for it with search_pages or list_pages.' });
