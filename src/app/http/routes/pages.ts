/** Pages: everybody may read them, only the author writes them. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import { type Page, type World, wholeText } from '../../../world/index.ts';
import { authorAlone, roles } from '../askers.ts';
import { beyond, listOf, listPage, listQuery, offsetPage, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import { block, derivation, link, page, pageText, saved, worldEvent } from '../schemas/schemas.ts';
import { type Author, write } from './decide.ts';
import { derivationsOf } from './derivations.ts';
import { inWorkspace, pageIn, pageParams, workspaceParams } from './in-workspace.ts';

const view = z.enum(['canonical', 'all']).default('canonical').describe('all: with what nobody has promoted');
const text = z.string().max(4_000_000);
const path = z.string().min(1).max(1_000);
const revision = z.number().int().min(1);

/** Maximum events of a page that are searched. */
const maxHistory = 10_000;

const readWhole = (world: World, { id, lifecycle }: Page, wanted: 'canonical' | 'all') =>
  world.read(id, lifecycle === 'Candidate' ? 'all' : wanted)!;

/** The page or block after a write. */
function toSaved(
  { workspace: { world } }: ApiPorts,
  id: string,
  done: { readonly applied: boolean; readonly deviation_ids: readonly string[]; readonly write_id: string },
): z.input<typeof saved> {
  const now = world.page(id)!;
  const { applied, deviation_ids, write_id } = done;
  return {
    page: id,
    path: now.path,
    revision: now.deleted ? null : now.revision,
    applied,
    deviations: [...deviation_ids],
    write_id,
  };
}

const scopeFields = (under: string | undefined, tag: string | undefined) => ({
  ...(under !== undefined && { under }),
  ...(tag !== undefined && { tag: tag.replace(/^#/, '') }),
});

const byAuthor = (by: Author) => ({ by, part: 'page' });

export const pageRoutes = [
  route({
    id: 'listPages',
    method: 'get',
    path: '/workspaces/{workspace}/pages',
    summary: 'Pages by their paths',
    may: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      ...{ under: path.optional(), tag: z.string().min(1).max(200).optional(), view },
      deleted: z.enum(['true', 'false']).default('false').describe('true: those that were deleted'),
    }),
    answer: listOf(page),
    handle({ params, query: { limit, cursor, under, tag, view: wanted, deleted } }, ports) {
      const { world } = inWorkspace(params, ports);
      // Several deleted pages may have had the same path, so a path is no cursor.
      if (deleted === 'true') {
        const pages = world.pages({ ...scopeFields(under, tag), view: 'all', deleted: true });
        return offsetPage(pages, { limit, cursor });
      }
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const found = world.pages({
        view: wanted,
        limit: limit + 1,
        ...scopeFields(under, tag),
        ...(after !== undefined && { after }),
      });
      return listPage(found, limit, (last) => [last.path]);
    },
  }),
  route({
    id: 'createPage',
    method: 'post',
    path: '/workspaces/{workspace}/pages',
    summary: 'Make a page, as its author',
    may: authorAlone,
    effect: 'author',
    params: workspaceParams,
    body: z.strictObject({ path, text }).meta({ id: 'NewPage' }),
    answer: saved,
    status: 201,
    errors: ['conflict'],
    handle(ask, ports) {
      const workspace = inWorkspace(ask.params, ports);
      const acceptedWrite = write(workspace, { op: 'create_page', ...ask.body }, byAuthor(ask));
      return toSaved(ports, acceptedWrite.content_ids[0]!, acceptedWrite);
    },
  }),
  route({
    id: 'getPage',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}',
    summary: 'A page whole; also by the id of one of its blocks',
    may: roles,
    effect: 'read',
    params: pageParams,
    query: z.strictObject({ view }),
    answer: pageText,
    handle({ params, query, asker }, ports) {
      const { world, person } = inWorkspace(params, ports);
      const page = world.block(params.page)?.page ?? params.page;
      const read = readWhole(world, pageIn({ ...params, page }, ports), query.view);
      if (asker.role === 'author') world.shown(person.name, [read]);
      const { blocks: _, tags, aliases, ...rest } = read;
      return { ...rest, tags: [...tags], aliases: [...aliases], text: wholeText(read) };
    },
  }),
  route({
    id: 'savePage',
    method: 'patch',
    path: '/workspaces/{workspace}/pages/{page}',
    summary:
      'Save the whole text of a page over the revision that was edited; a later one stands, and this waits',
    may: authorAlone,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ text, revision }).meta({ id: 'PageSave' }),
    answer: saved,
    errors: ['stale', 'conflict'],
    handle(ask, ports) {
      const workspace = inWorkspace(ask.params, ports);
      const { id } = pageIn(ask.params, ports);
      const { text: whole, revision: base } = ask.body;
      return toSaved(
        ports,
        id,
        write(workspace, { op: 'update_page', page: id, text: whole }, { ...byAuthor(ask), base }),
      );
    },
  }),
  route({
    id: 'deletePage',
    method: 'delete',
    path: '/workspaces/{workspace}/pages/{page}',
    summary: 'Delete a page; its text and history are kept, and it can be restored',
    may: authorAlone,
    effect: 'author',
    params: pageParams,
    query: z.strictObject({
      revision: z.coerce.number().int().min(1).optional().describe('that was looked at; a later one stands'),
    }),
    answer: saved,
    errors: ['stale', 'conflict'],
    handle(ask, ports) {
      const workspace = inWorkspace(ask.params, ports);
      const { id } = pageIn(ask.params, ports);
      const { revision: shown } = ask.query;
      const operation = {
        op: 'delete_page',
        page: id,
        ...(shown !== undefined && { revision: shown }),
      } as const;
      return toSaved(ports, id, write(workspace, operation, byAuthor(ask)));
    },
  }),
  route({
    id: 'restorePage',
    method: 'post',
    path: '/workspaces/{workspace}/pages/{page}/restore',
    summary:
      'A deleted page is there again; with `seq` of its history the text right after that event stands again',
    may: authorAlone,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ seq: z.number().int().min(1).optional() }).meta({ id: 'Restore' }),
    answer: saved,
    errors: ['conflict'],
    handle(ask, ports) {
      const workspace = inWorkspace(ask.params, ports);
      const { world } = workspace;
      const { id, deleted } = pageIn(ask.params, ports, { deleted: true });
      const { seq } = ask.body;
      if (seq === undefined && !deleted)
        throw new SondeError('bad_argument', {
          message: 'The page is not deleted, and no text of it was named',
          remedy: 'Send `seq` of an event of its history.',
        });
      const old = seq === undefined ? null : world.textAt(id, seq);
      if (
        seq !== undefined &&
        (old === null || !world.history(id, maxHistory).some((worldEvent) => worldEvent.seq === seq))
      )
        throw new SondeError('not_found', {
          message: `The page has no event ${seq}`,
          remedy: 'GET its history lists those it has.',
        });
      const by = byAuthor(ask);
      const back = deleted
        ? write(workspace, { op: 'restore_page', page: id }, { ...by, part: 'restore' })
        : null;
      const acceptedWrite =
        old === null ? back! : write(workspace, { op: 'update_page', page: id, text: old }, by);
      return toSaved(ports, id, acceptedWrite);
    },
  }),
  route({
    id: 'movePage',
    method: 'post',
    path: '/workspaces/{workspace}/pages/{page}/move',
    summary: 'Give a page another path, with everything below it; links to it follow',
    may: authorAlone,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ to: path }).meta({ id: 'PageMove' }),
    answer: saved,
    errors: ['conflict'],
    handle(ask, ports) {
      const workspace = inWorkspace(ask.params, ports);
      const { id } = pageIn(ask.params, ports);
      const acceptedWrite = write(workspace, { op: 'move_page', page: id, to: ask.body.to }, byAuthor(ask));
      return toSaved(ports, id, acceptedWrite);
    },
  }),
  route({
    id: 'listBlocks',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/blocks',
    summary: 'The blocks of a page in order, each with where it came from',
    may: roles,
    effect: 'read',
    params: pageParams,
    query: listQuery.extend({ view }),
    answer: listOf(block),
    handle({ params, query: { limit, cursor, view: wanted } }, ports) {
      const { world } = inWorkspace(params, ports);
      const { blocks } = readWhole(world, pageIn(params, ports), wanted);
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const from = after === undefined ? 0 : blocks.findIndex(({ id }) => id === after) + 1;
      return listPage(blocks.slice(from), limit, ({ id }) => [id]);
    },
  }),
  route({
    id: 'getLinks',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/links',
    summary: 'Where the links of a page lead, and which pages lead to it',
    may: roles,
    effect: 'read',
    params: pageParams,
    answer: z.strictObject({ links: z.array(link), backlinks: z.array(link) }),
    handle({ params }, ports) {
      const { world } = inWorkspace(params, ports);
      const { id } = pageIn(params, ports);
      const pathOf = (of: string | null) => (of === null ? null : (world.page(of)?.path ?? null));
      const toLink = (link: ReturnType<World['links']>[number]) => ({
        ...link,
        from_path: pathOf(link.from_page),
        to_path: pathOf(link.to),
      });
      return { links: world.links(id).map(toLink), backlinks: world.backlinks(id).map(toLink) };
    },
  }),
  route({
    id: 'listHistory',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/history',
    summary: 'What happened to a page and its blocks, newest first, with what was there before and after',
    may: roles,
    effect: 'read',
    params: pageParams,
    query: listQuery,
    answer: listOf(worldEvent),
    async handle({ params, query: { limit, cursor } }, ports) {
      const { world } = inWorkspace(params, ports);
      const { id } = pageIn(params, ports, { deleted: true });
      const [before] = readCursor(cursor, z.tuple([z.number().int()])) ?? [Number.MAX_SAFE_INTEGER];
      const found = await beyond(
        (n) => world.history(id, n),
        ({ seq }) => seq < before,
        limit + 1,
      );
      return eventsPage(found, limit);
    },
  }),
  route({
    id: 'getProvenance',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/provenance',
    summary: 'What a page and its blocks rest on, what rests on them, and what says: look again',
    may: roles,
    effect: 'read',
    params: pageParams,
    answer: z
      .strictObject({
        content: z.array(
          z.strictObject({ id: z.string(), sources: z.array(derivation), derived: z.array(derivation) }),
        ),
        flags: z.array(
          z.object({ id: z.string(), content_id: z.string(), source_id: z.string(), raised_at: z.number() }),
        ),
      })
      .meta({ id: 'PageProvenance' }),
    handle({ params }, ports) {
      const { world } = inWorkspace(params, ports);
      const read = readWhole(world, pageIn(params, ports), 'all');
      const ids = [read.id, ...read.blocks.map(({ id }) => id)];
      const content = ids.map((id) => ({
        id,
        sources: derivationsOf(world, id, 'sources'),
        derived: derivationsOf(world, id, 'derived'),
      }));
      return {
        content: content.filter(({ sources, derived }) => sources.length + derived.length > 0),
        flags: ids.flatMap((id) => [...world.flags({ content: id, open: true })]),
      };
    },
  }),
];

/** Events as JSON, with the earlier texts. */
export function eventsPage(found: readonly ReturnType<World['events']>[number][], limit: number) {
  const { items, next } = listPage(found, limit, ({ seq }) => [seq]);
  return { items: items.map((one) => one as unknown as z.input<typeof worldEvent>), next };
}
