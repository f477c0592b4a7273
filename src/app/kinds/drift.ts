/** The kind of run `drift`: over the configured systems. */
import { type RunResult, type Signal, SondeError } from '../../core/index.ts';
import type { DriftTypes } from '../../tasks/index.ts';
import { type Configuration, parseDuration } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { type AppTypes, appKind, type KindRequest } from '../runs/run-kind.ts';

export interface DriftRequest extends KindRequest {
  /** How far back to look, in milliseconds; absent: one day. */
  readonly since?: number;
  readonly queries?: readonly string[];
}

interface OpenSystems {
  readonly ports: Omit<DriftTypes['ports'], 'models'>;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

interface Drift extends AppTypes {
  readonly run: DriftTypes;
  readonly request: DriftRequest;
  readonly place: Readonly<Record<never, never>>;
  readonly open: OpenSystems;
  readonly value: RunResult;
}

export const drift = appKind<Drift>({
  definition: async () => (await import('../../tasks/drift/index.ts')).driftRun,
  asksNoModel: true,
  place: () => ({}),
  placeOf: () => ({}),
  project: () => null,
  async open(_, { configuration, watch: { onNote }, callerParts: { signals = [] } }) {
    const open = await openSystems(configuration, signals);
    for (const note of open.notes) onNote?.(note);
    return open;
  },
  request({ since, queries }, { configuration: { values, sources }, open: { ports } }) {
    if (ports.signals.length === 0)
      throw new SondeError('bad_argument', {
        message: 'No system is configured that could have drifted',
        remedy: 'Configure one, such as prometheus_url: sonde init incident, or docs/configuration.md.',
      });
    const now = Date.now();
    return {
      root: process.cwd(),
      now,
      ...(since !== undefined && { since: now - since }),
      ...(queries !== undefined && { queries }),
      limits: {
        tool_ms: values.action_timeout,
        ...(sources.max_time !== 'default' && { wall_ms: values.max_time }),
      },
    };
  },
  async openForReplay(_, configuration, { signals = [] }) {
    const { ports, close } = await openSystems(configuration, signals);
    return { value: ports.signals, close };
  },
  value: ({ result }) => result,
  command: {
    name: 'drift',
    description:
      'report what drifted in the configured systems, compared with the same hours of earlier days; it only reads the systems, and calls no model',
    arguments: [
      {
        name: '[query]',
        what: 'a query for metrics, such as PromQL. Without it: all metrics, alerts, changes and log patterns of the systems',
      },
    ],
    options: [{ flag: '--since <duration>', what: 'how far to look back, from 15m to 31d (default: 24h)' }],
    json: 'print one JSON object and nothing else',
    request([query], { since }: { readonly since?: string }) {
      const ms = since === undefined ? undefined : parseDuration(since);
      if (ms === null)
        throw new SondeError('bad_argument', {
          message: `--since is ${JSON.stringify(since)}`,
          remedy: 'Give a duration, such as 24h or 7d.',
        });
      return { ...(ms !== undefined && { since: ms }), ...(query !== undefined && { queries: [query] }) };
    },
  },
  async offer({ configuration, callerParts: { signals = [] } = {} }) {
    const { ports, notes, close } = await openSystems(configuration, signals);
    if (ports.signals.length > 0) return { value: { ...ports, root: process.cwd() }, notes, close };
    await close();
    return null;
  },
});

async function openSystems(
  configuration: Configuration,
  callerParts: readonly Signal[],
): Promise<OpenSystems> {
  const { openSignals } = await import('../incident/signals.ts');
  const { signals, notes, close } = await openSignals(configuration, null, callerParts);
  // Without a configured system this is an error, not a note.
  return {
    ports: { signals, mask: openMasker(configuration) },
    notes: signals.length === 0 ? [] : notes,
    close,
  };
}
