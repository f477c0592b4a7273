/** Registers all shapes, and provides `task()` to the planner of a conversation. */
import type { Capability } from '../core/index.ts';
import type { Dispatcher, TurnContext } from '../session/index.ts';
import { compaction } from './compaction/shape.ts';
import { recordingWrites, writeIdsOf } from './compaction/writes.ts';
import type { TaskClients, TaskShape } from './shape.ts';
import { subThreadOf } from './sub-thread.ts';
import { subagentShape } from './subagent/shape.ts';
import type { Subgraph } from './subagent/subgraph.ts';
import { createShapeRegistry, type Tasks } from './task.ts';

export interface ShapesSetting {
  /** Graphs that can be delegated to; absent: none. */
  readonly subgraphs?: readonly [Subgraph, ...Subgraph[]];
  /** The kinds of run that can be delegated to, as `task` of their definitions returns them. */
  readonly runs?: readonly TaskShape[];
}

/**
 * Also registers the shapes without a run of their own: compaction and subagents, which work within the turn's run.
 */
export function openTasks({ subgraphs, runs = [] }: ShapesSetting): Tasks {
  const registry = createShapeRegistry();
  if (subgraphs !== undefined) registry.register(subagentShape(subgraphs));
  registry.register(compaction);
  for (const run of runs) registry.register(run);
  return registry.close();
}

export interface DispatchSetting extends Pick<TaskClients, 'planner' | 'analyst' | 'tools'> {
  /** The capabilities of the conversation. */
  readonly capabilities: ReadonlySet<Capability>;
}

/** Returns a function that creates the dispatcher of a turn, with the turn's own clients and budget. */
export function dispatcherOf(tasks: Tasks, setting: DispatchSetting): (shared: TurnContext) => Dispatcher {
  const { planner, analyst, tools, capabilities } = setting;
  return ({ ask, step, recorded, pool }) => ({
    shapes: tasks.shapes,
    subThreadOf: (site, shape) => subThreadOf(site, shape),
    async task(shape, params, { thread, namespace, call, role, config, signal }) {
      const site = {
        clients: { planner, analyst, tools, ask, step, recorded },
        subThread: subThreadOf({ thread, namespace, call }, shape),
      };
      const outcome = await tasks.task(shape, params, {
        thread,
        namespace,
        call,
        role,
        config,
        pool,
        capabilities,
        clients: recordingWrites(site),
        attempt: await countEarlierStarts(site),
        ...(signal && { signal }),
      });
      return outcome.kind === 'done'
        ? { kind: 'done', output: outcome.output, write_ids: [...writeIdsOf(site)] }
        : { kind: 'failed', error: outcome.error };
    },
  });
}

/** How often this call was started before; a shape with `restart` gets a new sub-thread each time. */
async function countEarlierStarts({ clients, subThread }: Parameters<typeof writeIdsOf>[0]): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    const stepResult = await clients.step(`${subThread}/begun-${nth}`, {
      deferCommit: true,
      run: async () => ({ value: true }),
    });
    if (stepResult.kind !== 'done' || !stepResult.recalled) return nth;
  }
}
