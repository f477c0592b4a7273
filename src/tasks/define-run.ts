/**
 * A kind of run, defined once: its request, its limits, its work and its result. Starting, resuming, replaying and
 * reading a result then work the same for every kind. The author of a kind must not: keep state between processes,
 * write except through the life, or use an answer from outside before it is recorded. So a replay is the same work
 * over the recorded answers.
 */

import { type Amounts, createRunId, type Journal, type Limits, systemClock } from '../core/index.ts';
import { addOverspendNotes } from '../core/runs.ts';
import type { Actor, Lease, NewRun, RunRow, RunTable, Store } from '../store/index.ts';
import { recordModels, replayLife } from './replay-life.ts';
import { type LifeSetting, type LifeWork, type LiveRun, runLife } from './run-life.ts';
import { type RunEnd, readRunEnd, readRunRow, readStoppedEnd } from './run-row.ts';
import type { RunTask, TaskSetting } from './run-task.ts';
import type { TaskShape } from './shape.ts';

/** The fields that a request of any kind of run has. */
export interface RunRequest {
  /** The id of the new run; by default a fresh one. Throws `run_state` if a run has it already. */
  readonly id?: string;
  /** The subject of the run, for lists: a folder, the file of a workspace, or the systems. */
  readonly root: string;
  /** Who starts it; absent: it is part of another run. */
  readonly by?: Actor;
  /** False: only the question and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** Other values that the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What the row of every kind of run stores, so that the run can be started again. */
export interface RunParams {
  /** The model's name. */
  readonly model: string;
  readonly store_artifacts: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The types of one kind of run. */
export interface RunTypes {
  readonly request: RunRequest;
  readonly params: RunParams;
  /** Connections to the outside: models, material, systems. */
  readonly ports: { readonly models: { readonly planner: { readonly name: string } } };
  readonly end: RunEnd;
  /** What a replay needs besides the store. */
  readonly given: unknown;
  readonly replayed: RunEnd;
  /** What a conversation provides to a run that its planner starts. */
  readonly offer: unknown;
}

export interface RunHandle<Params> {
  readonly row: RunRow;
  readonly params: Params;
  /** All runs of the store. */
  readonly runs: Pick<RunTable, 'list' | 'isHeld'>;
  /** Returns the result of another run of the store. Throws `run_state` if that run has not ended. */
  readonly ended: (run: string) => Promise<RunEnd>;
}

/** A finished run that is being replayed. */
export interface RecordedRun<Types extends RunTypes> extends RunHandle<Types['params']> {
  readonly store: Store;
  readonly recordedEnd: Types['end'];
  readonly journal: Pick<Journal, 'recall'>;
  readonly given: Types['given'];
}

export interface RunDefinition<Types extends RunTypes> {
  readonly shape: string;
  /**
   * The run's question, and the fields of the request that its row stores besides the common ones. Throws
   * `bad_argument` and the like before anything is written.
   */
  params(
    request: Types['request'],
    setting: CreationSetting<Types>,
  ): { readonly question: string; readonly params: Omit<Types['params'], keyof RunParams> };
  /** The limits of the pool, and the part reserved for the end. */
  limits(params: Types['params']): { readonly limits: Limits; readonly reserve: Amounts };
  /** A shorter form of the parameters for the log, if those of the row are too long. */
  paramsForLog?(params: Types['params']): Readonly<Record<string, unknown>>;
  work(run: RunHandle<Types['params']>, ports: Types['ports'], life: LiveRun): Promise<Types['end']>;
  /** The result of an ended run, from its log. Throws `run_state` if it is not of this kind. */
  result(end: RunEnd, run: string): Types['end'];
  /** A journal key that every run of this kind has. A run without it recorded nothing and can't be replayed. */
  readonly requiredKey: string;
  /** Repeats the work. The ports may be empty, since every answer is recorded. */
  replay(
    run: RecordedRun<Types>,
    work: (ports: Types['ports']) => Promise<Types['end']>,
  ): Promise<Types['replayed']>;
  /** The form in which a planner can start such a run. Loaded only if there is a planner. */
  task(): Promise<RunTask<Types>>;
}

/** What is needed to store a run without starting it. */
type CreationSetting<Types extends RunTypes> = Pick<LifeSetting, 'store' | 'clock'> &
  Pick<Types['ports'], 'models'> &
  Partial<Omit<Types['ports'], 'models'>>;

/** The argument may be omitted if the kind needs no input for a replay. */
type ReplayInput<Types extends RunTypes> = undefined extends Types['given']
  ? [given?: undefined]
  : [given: Types['given']];

export interface DefinedRun<Types extends RunTypes> {
  readonly shape: string;
  /** Stores the run without starting it; `resume` starts it. Throws as the kind's `params` does. */
  create(request: Types['request'], setting: CreationSetting<Types>): Promise<RunRow>;
  /** Throws only before anything is written; afterwards, every end except a bug is a result. */
  start(request: Types['request'], setting: LifeSetting & Types['ports']): Promise<Types['end']>;
  /**
   * Resumes a run after a crash or a cancel; for a finished run, returns its result. Nothing that was recorded is asked
   * again. Throws `not_found`, and `run_state` while another process works on the run.
   */
  resume(run: string, setting: LifeSetting & Types['ports']): Promise<Types['end']>;
  /**
   * Repeats the work of a finished run from its records. Calls no model, reads no material, writes nothing. Throws
   * `run_state` if the run is not finished, or recorded nothing.
   */
  replay(run: string, store: Store, ...given: ReplayInput<Types>): Promise<Types['replayed']>;
  /** For `task()`: each call starts a run. */
  task(offer: Types['offer'], setting: TaskSetting): Promise<TaskShape>;
  /** The result of a finished run. Opens only the store. Throws `not_found`. */
  readResult(run: string, store: Store): Promise<Types['end']>;
  /** The partial result of a stopped run; null if it was not stopped, or was resumed since. Throws `not_found`. */
  readLeft(run: string, store: Store): Promise<Types['end'] | null>;
  /** The result of an ended run, from its log. Throws `run_state` if it is not of this kind. */
  result(end: RunEnd, run: string): Types['end'];
}

export function defineRun<Types extends RunTypes>(kind: RunDefinition<Types>): DefinedRun<Types> {
  const { shape } = kind;
  const runHandleOf = (row: RunRow, store: Store): RunHandle<Types['params']> => ({
    row,
    params: row.params as unknown as Types['params'],
    runs: store.runs,
    ended: (run) => readRunEnd(store, run),
  });
  const readResult = async (store: Store, run: string): Promise<Types['end']> =>
    kind.result(await readRunEnd(store, run), run);

  function newRunOf(request: Types['request'], setting: CreationSetting<Types>): NewRun {
    const { question, params } = kind.params(request, setting);
    const commonParams: RunParams = {
      store_artifacts: request.storeArtifacts ?? true,
      model: setting.models.planner.name,
      ...(request.extra && { extra: request.extra }),
    };
    return {
      id: request.id ?? createRunId((setting.clock ?? systemClock).now()),
      shape,
      question,
      root: request.root,
      params: { ...params, ...commonParams },
    };
  }

  function startLife(
    row: RunRow,
    setting: LifeSetting & Types['ports'],
    lease?: Lease,
  ): Promise<Types['end']> {
    const run = runHandleOf(row, setting.store);
    const work: LifeWork<Types['end']> = {
      budget: kind.limits(run.params),
      ...(kind.paramsForLog && { loggedParams: kind.paramsForLog(run.params) }),
      readEnd: (id) => readResult(setting.store, id),
      async runWork(life) {
        await recordModels(life.step, setting.models);
        return kind.work(run, setting, life);
      },
    };
    return runLife(row, setting, work, lease);
  }

  const startAndResume: Pick<DefinedRun<Types>, 'shape' | 'start' | 'resume'> = {
    shape,
    async start(request, setting) {
      const { row, lease } = await setting.store.runs.begin(newRunOf(request, setting), request.by);
      return startLife(row, setting, lease);
    },
    resume: async (run, setting) => startLife(await readRunRow(setting.store, run, shape), setting),
  };

  return Object.freeze({
    ...startAndResume,
    create: async (request, setting) => setting.store.runs.create(newRunOf(request, setting), request.by),
    readResult: async (run, store) => readResult(store, (await readRunRow(store, run, shape)).id),
    async readLeft(run, store) {
      const { id } = await readRunRow(store, run, shape);
      const leftEnd = await readStoppedEnd(store, id);
      return leftEnd === null ? null : kind.result(leftEnd, id);
    },
    result: kind.result,
    async task(offer, setting) {
      const [{ taskOf }, task] = await Promise.all([import('./run-task.ts'), kind.task()]);
      return taskOf(startAndResume, task, offer, setting);
    },
    async replay(run, store, ...[given]) {
      const row = await readRunRow(store, run, shape);
      const recordedEnd = await readResult(store, row.id);
      const life = await replayLife(row, store, {
        requiredKey: kind.requiredKey,
        spent: recordedEnd.result.spent,
      });
      const journal = life.recorded;
      const recordedRun = { ...runHandleOf(row, store), store, recordedEnd, journal, given };
      return kind.replay(recordedRun, async (ports) => {
        const end = await kind.work(recordedRun, ports, life);
        return { ...end, result: addOverspendNotes(end.result, await store.events(row.id)) };
      });
    },
  } satisfies DefinedRun<Types>);
}
