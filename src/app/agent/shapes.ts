/** What a conversation hands work to: the shapes there are, composed. What they look through is opened for each call. */
import type { Model } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import type { InvestigationSetting, Subgraph } from '../../tasks/index.ts';
import type { Configuration } from '../config/index.ts';
import { opened } from '../host-material.ts';
import { reportPath } from '../incident-places.ts';
import { openSignals } from '../incident-signals.ts';
import { sinksOf } from '../incident-sinks.ts';
import { investigationSandbox } from '../investigation-sandbox.ts';
import { openMasker } from '../masking.ts';
import type { AgentPorts } from './agent.ts';
import { investigated, researched, type Whereabouts } from './corpora.ts';
import { namedSubgraphs } from './subgraphs.ts';

export interface OpenShapes {
  readonly dispatcher: NonNullable<AgentPorts['dispatcher']>;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export interface ShapesRequest extends Whereabouts {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly planner: Model;
  readonly analyst: Model;
}

/** An incident is a shape where a system is configured; what each needs of its caller is asked with each call. */
export async function openShapes(request: ShapesRequest): Promise<OpenShapes> {
  const { configuration, store, planner, analyst } = request;
  const { prices } = configuration.values;
  const { dispatcherOf, openTasks } = await import('../../tasks/index.ts');
  const { sandbox, close: closeSandbox } = sandboxOnce(configuration);
  const { incident, notes, close: closeSignals } = await incidents(configuration, store);
  try {
    const tasks = openTasks({
      research: { store, prices, corpora: researched(configuration, request) },
      investigation: { store, prices, sandbox, corpora: investigated(configuration, request) },
      ...named(await namedSubgraphs()),
      ...(incident && { incident }),
    });
    return {
      dispatcher: (tools, capabilities) => dispatcherOf(tasks, { planner, analyst, tools, capabilities }),
      notes,
      async close() {
        await closeSignals();
        await closeSandbox();
      },
    };
  } catch (error) {
    await closeSignals();
    throw error;
  }
}

function named([first, ...more]: readonly Subgraph[]) {
  return first === undefined ? {} : { subgraphs: [first, ...more] as const };
}

/** Started by the first investigation, and kept for the next. */
function sandboxOnce(configuration: Configuration): {
  readonly sandbox: InvestigationSetting['sandbox'];
  close(): Promise<void>;
} {
  const once = opened(() => investigationSandbox(configuration));
  return {
    sandbox: {
      open: async (options) => (await once.get()).sandbox.open(options),
      restore: async (checkpoint, options) => (await once.get()).sandbox.restore(checkpoint, options),
    },
    close: once.close,
  };
}

async function incidents(configuration: Configuration, store: Store) {
  const { signals, notes, close } = await openSignals(configuration, null);
  // That no system is configured is nothing to be told of in a conversation.
  if (signals.length === 0) return { notes: [], close };
  try {
    const [{ reportFile }, sinks] = await Promise.all([
      import('../../tasks/index.ts'),
      sinksOf(configuration),
    ]);
    const incident = {
      store,
      signals,
      mask: openMasker(configuration),
      root: process.cwd(),
      sinks: (run: string) => [reportFile(reportPath(configuration, run)), ...sinks],
    };
    return { incident, notes, close };
  } catch (error) {
    await close();
    throw error;
  }
}
