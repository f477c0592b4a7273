/** Runs over HTTP: their questions, their steps, and the lines that their answers cite as evidence. */
import { z } from 'zod';
import { type LoggedEvent, type RunResult, SondeError } from '../../../core/index.ts';
import { buildTrace, formatCells, formatReport, listEvidence, runState, treeOf } from '../../../core/runs.ts';
import { readBalance } from '../../../store/index.ts';
import { threadOf } from '../../agent/thread-runs.ts';
import { findKind } from '../../kinds/find-kind.ts';
import { safeJson } from '../../safe-json.ts';
import { roleForRuns, roles } from '../askers.ts';
import { createEventStream } from '../feed/event-stream.ts';
import { eventsGoneError, lastEventId } from '../feed/last-event.ts';
import { listPage, listQuery, offsetPage, pageSchema, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { type RouteRequest, route } from '../route.ts';
import { runStep } from '../schemas/event-schemas.ts';
import { call, claim, evidence, run, runEvent, runSummary, treeNode } from '../schemas/run-schemas.ts';
import type { VisibleRun } from '../visible-runs.ts';

const runParams = z.object({ run: z.string().min(1).max(200) });

const findVisibleRun = (
  { params, asker }: Pick<RouteRequest<{ run: string }>, 'params' | 'asker'>,
  { runs }: ApiPorts,
) => runs.find(roleForRuns(asker), params.run);

type Summary = z.input<typeof runSummary>;

async function readState({ row, store }: VisibleRun, { threads }: ApiPorts): Promise<Summary['state']> {
  if (row.status === 'finished') return 'finished';
  if (await store.runs.isHeld(row.id)) return 'running';
  return (await threads.isAsking(row)) ? 'waiting' : 'interrupted';
}

/** The number of claims. A result may list only some of them; then it has counts. */
const countClaims = ({ claims, claim_counts }: RunResult): number | null =>
  claim_counts === undefined
    ? (claims?.length ?? null)
    : Object.values(claim_counts).reduce((total, count) => total + count, 0);

/** The summary of a run. Does not read the run's log, since a list has many runs. */
async function readSummary(run: VisibleRun, ports: ApiPorts): Promise<Summary> {
  const { row, store } = run;
  const { id, shape, question, created, updated } = row;
  const lastEvent = (await store.lastEvent(id))?.event;
  const end = lastEvent?.kind === 'run_finished' ? lastEvent : null;
  return {
    ...{ id, shape, question, created, updated },
    state: await readState(run, ports),
    thread: threadOf(row) ?? null,
    status: end?.result.status ?? null,
    verdict: end?.incident?.verdict ?? null,
    claims: end === null ? null : countClaims(end.result),
    spent: end?.spent ?? (await readBalance(store, id))?.spent ?? {},
  };
}

const readLog = ({ row, store }: VisibleRun): Promise<readonly LoggedEvent[]> => store.events(row.id);

const findClaims = (log: readonly LoggedEvent[]) => {
  const { claims, result } = runState(log);
  return claims ?? result?.claims ?? null;
};

const missingPartError = (partName: string): SondeError =>
  new SondeError('not_found', {
    message: `The run has no ${partName}`,
    remedy: 'GET the run for what it has.',
  });

/** Files that are generated from the log, like those beside an answer. */
const artifacts = {
  'report.md': ['text/markdown; charset=utf-8', (log) => formatReport(log)],
  'cells.md': ['text/markdown; charset=utf-8', (log) => formatCells(log)],
  'trace.json': ['application/json', (log) => safeJson(buildTrace(log))],
  'evidence.json': ['application/json', (log) => safeJson(listEvidence(log))],
} as const satisfies Readonly<
  Record<string, readonly [media: string, of: (log: readonly LoggedEvent[]) => string]>
>;

type ArtifactName = keyof typeof artifacts;

export const runRoutes = [
  route({
    id: 'listRuns',
    method: 'get',
    path: '/runs',
    summary:
      'Runs, newest first: turns of the conversations, and for author and operator the person’s own runs',
    allowedRoles: roles,
    effect: 'read',
    query: listQuery,
    answer: pageSchema(runSummary),
    async handle({ query: { limit, cursor }, asker }, ports) {
      const after = readCursor(cursor, z.tuple([z.number(), z.string()]));
      const foundRuns = await ports.runs.list(roleForRuns(asker), { after, count: limit + 1 });
      const { items, next } = listPage(foundRuns, limit, ({ row }) => [row.created, row.id]);
      return { items: await Promise.all(items.map((run) => readSummary(run, ports))), next };
    },
  }),
  route({
    id: 'getRun',
    method: 'get',
    path: '/runs/{run}',
    summary: 'A run: its answer, what it spent, what there is of it',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    answer: run,
    async handle(request, ports) {
      const foundRun = await findVisibleRun(request, ports);
      const log = await readLog(foundRun);
      const { result, limits, spent, stop, resumed, step, evidence } = runState(log);
      return {
        ...(await readSummary(foundRun, ports)),
        status: result?.status ?? null,
        answer: result?.answer ?? null,
        stop_reason: stop,
        model: result?.model ?? null,
        limits,
        spent,
        steps: step,
        resumed,
        evidence: evidence.size,
        claims: findClaims(log)?.length ?? null,
        last_event: log.at(-1)?.seq ?? 0,
      };
    },
  }),
  route({
    id: 'getRunTree',
    method: 'get',
    path: '/runs/{run}/tree',
    summary: 'What a run consists of: nodes, cells, steps, calls, actions, in the order in which they began',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    query: listQuery,
    answer: pageSchema(treeNode),
    async handle(request, ports) {
      const nodes = treeOf(await readLog(await findVisibleRun(request, ports)));
      const { items, next } = offsetPage(nodes, request.query);
      return { items: items.map((node) => ({ ...node, evidence: [...node.evidence] })), next };
    },
  }),
  route({
    id: 'listRunEvents',
    method: 'get',
    path: '/runs/{run}/log',
    summary: 'The log of a run as a list, from its beginning; the cursor of an event is its number',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    query: listQuery,
    answer: pageSchema(runEvent),
    async handle(request, ports) {
      const { limit, cursor } = request.query;
      const { row, store } = await findVisibleRun(request, ports);
      const [after] = readCursor(cursor, z.tuple([z.number().int().min(0)])) ?? [0];
      const { items, next } = listPage(await store.events(row.id, after), limit, ({ seq }) => [seq]);
      return { items: items.map(({ seq, at, event }) => ({ seq, at, event: { ...event } })), next };
    },
  }),
  route({
    id: 'followRun',
    method: 'get',
    path: '/runs/{run}/events',
    summary:
      'The log of a run as it is written; ends with the event `end`. Last-Event-ID goes on after that event',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    answer: {
      media: 'text/event-stream',
      of: 'each event by its kind, with its number as id',
      event: runStep,
    },
    errors: ['gone'],
    async handle(request, ports) {
      const foundRun = await findVisibleRun(request, ports);
      const after = lastEventId(request.headers);
      const [next] = await foundRun.store.events(foundRun.row.id, after);
      // The numbers of events have no gaps, so missing events were pruned.
      if (next !== undefined && next.seq > after + 1) throw eventsGoneError(next.seq);
      return createEventStream<LoggedEvent, number>({
        tail: ports.runs.tail(foundRun),
        after,
        signal: request.signal,
        toId: ({ seq }) => String(seq),
        toKind: ({ event }) => event.kind,
        toData: ({ seq, at, event }) => request.maskForCaller({ seq, at, event }),
        isLast: ({ event }) => event.kind === 'run_finished' && event.resumable !== true,
        mayListen: request.asker.mayListen,
        isOver: next === undefined && foundRun.row.status === 'finished',
      });
    },
  }),
  route({
    id: 'listEvidence',
    method: 'get',
    path: '/runs/{run}/evidence',
    summary: 'Everything that a run read and may cite, with its lines',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    query: listQuery,
    answer: pageSchema(evidence),
    async handle(request, ports) {
      const { limit, cursor } = request.query;
      const allEvidence = listEvidence(await readLog(await findVisibleRun(request, ports)));
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const startIndex = after === undefined ? 0 : allEvidence.findIndex(({ id }) => id === after) + 1;
      return listPage(allEvidence.slice(startIndex), limit, ({ id }) => [id]);
    },
  }),
  route({
    id: 'getEvidence',
    method: 'get',
    path: '/runs/{run}/evidence/{evidence}',
    summary: 'One piece of evidence',
    allowedRoles: roles,
    effect: 'read',
    params: runParams.extend({ evidence: z.string().min(1).max(100) }),
    answer: evidence,
    async handle(request, ports) {
      const allEvidence = listEvidence(await readLog(await findVisibleRun(request, ports)));
      const foundEvidence = allEvidence.find(({ id }) => id === request.params.evidence);
      if (foundEvidence === undefined) throw missingPartError(`evidence ${request.params.evidence}`);
      return foundEvidence;
    },
  }),
  route({
    id: 'getClaims',
    method: 'get',
    path: '/runs/{run}/claims',
    summary: 'All that the answer claims, with what became of each; null where nobody checked it',
    allowedRoles: roles,
    effect: 'read',
    params: runParams,
    answer: z.strictObject({ claims: z.array(claim).nullable() }),
    async handle(request, ports) {
      const claims = findClaims(await readLog(await findVisibleRun(request, ports)));
      const claimCopies = claims?.map((claim) => ({
        ...claim,
        evidence: [...claim.evidence],
        flags: [...claim.flags],
      }));
      return { claims: claimCopies ?? null };
    },
  }),
  route({
    id: 'getCall',
    method: 'get',
    path: '/runs/{run}/calls/{call}',
    summary: 'One call to a model: its reply, tokens, cost',
    allowedRoles: roles,
    effect: 'read',
    params: runParams.extend({ call: z.string().min(1).max(300) }),
    answer: call,
    async handle(request, ports) {
      const { steps } = buildTrace(await readLog(await findVisibleRun(request, ports)));
      const foundCall = steps
        .flatMap(({ calls }) => calls)
        .find((traceCall) => traceCall.call === request.params.call);
      if (foundCall === undefined) throw missingPartError(`call ${request.params.call}`);
      return foundCall;
    },
  }),
  route({
    id: 'getArtifact',
    method: 'get',
    path: '/runs/{run}/artifacts/{artifact}',
    summary: 'A file of a run: its report, its trace, its evidence, its cells',
    allowedRoles: roles,
    effect: 'read',
    params: runParams.extend({
      artifact: z.enum(Object.keys(artifacts) as [ArtifactName, ...ArtifactName[]]),
    }),
    answer: { media: 'text/markdown', of: 'the file; those named .json are application/json' },
    async handle(request, ports) {
      const foundRun = await findVisibleRun(request, ports);
      const log = await readLog(foundRun);
      const [media, render] = artifacts[request.params.artifact];
      const end = log.at(-1)?.event;
      const kindReport =
        request.params.artifact === 'report.md' && end?.kind === 'run_finished'
          ? findKind(foundRun.row.shape)?.shown.report?.(end, log)
          : undefined;
      return new Response(kindReport ?? render(log), { headers: { 'content-type': media } });
    },
  }),
];
