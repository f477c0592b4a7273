/** The work that a conversation can delegate: kinds of run, and subagents. */
import type { Model } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import type { Subgraph } from '../../tasks/index.ts';
import type { Conversation, OfferedTask } from '../runs/run-kind.ts';
import type { AgentPorts } from './agent.ts';

export interface OpenShapes {
  readonly dispatcher: NonNullable<AgentPorts['dispatcher']>;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export interface ShapesRequest extends Conversation {
  readonly store: Store;
  readonly planner: Model;
  readonly analyst: Model;
}

/** Opens folders and systems anew for each delegated task. A task has the tools of the agent that delegates it. */
export async function openShapes(request: ShapesRequest): Promise<OpenShapes> {
  const { store, planner, analyst, ...conversation } = request;
  const [{ dispatcherOf, openTasks }, { allKinds }, { listSubgraphs }] = await Promise.all([
    import('../../tasks/index.ts'),
    import('../kinds/find-kind.ts'),
    import('./subgraphs.ts'),
  ]);
  const offeredTasks: OfferedTask[] = [];
  const close = async () => {
    for (const offeredTask of offeredTasks.splice(0)) await offeredTask.close();
  };
  try {
    for (const kind of allKinds()) {
      const task = await kind.task(conversation, { store });
      if (task !== null) offeredTasks.push(task);
    }
    const tasks = openTasks({
      runs: offeredTasks.map(({ shape }) => shape),
      ...toSubgraphsOption(await listSubgraphs()),
    });
    return {
      dispatcher: (tools, capabilities) => dispatcherOf(tasks, { planner, analyst, tools, capabilities }),
      notes: offeredTasks.flatMap(({ notes }) => notes),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For an agent without a model, which starts no tasks but can resume those that were delegated earlier. */
export function shapesWithoutModel(request: ShapesRequest): OpenShapes {
  let opening: Promise<OpenShapes> | undefined;
  return {
    async dispatcher(tools, capabilities) {
      const { subThreadOf } = await import('../../tasks/sub-thread.ts');
      return (callContext) => ({
        shapes: [],
        subThreadOf: (site, shape) => subThreadOf(site, shape),
        async task(...call) {
          opening ??= openShapes(request);
          return (await (await opening).dispatcher(tools, capabilities))(callContext).task(...call);
        },
      });
    },
    notes: [],
    close: async () => (await opening)?.close(),
  };
}

function toSubgraphsOption([first, ...more]: readonly Subgraph[]) {
  return first === undefined ? {} : { subgraphs: [first, ...more] as const };
}
