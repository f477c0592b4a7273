/** Starts, cancels and resumes runs over HTTP. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import type { RunnerSetting } from '../../runs/perform-run.ts';
import { type Asker, actorOf, managerRoles, roleForRuns } from '../askers.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';

const question = z.string().trim().min(1).max(1_000_000);
const scope = z.string().min(1).max(4_000).optional().describe('comma-separated globs, ! excludes');
const limits = {
  max_tokens: z.int().min(1).optional(),
  max_usd: z.number().min(0).optional(),
  max_time: z
    .string()
    .regex(/^\d{1,6}(ms|s|m|h)$/)
    .optional(),
};

const newRun = z
  .discriminatedUnion('shape', [
    z.strictObject({
      shape: z.literal('ask'),
      params: z.strictObject({ question, scope, ...limits }),
    }),
    z.strictObject({
      shape: z.literal('investigate'),
      params: z.strictObject({
        question,
        scope,
        over: z.enum(['workspace', 'code']).default('workspace'),
        ...limits,
      }),
    }),
    z.strictObject({
      shape: z.literal('incident'),
      params: z.strictObject({ alert: question.describe('as it was sent, or in your own words'), ...limits }),
    }),
  ])
  .meta({ id: 'NewRun' });

type NewRun = z.output<typeof newRun>;

/** Throws `run_state` if the server was started without a folder of code. */
function requireCodeFolder({ workspace: { code } }: Pick<ApiPorts, 'workspace'>): string {
  if (code !== null) return code.folder;
  throw new SondeError('run_state', {
    message: 'This server was started without a folder of code',
    remedy: 'Start it with --code FOLDER.',
  });
}

export function toRunnerSetting(newRun: NewRun, ports: Pick<ApiPorts, 'workspace'>): RunnerSetting {
  const { max_tokens, max_usd, max_time } = newRun.params;
  const settings = {
    ...(max_tokens !== undefined && { max_tokens }),
    ...(max_usd !== undefined && { max_usd }),
    ...(max_time !== undefined && { max_time }),
  };
  if (newRun.shape === 'incident')
    return { shape: 'incident', request: { alert: newRun.params.alert, settings } as never };
  const { question: text, scope: within } = newRun.params;
  const scopeOption = within === undefined ? {} : { scope: within };
  if (newRun.shape === 'ask')
    return {
      shape: 'research',
      request: { question: text, root: requireCodeFolder(ports), ...scopeOption, settings } as never,
    };
  const target =
    newRun.params.over === 'code' ? { root: requireCodeFolder(ports) } : { workspace: ports.workspace.file };
  return { shape: 'investigation', request: { prompt: text, ...target, ...scopeOption, settings } as never };
}

const runParams = z.object({ run: z.string().min(1).max(200) });
const runStarted = z.strictObject({ run: z.string() });
const controlRoute = { method: 'post', allowedRoles: managerRoles, effect: 'write', status: 202 } as const;

/** Operators may begin incidents only; all other kinds need the author. */
function requireIncident({ role }: Pick<Asker, 'role'>, shape: string): void {
  if (role === 'author' || shape === 'incident') return;
  throw new SondeError('forbidden', {
    message: `An operator begins, ends and resumes incidents, and no ${shape}`,
    remedy: 'Take a token of the role author.',
  });
}

export const runControlRoutes = [
  route({
    ...controlRoute,
    id: 'startRun',
    path: '/runs',
    summary:
      'Begin a run: a question over the code, an investigation, an incident; GET its events follows it',
    body: newRun,
    answer: runStarted,
    errors: ['run_state', 'tool_failed', 'model_config'],
    async handle({ body, asker }, ports) {
      requireIncident(asker, body.shape);
      ports.starter.requireStart?.();
      const setting = toRunnerSetting(body, ports);
      const actor = actorOf(asker);
      return {
        run: await ports.starter.start(
          'request' in setting ? { ...setting, request: { ...setting.request, by: actor } } : setting,
        ),
      };
    },
  }),
  route({
    ...controlRoute,
    id: 'cancelRun',
    path: '/runs/{run}/cancel',
    summary: 'End a run that was begun here; it can be resumed',
    params: runParams,
    answer: runStarted,
    errors: ['run_state'],
    async handle({ params, asker }, { runs, starter, audit }) {
      const { row } = await runs.find(roleForRuns(asker), params.run);
      requireIncident(asker, row.shape);
      starter.cancel(row.id);
      await audit.recordAct({ act: 'run_cancelled', on: row.id }, actorOf(asker));
      return { run: row.id };
    },
  }),
  route({
    ...controlRoute,
    id: 'resumeRun',
    path: '/runs/{run}/resume',
    summary: 'Go on with a run that was cancelled or killed; nothing is paid twice',
    params: runParams,
    answer: runStarted,
    errors: ['run_state', 'tool_failed', 'model_config'],
    async handle({ params, asker }, { runs, starter }) {
      const { row } = await runs.find(roleForRuns(asker), params.run);
      requireIncident(asker, row.shape);
      if (row.status === 'finished')
        throw new SondeError('run_state', {
          message: `${row.id} has ended`,
          remedy: 'GET the run has its answer; begin another one.',
        });
      return { run: await starter.start({ resume: row.id }) };
    },
  }),
];
