/**
 * A kind of run as work that a planner can delegate: `task()` gives each call a run of its own, on the planner's
 * budget.
 */
import type { z } from 'zod';
import { type AllAmounts, type Capability, isSondeError, sha256 } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { DefinedRun, RunRequest, RunTypes } from './define-run.ts';
import type { LifeSetting } from './run-life.ts';
import { shape, type TaskContext, type TaskShape } from './shape.ts';
import { shareOf } from './share.ts';

/**
 * How a planner can start a run of this kind. Its author must not: reach anything except through `call`, or return what
 * `gives` does not describe.
 */
export interface RunTask<Types extends RunTypes, Given = unknown, Reply = unknown> {
  /** For a planner: what it does and when to use it. */
  readonly description: string;
  takes(offer: Types['offer']): z.ZodType<Given>;
  readonly gives: z.ZodType<Reply>;
  /** The capabilities that the caller needs; checked before anything is done. */
  needs?(given: Given, offer: Types['offer']): readonly Capability[];
  work(given: Given, call: TaskCall<Types>): Promise<Reply>;
}

export interface TaskCall<Types extends RunTypes> {
  readonly offer: Types['offer'];
  readonly context: TaskContext;
  /**
   * Starts the run of a call, or continues the one that an earlier process started. `request` is called for a new run;
   * `share` is the part of the caller's budget that it may use.
   */
  run(
    ports: Types['ports'],
    request: (share: AllAmounts) => Omit<Types['request'], 'id' | 'extra'>,
  ): Promise<Types['end']>;
}

/** The settings that the runs of all calls share. */
export type TaskSetting = Pick<LifeSetting, 'store' | 'clock' | 'random' | 'sleep' | 'onEvent'>;

/** Erases the types, so that tasks of different kinds fit into one list; the schemas still check the values. */
export function runTask<Types extends RunTypes, Given, Reply>(
  fields: RunTask<Types, Given, Reply>,
): RunTask<Types> {
  return Object.freeze(fields) as unknown as RunTask<Types>;
}

export function taskOf<Types extends RunTypes>(
  kind: Pick<DefinedRun<Types>, 'shape' | 'start' | 'resume'>,
  { description, takes, gives, needs, work }: RunTask<Types>,
  offer: Types['offer'],
  setting: TaskSetting,
): TaskShape {
  return shape({
    key: kind.shape,
    description,
    paramSchema: takes(offer),
    outputSchema: gives,
    // After a crash, the same call continues its run.
    recovery: 'reattach',
    ...(needs && { needs: (given: unknown) => needs(given, offer) }),
    handler: (given, context) =>
      work(given, {
        offer,
        context,
        run: (ports, request) =>
          startOrResume(
            kind,
            context,
            { ...setting, ...ports, signal: context.signal, pool: context.pool },
            (ids) => ({ ...request(shareOf(context.pool)), ...ids }) as Types['request'],
          ),
      }),
  });
}

/** Continues the run that the same call started before a crash. `request` is called only if there is none. */
async function startOrResume<Types extends RunTypes>(
  kind: Pick<DefinedRun<Types>, 'start' | 'resume'>,
  { thread, subThread }: Pick<TaskContext, 'thread' | 'subThread'>,
  setting: LifeSetting & Types['ports'],
  request: (ids: Pick<RunRequest, 'id' | 'extra'>) => Types['request'],
): Promise<Types['end']> {
  const id = `run-${sha256(`${thread}\0${subThread}`).slice(0, 15)}`;
  if (await runExists(setting.store, id)) return kind.resume(id, setting);
  return kind.start(request({ id, extra: { thread, sub_thread: subThread } }), setting);
}

async function runExists({ runs }: Pick<Store, 'runs'>, id: string): Promise<boolean> {
  try {
    return (await runs.get(id)).id === id;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return false;
    throw error;
  }
}
