/** The session, and routes about the whole workspace: events, search, settings. */
import { z } from 'zod';
import { provenances } from '../../../core/index.ts';
import type { WorldEvent } from '../../../world/index.ts';
import { roleForRuns, roles } from '../askers.ts';
import { cookieOf, endOfCookie } from '../cookie.ts';
import { streamOf } from '../feed/event-stream.ts';
import type { FedStep } from '../feed/feed-records.ts';
import type { TailPosition, WorkspaceEvent } from '../feed/workspace-tail.ts';
import { listOf, listPage, listQuery, readCursor } from '../lists.ts';
import { route } from '../route.ts';
import { workspaceEvent } from '../schemas/event-schemas.ts';
import { worldEvent } from '../schemas/schemas.ts';
import { inWorkspace, workspaceParams } from './in-workspace.ts';
import { eventsPage } from './pages.ts';

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

const noteOf = ({ seq, at, op, content_ids, caller, caller_kind, thread }: WorldEvent) => ({
  ...{ seq, at, op, content_ids, caller, caller_kind, thread },
});

const stepNote = ({ run, shape, thread, seq, at, event }: FedStep) => ({
  ...{ run, shape, thread, seq, at, event },
});

export const workspaceRoutes = [
  route({
    id: 'getSession',
    method: 'get',
    path: '/session',
    summary: 'Who asks, and over which workspace',
    may: roles,
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
    may: 'anybody',
    effect: 'write',
    body: z.strictObject({ code: z.string().min(1).max(200) }).meta({ id: 'Code' }),
    answer: session,
    handle({ body, headers }, { workspace, records, version }) {
      const { token, session: made } = records.openSession(body.code, workspace.id);
      const shown: z.input<typeof session> = { role: 'author', ...made, workspace: workspace.name, version };
      return Response.json(shown, { headers: { 'set-cookie': cookieOf(token, headers) } });
    },
  }),
  route({
    id: 'closeSession',
    method: 'delete',
    path: '/session',
    summary: 'Ends the session of a window',
    may: roles,
    effect: 'write',
    answer: z.strictObject({}),
    handle({ asker, headers }, { records }) {
      asker.end?.(records);
      return Response.json({}, { headers: { 'set-cookie': endOfCookie(headers) } });
    },
  }),
  route({
    id: 'listEvents',
    method: 'get',
    path: '/workspaces/{workspace}/log',
    summary: 'Everything that was written in the workspace, from the beginning',
    may: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: listOf(worldEvent),
    handle({ params, query: { limit, cursor } }, ports) {
      const { world } = inWorkspace(params, ports);
      const [after] = readCursor(cursor, z.tuple([z.number().int().min(0)])) ?? [0];
      return eventsPage(world.events(after, limit + 1), limit);
    },
  }),
  route({
    id: 'followEvents',
    method: 'get',
    path: '/events',
    summary:
      'What is written in the workspace and what its runs do, step by step, from now on or after Last-Event-ID',
    may: roles,
    effect: 'read',
    answer: {
      media: 'text/event-stream',
      of: 'each write by its name and each step of a run by its kind (`step_started`, `cell_finished` …), with the place in both logs as id',
      event: workspaceEvent,
    },
    errors: ['gone'],
    async handle({ headers, asker, signal, shown }, { workspace: { tail } }) {
      const given = headers.get('last-event-id');
      return streamOf<WorkspaceEvent, TailPosition>({
        tail,
        after: given === null ? await tail.head() : await tail.check(given),
        signal,
        idOf: ({ place }) => place,
        kindOf: (workspaceEvent) =>
          workspaceEvent.kind === 'write' ? workspaceEvent.write.op : workspaceEvent.step.event.kind,
        dataOf: (workspaceEvent) =>
          workspaceEvent.kind === 'write'
            ? noteOf(workspaceEvent.write)
            : shown(stepNote(workspaceEvent.step)),
        // Readers see only the runs of conversations.
        isFor: (workspaceEvent) =>
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
    may: roles,
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
    answer: listOf(hit).extend({
      completeness: z.enum(['complete', 'partial', 'unknown']).describe('of the search; notes say why'),
      notes: z.array(z.string()),
    }),
    async handle({ params, query: { q, limit, cursor, under, tag, view, wide }, signal }, ports) {
      const [from] = readCursor(cursor, z.tuple([z.number().int().min(0).max(10_000)])) ?? [0];
      const { search } = inWorkspace(params, ports);
      const { hits, completeness, notes } = await search({
        ...{ query: q, k: from + limit + 1, view, wide: wide === 'true', signal },
        ...(under !== undefined && { under }),
        ...(tag !== undefined && { tag: tag.replace(/^#/, '') }),
      });
      const { items, next } = listPage(
        hits.slice(from).map((pageHit) => ({ ...pageHit, blocks: [...pageHit.blocks] })),
        limit,
        () => [from + limit],
      );
      return { items, next, completeness, notes: [...notes] };
    },
  }),
  route({
    id: 'getConfig',
    method: 'get',
    path: '/config',
    summary: 'Every setting, its value and where that came from; keys stay hidden',
    may: ['operator', 'author'],
    effect: 'read',
    answer: z.strictObject({
      settings: z.record(z.string(), z.strictObject({ value: z.unknown(), source: z.string() })),
    }),
    handle: (_, { settings }) => ({ settings: { ...settings() } }),
  }),
];
