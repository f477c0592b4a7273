/** Pages over HTTP: every role may read them, and only the author may write them. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import { joinPageText, type Page, type World } from '../../../world/index.ts';
import { authorOnly, roles } from '../askers.ts';
import { listPage, listQuery, offsetPage, pageSchema, readCursor, readPastCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import { block, derivation, link, page, pageText, savedPage, worldEvent } from '../schemas/schemas.ts';
import { type Author, submitAsAuthor } from './decisions.ts';
import { listDerivations } from './derivations.ts';
import { pageParams, requirePage, requireWorkspace, workspaceParams } from './in-workspace.ts';

const view = z.enum(['canonical', 'all']).default('canonical').describe('all: with what nobody has promoted');
const text = z.string().max(4_000_000);
const path = z.string().min(1).max(1_000);
const revision = z.number().int().min(1);

/** Maximum events of a page that are searched. */
const maxHistory = 10_000;

const readPage = (world: World, { id, lifecycle }: Page, requestedView: 'canonical' | 'all') =>
  world.read(id, lifecycle === 'Candidate' ? 'all' : requestedView)!;

/** The page or block after a write. */
function toSaved(
  { workspace: { world } }: ApiPorts,
  id: string,
  result: { readonly applied: boolean; readonly deviation_ids: readonly string[]; readonly write_id: string },
): z.input<typeof savedPage> {
  const currentPage = world.page(id)!;
  const { applied, deviation_ids, write_id } = result;
  return {
    page: id,
    path: currentPage.path,
    revision: currentPage.deleted ? null : currentPage.revision,
    applied,
    deviations: [...deviation_ids],
    write_id,
  };
}

const scopeFields = (under: string | undefined, tag: string | undefined) => ({
  ...(under !== undefined && { under }),
  ...(tag !== undefined && { tag: tag.replace(/^#/, '') }),
});

const asAuthor = (author: Author) => ({ by: author, part: 'page' });

export const pageRoutes = [
  route({
    id: 'listPages',
    method: 'get',
    path: '/workspaces/{workspace}/pages',
    summary: 'Pages by their paths',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      ...{ under: path.optional(), tag: z.string().min(1).max(200).optional(), view },
      deleted: z.enum(['true', 'false']).default('false').describe('true: those that were deleted'),
    }),
    answer: pageSchema(page),
    handle({ params, query: { limit, cursor, under, tag, view: requestedView, deleted } }, ports) {
      const { world } = requireWorkspace(params, ports);
      // Several deleted pages may have had the same path, so a path is no cursor.
      if (deleted === 'true') {
        const pages = world.pages({ ...scopeFields(under, tag), view: 'all', deleted: true });
        return offsetPage(pages, { limit, cursor });
      }
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const foundPages = world.pages({
        view: requestedView,
        limit: limit + 1,
        ...scopeFields(under, tag),
        ...(after !== undefined && { after }),
      });
      return listPage(foundPages, limit, (last) => [last.path]);
    },
  }),
  route({
    id: 'createPage',
    method: 'post',
    path: '/workspaces/{workspace}/pages',
    summary: 'Make a page, as its author',
    allowedRoles: authorOnly,
    effect: 'author',
    params: workspaceParams,
    body: z.strictObject({ path, text }).meta({ id: 'NewPage' }),
    answer: savedPage,
    status: 201,
    errors: ['conflict'],
    handle(request, ports) {
      const workspace = requireWorkspace(request.params, ports);
      const acceptedWrite = submitAsAuthor(
        workspace,
        { op: 'create_page', ...request.body },
        asAuthor(request),
      );
      return toSaved(ports, acceptedWrite.content_ids[0]!, acceptedWrite);
    },
  }),
  route({
    id: 'getPage',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}',
    summary: 'A page whole; also by the id of one of its blocks',
    allowedRoles: roles,
    effect: 'read',
    params: pageParams,
    query: z.strictObject({ view }),
    answer: pageText,
    handle({ params, query, asker }, ports) {
      const { world, person } = requireWorkspace(params, ports);
      const page = world.block(params.page)?.page ?? params.page;
      const pageContent = readPage(world, requirePage({ ...params, page }, ports), query.view);
      if (asker.role === 'author') world.shown(person.name, [pageContent]);
      const { blocks: _, tags, aliases, ...rest } = pageContent;
      return { ...rest, tags: [...tags], aliases: [...aliases], text: joinPageText(pageContent) };
    },
  }),
  route({
    id: 'savePage',
    method: 'patch',
    path: '/workspaces/{workspace}/pages/{page}',
    summary:
      'Save the whole text of a page over the revision that was edited; a later one stands, and this waits',
    allowedRoles: authorOnly,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ text, revision }).meta({ id: 'PageSave' }),
    answer: savedPage,
    errors: ['stale', 'conflict'],
    handle(request, ports) {
      const workspace = requireWorkspace(request.params, ports);
      const { id } = requirePage(request.params, ports);
      const { text: newText, revision: baseRevision } = request.body;
      return toSaved(
        ports,
        id,
        submitAsAuthor(
          workspace,
          { op: 'update_page', page: id, text: newText },
          { ...asAuthor(request), base: baseRevision },
        ),
      );
    },
  }),
  route({
    id: 'deletePage',
    method: 'delete',
    path: '/workspaces/{workspace}/pages/{page}',
    summary: 'Delete a page; its text and history are kept, and it can be restored',
    allowedRoles: authorOnly,
    effect: 'author',
    params: pageParams,
    query: z.strictObject({
      revision: z.coerce.number().int().min(1).optional().describe('that was looked at; a later one stands'),
    }),
    answer: savedPage,
    errors: ['stale', 'conflict'],
    handle(request, ports) {
      const workspace = requireWorkspace(request.params, ports);
      const { id } = requirePage(request.params, ports);
      const { revision: baseRevision } = request.query;
      const operation = {
        op: 'delete_page',
        page: id,
        ...(baseRevision !== undefined && { revision: baseRevision }),
      } as const;
      return toSaved(ports, id, submitAsAuthor(workspace, operation, asAuthor(request)));
    },
  }),
  route({
    id: 'restorePage',
    method: 'post',
    path: '/workspaces/{workspace}/pages/{page}/restore',
    summary:
      'A deleted page is there again; with `seq` of its history the text right after that event stands again',
    allowedRoles: authorOnly,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ seq: z.number().int().min(1).optional() }).meta({ id: 'Restore' }),
    answer: savedPage,
    errors: ['conflict'],
    handle(request, ports) {
      const workspace = requireWorkspace(request.params, ports);
      const { world } = workspace;
      const { id, deleted } = requirePage(request.params, ports, { deleted: true });
      const { seq } = request.body;
      if (seq === undefined && !deleted)
        throw new SondeError('bad_argument', {
          message: 'The page is not deleted, and no text of it was named',
          remedy: 'Send `seq` of an event of its history.',
        });
      const oldText = seq === undefined ? null : world.textAt(id, seq);
      if (
        seq !== undefined &&
        (oldText === null || !world.history(id, maxHistory).some((worldEvent) => worldEvent.seq === seq))
      )
        throw new SondeError('not_found', {
          message: `The page has no event ${seq}`,
          remedy: 'GET its history lists those it has.',
        });
      const author = asAuthor(request);
      const restoreResult = deleted
        ? submitAsAuthor(workspace, { op: 'restore_page', page: id }, { ...author, part: 'restore' })
        : null;
      const acceptedWrite =
        oldText === null
          ? restoreResult!
          : submitAsAuthor(workspace, { op: 'update_page', page: id, text: oldText }, author);
      return toSaved(ports, id, acceptedWrite);
    },
  }),
  route({
    id: 'movePage',
    method: 'post',
    path: '/workspaces/{workspace}/pages/{page}/move',
    summary: 'Give a page another path, with everything below it; links to it follow',
    allowedRoles: authorOnly,
    effect: 'author',
    params: pageParams,
    body: z.strictObject({ to: path }).meta({ id: 'PageMove' }),
    answer: savedPage,
    errors: ['conflict'],
    handle(request, ports) {
      const workspace = requireWorkspace(request.params, ports);
      const { id } = requirePage(request.params, ports);
      const acceptedWrite = submitAsAuthor(
        workspace,
        { op: 'move_page', page: id, to: request.body.to },
        asAuthor(request),
      );
      return toSaved(ports, id, acceptedWrite);
    },
  }),
  route({
    id: 'listBlocks',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/blocks',
    summary: 'The blocks of a page in order, each with where it came from',
    allowedRoles: roles,
    effect: 'read',
    params: pageParams,
    query: listQuery.extend({ view }),
    answer: pageSchema(block),
    handle({ params, query: { limit, cursor, view: requestedView } }, ports) {
      const { world } = requireWorkspace(params, ports);
      const { blocks } = readPage(world, requirePage(params, ports), requestedView);
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const startIndex = after === undefined ? 0 : blocks.findIndex(({ id }) => id === after) + 1;
      return listPage(blocks.slice(startIndex), limit, ({ id }) => [id]);
    },
  }),
  route({
    id: 'getLinks',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/links',
    summary: 'Where the links of a page lead, and which pages lead to it',
    allowedRoles: roles,
    effect: 'read',
    params: pageParams,
    answer: z.strictObject({ links: z.array(link), backlinks: z.array(link) }),
    handle({ params }, ports) {
      const { world } = requireWorkspace(params, ports);
      const { id } = requirePage(params, ports);
      const findPath = (id: string | null) => (id === null ? null : (world.page(id)?.path ?? null));
      const toLink = (link: ReturnType<World['links']>[number]) => ({
        ...link,
        from_path: findPath(link.from_page),
        to_path: findPath(link.to),
      });
      return { links: world.links(id).map(toLink), backlinks: world.backlinks(id).map(toLink) };
    },
  }),
  route({
    id: 'listHistory',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/history',
    summary: 'What happened to a page and its blocks, newest first, with what was there before and after',
    allowedRoles: roles,
    effect: 'read',
    params: pageParams,
    query: listQuery,
    answer: pageSchema(worldEvent),
    async handle({ params, query: { limit, cursor } }, ports) {
      const { world } = requireWorkspace(params, ports);
      const { id } = requirePage(params, ports, { deleted: true });
      const [before] = readCursor(cursor, z.tuple([z.number().int()])) ?? [Number.MAX_SAFE_INTEGER];
      const foundEvents = await readPastCursor(
        (n) => world.history(id, n),
        ({ seq }) => seq < before,
        limit + 1,
      );
      return toEventsPage(foundEvents, limit);
    },
  }),
  route({
    id: 'getProvenance',
    method: 'get',
    path: '/workspaces/{workspace}/pages/{page}/provenance',
    summary: 'What a page and its blocks rest on, what rests on them, and what says: look again',
    allowedRoles: roles,
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
      const { world } = requireWorkspace(params, ports);
      const pageContent = readPage(world, requirePage(params, ports), 'all');
      const ids = [pageContent.id, ...pageContent.blocks.map(({ id }) => id)];
      const content = ids.map((id) => ({
        id,
        sources: listDerivations(world, id, 'sources'),
        derived: listDerivations(world, id, 'derived'),
      }));
      return {
        content: content.filter(({ sources, derived }) => sources.length + derived.length > 0),
        flags: ids.flatMap((id) => [...world.flags({ content: id, open: true })]),
      };
    },
  }),
];

/** Events as JSON, with the earlier texts. */
export function toEventsPage(foundEvents: readonly ReturnType<World['events']>[number][], limit: number) {
  const { items, next } = listPage(foundEvents, limit, ({ seq }) => [seq]);
  return { items: items.map((one) => one as unknown as z.input<typeof worldEvent>), next };
}
