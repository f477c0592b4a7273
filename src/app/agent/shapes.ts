/** What a conversation hands work to, where the process that holds it may look at the systems. */
import { join } from 'node:path';
import type { Capability } from '../../core/index.ts';
import type { Model } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import type { Configuration } from '../config/index.ts';
import { openSignals } from '../incident-signals.ts';
import { sinksOf } from '../incident-sinks.ts';
import type { AgentPorts } from './agent.ts';

export interface OpenShapes {
  /** Absent: there is nothing to hand on, and a planner is shown no `task`. */
  readonly dispatcher?: NonNullable<AgentPorts['dispatcher']>;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export interface ShapesRequest {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly planner: Model;
  readonly analyst: Model;
  readonly capabilities: ReadonlySet<Capability>;
}

/** An investigation of an incident is offered where a system is configured, and its signals may be read. */
export async function openShapes(request: ShapesRequest): Promise<OpenShapes> {
  const { configuration, store, planner, analyst, capabilities } = request;
  const none: OpenShapes = { notes: [], close: async () => {} };
  if (!capabilities.has('SignalsRead')) return none;
  const { signals, notes, close } = await openSignals(configuration, null);
  if (signals.length === 0) return none;
  try {
    const [{ dispatcherOf, openTasks, reportFile }, sinks] = await Promise.all([
      import('../../tasks/index.ts'),
      sinksOf(configuration),
    ]);
    const { data } = configuration.directories;
    const tasks = openTasks({
      incident: {
        store,
        signals,
        root: process.cwd(),
        sinks: (run) => [reportFile(join(data, 'incidents', run, 'report.md')), ...sinks],
      },
    });
    return {
      dispatcher: (tools) => dispatcherOf(tasks, { planner, analyst, tools, capabilities }),
      notes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
