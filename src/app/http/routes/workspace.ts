/** The session, and routes about the whole workspace: events, search, settings. */
import { z } from 'zod';
import { provenances } from '../../../core/index.ts';
import type { WorldEvent } from '../../../world/index.ts';
import { roleForRuns, roles } from '../askers.ts';
import { createCookie, createExpiredCookie } from '../cookie.ts';
import { createEventStream } from '../feed/event-stream.ts';
import type { FeedStep } from '../feed/feed-records.ts';
import type { TailPosition, WorkspaceEvent } from '../feed/workspace-tail.ts';
import { listPage, listQuery, pageSchema, readCursor } from '../lists.ts';
import { route } from '../route.ts';
import { workspaceEvent } from '../schemas/event-schemas.ts';
import { worldEvent } from '../schemas/schemas.ts';
import { requireWorkspace, workspaceParams } from './in-workspace.ts';
import { toEventsPage } from './pages.ts';

const session = z
  .strictObject({
    role: z.enum(roles),
    name: z.string(),
    workspace: z.string(),
    expires: z
      .number()
      .nullable()
      .describe('milliseconds since the Unix epoch; null: until it is taken away'),
    version: z.string(),
  })
  .meta({ id: 'Session' });

const hit = z
  .object({
    page: z.string(),
    path: z.string(),
    title: z.string(),
    lifecycle: z.enum(['Draft', 'Candidate', 'Canonical']),
    blocks: z.array(z.string()),
    found_in: z.enum(['text', 'title', 'links']),
    snippet: z.string(),
    score: z.number().describe('comparable within one reply only'),
    provenance: z.enum(provenances).describe('how it was found'),
  })
  .meta({ id: 'PageHit' });

const toWriteNote = ({ seq, at, op, content_ids, caller, caller_kind, thread }: WorldEvent) => ({
  ...{ seq, at, op, content_ids, caller, caller_kind, thread },
});

const toStepNote = ({ run, shape, thread, seq, at, event }: FeedStep) => ({
  ...{ run, shape, thread, seq, at, event },
});

export const workspaceRoutes = [
  route({
    id: 'getSession',
    method: 'get',
    path: '/session',
    summary: 'Who asks, and over which workspace',
    allowedRoles: roles,
    effect: 'read',
    answer: session,
    handle: ({ asker: { role, name, expires } }, { workspace, version }) => ({
      role,
      name,
      workspace: workspace.name,
      expires,
      version,
    }),
  }),
  route({
    id: 'openSession',
    method: 'post',
    path: '/session',
    summary: 'Turns a code that works once into the cookie of a window',
    allowedRoles: 'anybody',
    effect: 'write',
    body: z.strictObject({ code: z.string().min(1).max(200) }).meta({ id: 'Code' }),
    answer: session,
    handle({ body, headers }, { workspace, records, version }) {
      const { token, session } = records.openSession(body.code, workspace.id);
      const shownSession: z.input<typeof session> = {
        role: 'author',
        ...session,
        workspace: workspace.name,
        version,
      };
      return Response.json(shownSession, { headers: { 'set-cookie': createCookie(token, headers) } });
    },
  }),
  route({
    id: 'closeSession',
    method: 'delete',
    path: '/session',
    summary: 'Ends the session of a window',
    allowedRoles: roles,
    effect: 'write',
    answer: z.strictObject({}),
    handle({ asker, headers }, { records }) {
      asker.end?.(records);
      return Response.json({}, { headers: { 'set-cookie': createExpiredCookie(headers) } });
    },
  }),
  route({
    id: 'listEvents',
    method: 'get',
    path: '/workspaces/{workspace}/log',
    summary: 'Everything that was written in the workspace, from the beginning',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: pageSchema(worldEvent),
    handle({ params, query: { limit, cursor } }, ports) {
      const { world } = requireWorkspace(params, ports);
      const [after] = readCursor(cursor, z.tuple([z.number().int().min(0)])) ?? [0];
      return toEventsPage(world.events(after, limit + 1), limit);
    },
  }),
  route({
    id: 'followEvents',
    method: 'get',
    path: '/events',
    summary:
      'What is written in the workspace and what its runs do, step by step, from now on or after Last-Event-ID',
    allowedRoles: roles,
    effect: 'read',
    answer: {
      media: 'text/event-stream',
      of: 'each write by its name and each step of a run by its kind (`step_started`, `cell_finished` …), with the place in both logs as id',
      event: workspaceEvent,
    },
    errors: ['gone'],
    async handle({ headers, asker, signal, maskForCaller }, { workspace: { tail } }) {
      const lastEventId = headers.get('last-event-id');
      return createEventStream<WorkspaceEvent, TailPosition>({
        tail,
        after: lastEventId === null ? await tail.head() : await tail.check(lastEventId),
        signal,
        toId: ({ place }) => place,
        toKind: (workspaceEvent) =>
          workspaceEvent.kind === 'write' ? workspaceEvent.write.op : workspaceEvent.step.event.kind,
        toData: (workspaceEvent) =>
          workspaceEvent.kind === 'write'
            ? toWriteNote(workspaceEvent.write)
            : maskForCaller(toStepNote(workspaceEvent.step)),
        // Readers see steps of conversations' runs only.
        isVisible: (workspaceEvent) =>
          workspaceEvent.kind === 'write' || !workspaceEvent.step.own || roleForRuns(asker) !== 'reader',
        mayListen: asker.mayListen,
      });
    },
  }),
  route({
    id: 'searchPages',
    method: 'get',
    path: '/workspaces/{workspace}/search',
    summary: 'The pages that tell most about a query',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      q: z.string().trim().min(1).max(1_000),
      under: z.string().min(1).max(1_000).optional().describe('only this page and what is below it'),
      tag: z.string().min(1).max(200).optional(),
      view: z
        .enum(['canonical', 'all'])
        .default('all')
        .describe('canonical: without what nobody has promoted'),
      wide: z
        .enum(['true', 'false'])
        .default('false')
        .describe('true: hundreds of hits, several of a page among them'),
    }),
    answer: pageSchema(hit).extend({
      completeness: z.enum(['complete', 'partial', 'unknown']).describe('of the search; notes say why'),
      notes: z.array(z.string()),
    }),
    async handle({ params, query: { q, limit, cursor, under, tag, view, wide }, signal }, ports) {
      const [start] = readCursor(cursor, z.tuple([z.number().int().min(0).max(10_000)])) ?? [0];
      const { search } = requireWorkspace(params, ports);
      const { hits, completeness, notes } = await search({
        ...{ query: q, k: start + limit + 1, view, wide: wide === 'true', signal },
        ...(under !== undefined && { under }),
        ...(tag !== undefined && { tag: tag.replace(/^#/, '') }),
      });
      const { items, next } = listPage(
        hits.slice(start).map((pageHit) => ({ ...pageHit, blocks: [...pageHit.blocks] })),
        limit,
        () => [start + limit],
      );
      return { items, next, completeness, notes: [...notes] };
    },
  }),
  route({
    id: 'getConfig',
    method: 'get',
    path: '/config',
    summary: 'Every setting, its value and where that came from; keys stay hidden',
    allowedRoles: ['operator', 'author'],
    effect: 'read',
    answer: z.strictObject({
      settings: z.record(z.string(), z.strictObject({ value: z.unknown(), source: z.string() })),
    }),
    handle: (_, { settings }) => ({ settings: { ...settings() } }),
  }),
];
