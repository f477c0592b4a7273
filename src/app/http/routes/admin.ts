/** Schedules, tokens and pruning over HTTP. Operators may use these routes; none of them decides on a page. */
import { z } from 'zod';
import { resources, SondeError } from '../../../core/index.ts';
import type { Actor, ScheduleRow } from '../../../store/index.ts';
import { parseDuration } from '../../config/index.ts';
import type { ScheduleFlags } from '../../schedules.ts';
import { tokenName } from '../../tokens/tokens.ts';
import { type Asker, actorOf, managerRoles, roles } from '../askers.ts';
import { listQuery, offsetPage, pageSchema } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import type { TokenUse } from '../workspace-tokens.ts';
import { requireWorkspace, workspaceParams } from './in-workspace.ts';

const time = z.number().describe('milliseconds since the Unix epoch');
const amounts = z.partialRecord(z.enum(resources), z.number());
const duration = z.string().regex(/^\d{1,9}(ms|s|m|h|d)$/);

const schedule = z
  .object({
    id: z.string(),
    trigger: z.union([
      z.object({ kind: z.literal('cron'), expression: z.string(), zone: z.string() }),
      z.object({ kind: z.literal('interval'), everyMs: z.number() }),
      z.object({ kind: z.literal('event'), names: z.array(z.string()) }),
    ]),
    prompt: z.string(),
    thread: z.string().nullable().describe('null: a new one each time'),
    missed: z.enum(['skip', 'once', 'all']),
    limits: amounts,
    paths: z.array(z.string()).optional().describe('only for pages at such paths'),
    gatherMs: z.number().optional().describe('writes are one event once none came for so long'),
    together: z
      .object({
        running: z.number().optional(),
        perDay: z.number().optional(),
        usdPerDay: z.number().optional(),
      })
      .optional()
      .describe('limits of all its turns'),
    enabled: z.boolean(),
    next: time.nullable(),
    created: time,
    last: z.object({ due: time, state: z.string(), note: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'Schedule' });

const newSchedule = z
  .strictObject({
    id: z.string().min(1).max(100),
    prompt: z.string().trim().min(1).max(100_000).describe('what the turn starts with'),
    cron: z.string().max(200).optional().describe('five fields; or every, or on'),
    zone: z.string().max(100).optional().describe('with cron'),
    every: duration.optional(),
    on: z.array(z.string().max(100)).min(1).max(50).optional().describe('names of writes'),
    paths: z.array(z.string().min(1).max(1_000)).min(1).max(50).optional().describe('with on'),
    gather: duration.optional().describe('with on'),
    thread: z.string().max(100).optional(),
    missed: z.enum(['skip', 'once', 'all']).optional(),
    jitter: duration.optional(),
    max_running: z.int().min(1).max(100).optional(),
    max_per_day: z.int().min(1).max(100_000).optional(),
    max_usd_per_day: z.number().positive().max(1e6).optional(),
    max_tokens: z.int().min(1).max(1e12).optional(),
    max_usd: z.number().min(0).max(1e6).optional(),
    max_time: duration.optional(),
  })
  .meta({ id: 'NewSchedule' });

const scheduleParams = workspaceParams.extend({ schedule: z.string().min(1).max(100) });

/** The same flags as on the command line. */
function toFlags(body: z.output<typeof newSchedule>): ScheduleFlags {
  const toText = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : String(value);
  const { cron, zone, every, on, paths, gather, thread, missed, jitter } = body;
  const all = {
    ...{ cron, zone, every, on, paths, gather, thread, missed, jitter },
    maxRunning: toText(body.max_running),
    maxPerDay: toText(body.max_per_day),
    maxUsdPerDay: toText(body.max_usd_per_day),
    maxTokens: toText(body.max_tokens),
    maxUsd: toText(body.max_usd),
    maxTime: body.max_time,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function toApiSchedule(
  { trigger, paths, together, ...row }: ScheduleRow,
  { scheduling: { schedules } }: ApiPorts,
): Promise<z.input<typeof schedule>> {
  const [last = null] = await schedules.fires(row.id, 1);
  return {
    ...row,
    trigger: trigger.kind === 'event' ? { ...trigger, names: [...trigger.names] } : trigger,
    ...(paths !== undefined && { paths: [...paths] }),
    ...(together !== undefined && { together: { ...together } }),
    last: last && { due: last.due, state: last.state, note: last.note },
  };
}

/** Loads the code of schedules when a schedule is first changed. */
const loadSchedules = () => import('../../schedules.ts');

const listedToken = z
  .object({
    name: z.string(),
    workspace: z.string().nullable(),
    alerts: z.boolean().describe('it is for who sends alerts'),
    allow: z.string().nullable().describe('the set of what it may do; null: it sends alerts'),
    author: z.boolean().describe('it is held by the person whose workspace it is'),
    sender: z.string().nullable(),
    created: z.string(),
  })
  .meta({ id: 'Token' });

const madeToken = listedToken.extend({ token: z.string().describe('told once') }).meta({ id: 'MadeToken' });

const name = z.string().regex(tokenName);
const newToken = z
  .union([
    z.strictObject({ name, role: z.enum(roles).describe('for this interface') }),
    z.strictObject({
      name,
      allow: z.enum(['external', 'read-only', 'agent']).describe('tools of the workspace, for a program'),
    }),
    z.strictObject({
      name,
      alerts: z.literal(true).describe('for who sends alerts'),
      sender: z.string().min(1).max(40).optional().describe('none: any'),
    }),
  ])
  .meta({ id: 'NewToken' });

const toTokenUse = (body: z.output<typeof newToken>): TokenUse =>
  'role' in body
    ? { role: body.role }
    : 'allow' in body
      ? { allow: body.allow }
      : { sender: body.sender ?? null };

/** Throws `bad_argument` for an unknown sender. */
async function checkSender(sender: string): Promise<void> {
  const { senders } = await import('../../../tasks/incident/index.ts');
  if (senders.some((known) => known === sender)) return;
  throw new SondeError('bad_argument', {
    message: `There is no sender ${JSON.stringify(sender)}`,
    remedy: `It may be ${senders.join(', ')}.`,
  });
}

/** Throws if a caller makes or revokes a token with more rights than its own. */
function requireRights({ role }: Pick<Asker, 'role'>, isMore: boolean, action: string): void {
  if (role === 'author' || !isMore) return;
  throw new SondeError('forbidden', {
    message: `An operator does not ${action}`,
    remedy: 'The person whose workspace it is does: with sonde token, or with a token of the role author.',
  });
}

/**
 * Throws if a provider signed the caller in. A token that such a caller made would belong to no team, and would stay
 * valid after the caller has left the team or the provider has revoked the access token.
 */
function requireOwnToken({ isSignedIn }: Pick<Asker, 'isSignedIn'>): void {
  if (!isSignedIn) return;
  throw new SondeError('forbidden', {
    message: 'Whoever comes in with an access token of a provider makes, sees and takes away no tokens',
    remedy:
      'A program gets an access token from the provider, too; sonde token add on the machine of this server makes one of its own.',
  });
}

const terms = {
  older_than: duration.optional().describe('only what was unused for so long; 30d, unless keep is given'),
  keep: z.coerce.number().int().min(0).max(1e9).optional().describe('the newest finished runs that stay'),
};

function toPruneTerms({
  older_than,
  keep,
}: {
  readonly older_than?: string | undefined;
  readonly keep?: number | undefined;
}) {
  const age = older_than ?? (keep === undefined ? '30d' : null);
  return { olderThan: age === null ? null : parseDuration(age), keep: keep ?? 0 };
}

const pruneReport = z
  .object({
    removed: z.boolean().describe('false: this is what would go'),
    runs: z.array(
      z.object({
        run_id: z.string(),
        workspace: z.string().nullable(),
        created: z.string(),
        question: z.string(),
        bytes: z.number(),
      }),
    ),
    indexes: z.array(
      z.object({ folder: z.string(), root: z.string().nullable(), used: z.string(), bytes: z.number() }),
    ),
    kept: z.object({ unfinished: z.number(), behind_pages: z.number(), recent: z.number() }),
    bytes: z.number(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'Pruned' });

/** Throws for a member of a team: pruning would remove runs of all teams that share the store. */
function requireNoTeam({ team }: Pick<Asker, 'team'>): void {
  if (team === '') return;
  throw new SondeError('forbidden', {
    message: `A member of team ${team} does not prune what other teams have, too`,
    remedy: 'sonde prune on a machine with the store does, or a token of sonde token add.',
  });
}

async function runPrune(
  terms: Parameters<typeof toPruneTerms>[0],
  isRemoval: boolean,
  { prune, clock }: ApiPorts,
  actor?: Actor,
): Promise<z.input<typeof pruneReport>> {
  const { removed, runs, indexes, kept, bytes, notes } = await prune({
    terms: toPruneTerms(terms),
    remove: isRemoval,
    now: clock.now(),
    ...(actor && { by: actor }),
  });
  return { removed, runs: [...runs], indexes: [...indexes], kept, bytes, notes: [...notes] };
}

export const adminRoutes = [
  route({
    id: 'listSchedules',
    method: 'get',
    path: '/workspaces/{workspace}/schedules',
    summary: 'Turns that start by themselves: when next, and what came of the last',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: pageSchema(schedule).extend({
      ready: z
        .array(z.object({ id: z.string(), about: z.string(), cron: z.string() }))
        .describe('those that come ready and were not switched on yet'),
    }),
    async handle({ params, query }, ports) {
      requireWorkspace(params, ports);
      const rows = await ports.scheduling.schedules.list();
      const { builtInSchedules } = await import('../../ready-schedules.ts');
      const { items, next } = offsetPage(rows, query);
      return {
        items: await Promise.all(items.map((row) => toApiSchedule(row, ports))),
        next,
        ready: builtInSchedules
          .filter(({ id }) => !rows.some((row) => row.id === id))
          .map(({ id, about, cron }) => ({ id, about, cron })),
      };
    },
  }),
  route({
    id: 'addSchedule',
    method: 'post',
    path: '/workspaces/{workspace}/schedules',
    summary: 'A schedule: turns that start at a time, or at an event of the workspace',
    allowedRoles: managerRoles,
    effect: 'write',
    params: workspaceParams,
    body: newSchedule,
    answer: schedule,
    status: 201,
    async handle({ params, body, asker }, ports) {
      requireWorkspace(params, ports);
      const { addSchedule, parseSchedule } = await loadSchedules();
      const schedule = parseSchedule(body.id, body.prompt, toFlags(body));
      return toApiSchedule(await addSchedule(ports.scheduling, schedule, actorOf(asker)), ports);
    },
  }),
  route({
    id: 'tryScheduleOut',
    method: 'post',
    path: '/workspaces/{workspace}/schedules/dry-run',
    summary: 'What a schedule would have started in the last seven days; none is added',
    allowedRoles: managerRoles,
    effect: 'write',
    params: workspaceParams,
    body: newSchedule,
    answer: z.strictObject({
      starts: z
        .array(
          z.object({
            at: time,
            event: z.object({ name: z.string(), paths: z.array(z.string()) }).nullable(),
            held: z.string().nullable().describe('why it would not have started'),
          }),
        )
        .describe('the last thousand'),
      total: z.number().int(),
    }),
    async handle({ params, body }, ports) {
      const { world } = requireWorkspace(params, ports);
      const [{ checkNewSchedule, parseSchedule }, { dryRun }] = await Promise.all([
        loadSchedules(),
        import('../../serve/dry-run.ts'),
      ]);
      const schedule = parseSchedule(body.id, body.prompt, toFlags(body));
      await checkNewSchedule(ports.scheduling, schedule);
      const allStarts = dryRun(schedule, world, ports.clock.now());
      const starts = allStarts
        .slice(-1_000)
        .map(({ event, ...one }) => ({ ...one, event: event && { ...event, paths: [...event.paths] } }));
      return { starts, total: allStarts.length };
    },
  }),
  route({
    id: 'switchSchedule',
    method: 'patch',
    path: '/workspaces/{workspace}/schedules/{schedule}',
    summary:
      'Switches a schedule on or off; morning-digest, drift-digest and memory-consolidation come ready',
    allowedRoles: managerRoles,
    effect: 'write',
    params: scheduleParams,
    body: z.strictObject({ enabled: z.boolean() }).meta({ id: 'ScheduleSwitch' }),
    answer: schedule,
    async handle({ params, body, asker }, ports) {
      requireWorkspace(params, ports);
      const { enableSchedule } = await loadSchedules();
      const row = await enableSchedule(ports.scheduling, params.schedule, body.enabled, actorOf(asker));
      return toApiSchedule(row, ports);
    },
  }),
  route({
    id: 'runSchedule',
    method: 'post',
    path: '/workspaces/{workspace}/schedules/{schedule}/run',
    summary:
      'Starts the turn of a schedule now, due or not; its next time stays. GET the events of its thread follows it',
    allowedRoles: managerRoles,
    effect: 'write',
    params: scheduleParams,
    answer: z.strictObject({ schedule: z.string(), thread: z.string(), message_id: z.string() }),
    status: 202,
    async handle({ params }, ports) {
      requireWorkspace(params, ports);
      const { thread, message } = await ports.startSchedule(params.schedule);
      return { schedule: params.schedule, thread, message_id: message };
    },
  }),
  route({
    id: 'removeSchedule',
    method: 'delete',
    path: '/workspaces/{workspace}/schedules/{schedule}',
    summary: 'Removes a schedule; what it started stays',
    allowedRoles: managerRoles,
    effect: 'write',
    params: scheduleParams,
    answer: z.strictObject({ removed: z.string() }),
    async handle({ params, asker }, ports) {
      requireWorkspace(params, ports);
      await ports.scheduling.schedules.remove(params.schedule, actorOf(asker));
      return { removed: params.schedule };
    },
  }),
  route({
    id: 'listTokens',
    method: 'get',
    path: '/tokens',
    summary: 'Tokens of this workspace, and of those who send alerts; never what they are made of',
    allowedRoles: managerRoles,
    effect: 'read',
    query: listQuery,
    answer: pageSchema(listedToken),
    handle({ query, asker }, { tokens }) {
      requireOwnToken(asker);
      return offsetPage(tokens.list(), query);
    },
  }),
  route({
    id: 'addToken',
    method: 'post',
    path: '/tokens',
    summary:
      'A token, told once; an operator makes none that may more than an operator, and none is made with an access token of a provider',
    allowedRoles: managerRoles,
    effect: 'write',
    body: newToken,
    answer: madeToken,
    status: 201,
    async handle({ body, asker }, { tokens }) {
      requireOwnToken(asker);
      const tokenUse = toTokenUse(body);
      if ('sender' in tokenUse && tokenUse.sender !== null) await checkSender(tokenUse.sender);
      const isMore =
        'role' in tokenUse
          ? tokenUse.role === 'author'
          : 'allow' in tokenUse && tokenUse.allow !== 'read-only';
      requireRights(asker, isMore, 'make a token that may more than an operator');
      // The token itself is sent once, and not stored for a repeated request.
      const createdToken = madeToken.parse(tokens.add(body.name, tokenUse, actorOf(asker)));
      return Response.json(createdToken, { status: 201, headers: { 'cache-control': 'no-store' } });
    },
  }),
  route({
    id: 'removeToken',
    method: 'delete',
    path: '/tokens/{token}',
    summary: 'Takes a token away: it opens nothing from then on, and its streams end',
    allowedRoles: managerRoles,
    effect: 'write',
    params: z.object({ token: name }),
    query: z.strictObject({ alerts: z.enum(['true', 'false']).default('false') }),
    answer: listedToken,
    handle({ params, query, asker }, { tokens }) {
      requireOwnToken(asker);
      const alerts = query.alerts === 'true';
      const { author, allow } = tokens.find(params.token, alerts);
      const isMore = author || (allow !== null && !['read-only', 'operator', 'external'].includes(allow));
      requireRights(asker, isMore, 'take away a token that may more than an operator');
      return tokens.remove(params.token, alerts, actorOf(asker));
    },
  }),
  route({
    id: 'previewPrune',
    method: 'get',
    path: '/prune',
    summary: 'Which finished runs and unused indexes would go',
    allowedRoles: managerRoles,
    effect: 'read',
    query: z.strictObject(terms),
    answer: pruneReport,
    handle({ query, asker }, ports) {
      requireNoTeam(asker);
      return runPrune(query, false, ports);
    },
  }),
  route({
    id: 'prune',
    method: 'post',
    path: '/prune',
    summary: 'Removes finished runs and unused indexes; what runs, waits or carries a page stays',
    allowedRoles: managerRoles,
    effect: 'write',
    body: z.strictObject(terms).meta({ id: 'PruneTerms' }),
    answer: pruneReport,
    handle({ body, asker }, ports) {
      requireNoTeam(asker);
      return runPrune(body, true, ports, actorOf(asker));
    },
  }),
];
