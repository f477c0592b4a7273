/** Incidents: what was investigated, and the data of its chart. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import type { IncidentTypes } from '../../../tasks/index.ts';
import { type Asker, managerRoles, roleForRuns } from '../askers.ts';
import { listPage, listQuery, pageSchema, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import { incident, incidentSeries } from '../schemas/incident-schemas.ts';
import type { VisibleRun } from '../visible-runs.ts';

const incidentParams = z.object({ incident: z.string().min(1).max(200) });

async function readIncident({ row, store }: VisibleRun): Promise<z.input<typeof incident>> {
  const lastEvent = (await store.lastEvent(row.id))?.event;
  const result = lastEvent?.kind === 'run_finished' ? (lastEvent.incident ?? null) : null;
  const { id, question, created, updated } = row;
  return {
    id,
    question,
    created,
    updated,
    verdict: result?.verdict ?? null,
    incident: result && { ...result },
  };
}

/** Throws `not_found` if the run is no incident. */
async function findIncident(
  { params, asker }: { readonly params: { readonly incident: string }; readonly asker: Asker },
  { runs }: Pick<ApiPorts, 'runs'>,
): Promise<VisibleRun> {
  const run = await runs.find(roleForRuns(asker), params.incident);
  if (run.row.shape === 'incident') return run;
  throw new SondeError('not_found', {
    message: `${params.incident} is a run of the kind ${run.row.shape}, and no incident`,
    remedy: `GET /api/v1/runs/${params.incident} shows it.`,
  });
}

/** Maximum changes in a chart. */
const maxChanges = 100;

export const incidentRoutes = [
  route({
    id: 'listIncidents',
    method: 'get',
    path: '/incidents',
    summary: 'Incidents that were investigated, newest first, with their verdicts',
    allowedRoles: managerRoles,
    effect: 'read',
    query: listQuery,
    answer: pageSchema(incident.omit({ incident: true })),
    async handle({ query: { limit, cursor }, asker }, { runs }) {
      const after = readCursor(cursor, z.tuple([z.number(), z.string()]));
      const foundRuns = await runs.list(roleForRuns(asker), { after, count: limit + 1, shape: 'incident' });
      const { items, next } = listPage(foundRuns, limit, ({ row }) => [row.created, row.id]);
      return { items: await Promise.all(items.map(readIncident)), next };
    },
  }),
  route({
    id: 'getIncident',
    method: 'get',
    path: '/incidents/{incident}',
    summary: 'An incident whole: verdict, cause, links, claims, what was asked',
    allowedRoles: managerRoles,
    effect: 'read',
    params: incidentParams,
    answer: incident,
    handle: async (request, ports) => readIncident(await findIncident(request, ports)),
  }),
  route({
    id: 'getIncidentSeries',
    method: 'get',
    path: '/incidents/{incident}/series',
    summary:
      'What a chart of an incident shows, on one axis of time: series, onset, changes, first failure. Out of what the run recorded; no system is asked',
    allowedRoles: managerRoles,
    effect: 'read',
    params: incidentParams,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(24).describe('series'),
      points: z.coerce.number().int().min(2).max(2_000).default(400).describe('of one series'),
    }),
    answer: incidentSeries,
    async handle(request, ports) {
      const { row, store } = await findIncident(request, ports);
      const [log, journal, { createChart }] = await Promise.all([
        store.events(row.id),
        store.openRecorded(row.id),
        import('../../../tasks/incident/index.ts'),
      ]);
      const { limit, points } = request.query;
      const params = row.params as unknown as IncidentTypes['params'];
      const chart = createChart({ params, log, journal }, { series: limit, points, changes: maxChanges });
      // Pruning leaves the first and the last event of a log.
      const isKept = row.status !== 'finished' || log.length > 2;
      return structuredClone({ id: row.id, kept: isKept, ...chart }) as z.input<typeof incidentSeries>;
    },
  }),
];
