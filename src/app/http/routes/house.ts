/** What runs by itself, what is remembered, what was spent. */
import { z } from 'zod';
import { resources, zero } from '../../../core/index.ts';
import { runState } from '../../../core/runs.ts';
import { balanceOf } from '../../agent/thread-runs.ts';
import { keepers, roles } from '../askers.ts';
import { inWorkspace, workspaceParams } from '../in-workspace.ts';
import { listOf, listPage, listQuery, readCursor } from '../lists.ts';
import { route } from '../route.ts';

const time = z.number().describe('milliseconds since the Unix epoch');
const amounts = z.partialRecord(z.enum(resources), z.number());
const from = z.tuple([z.number().int().min(0)]);

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
    enabled: z.boolean(),
    next: time.nullable(),
    created: time,
    last: z.object({ due: time, state: z.string(), note: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'Schedule' });

const remembered = z
  .object({
    id: z.string(),
    tier: z.string(),
    within: z.string().nullable(),
    key: z.string(),
    text: z.string(),
    created: time,
    updated: time,
    writer: z.string(),
    origins: z.array(z.string()),
    held: z.boolean().describe('it waits for its owner'),
  })
  .meta({ id: 'MemoryItem' });

const spent = z.strictObject({ key: z.string(), runs: z.number().int(), spent: amounts });

/** Runs that are added up: of more, the newest. */
const maxRuns = 1_000;

export const houseRoutes = [
  route({
    id: 'listSchedules',
    method: 'get',
    path: '/workspaces/{workspace}/schedules',
    summary: 'Turns that start by themselves: when next, and what came of the last',
    may: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: listOf(schedule),
    async handle({ params, query: { limit, cursor } }, ports) {
      inWorkspace(params, ports);
      const { schedules } = ports;
      const [start] = readCursor(cursor, from) ?? [0];
      const { items, next } = listPage((await schedules.list()).slice(start), limit, () => [start + limit]);
      const shown = items.map(async ({ trigger, ...row }) => {
        const [last = null] = await schedules.fires(row.id, 1);
        const due = last && { due: last.due, state: last.state, note: last.note };
        const when = trigger.kind === 'event' ? { ...trigger, names: [...trigger.names] } : trigger;
        return { ...row, trigger: when, last: due };
      });
      return { items: await Promise.all(shown), next };
    },
  }),
  route({
    id: 'listMemory',
    method: 'get',
    path: '/workspaces/{workspace}/memory',
    summary: 'What agents remember, newest first; of its owner alone',
    may: ['author'],
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: listOf(remembered),
    async handle({ params, query: { limit, cursor } }, ports) {
      inWorkspace(params, ports);
      const [start] = readCursor(cursor, from) ?? [0];
      const all = (await ports.memory()).everything();
      const { items, next } = listPage(all.slice(start), limit, () => [start + limit]);
      return { items: items.map((one) => ({ ...one, origins: [...one.origins] })), next };
    },
  }),
  route({
    id: 'getSpend',
    method: 'get',
    path: '/spend',
    summary: 'What the last thousand runs spent, by kind of run and by day (UTC)',
    may: keepers,
    effect: 'read',
    answer: z.strictObject({ runs: z.number().int(), shapes: z.array(spent), days: z.array(spent) }).meta({
      id: 'Spend',
    }),
    async handle({ asker }, { runs }) {
      const found = await runs.list(asker.role, { after: null, count: maxRuns });
      const rows = await Promise.all(
        found.map(async ({ row, store }) => ({
          shape: row.shape,
          day: new Date(row.created).toISOString().slice(0, 10),
          // Of a run that was settled what it says itself: its account may be gone.
          spent: (await balanceOf(store, row.id))?.spent ?? runState(await store.events(row.id)).spent,
        })),
      );
      const by = (key: (one: (typeof rows)[number]) => string): z.input<typeof spent>[] =>
        [...Map.groupBy(rows, key)].map(([name, of]) => ({
          key: name,
          runs: of.length,
          spent: Object.fromEntries(
            resources.map((resource) => [
              resource,
              of.reduce((sum, one) => sum + one.spent[resource], zero[resource]),
            ]),
          ),
        }));
      return { runs: rows.length, shapes: by(({ shape }) => shape), days: by(({ day }) => day) };
    },
  }),
];
