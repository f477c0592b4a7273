/** Finds out which systems answer, once per run. */
import { messageOf, plainMask, type Signal, type SystemMask } from '../../core/index.ts';
import type { RunContext } from './run-context.ts';
import { validateHealth } from './signal-replies.ts';
import type { IncidentState, SystemState, Updates } from './state.ts';

/** How long one system may take to answer the health check. Milliseconds. */
const healthTimeoutMs = 5_000;

export async function resolveIntegrations(
  _state: unknown,
  context: Pick<RunContext, 'step' | 'signals' | 'signal' | 'mask'>,
): Promise<Pick<Updates, 'stop' | 'systems' | 'notes'>> {
  const stepResult = await context.step<readonly SystemState[]>('resolve/systems', {
    run: async () => ({
      value: await Promise.all(context.signals.map((signal) => checkHealth(signal, context))),
    }),
  });
  if (stepResult.kind !== 'done') return { stop: 'cancelled' };
  const systems = stepResult.value;
  const unusable = systems.filter(({ usable }) => !usable);
  return {
    systems,
    notes: [
      ...(systems.length === 0
        ? ['No system is configured: there is nothing but the alert to look at.']
        : []),
      ...systems.flatMap(({ notes = [] }) => notes),
      ...unusable.map(({ system, detail }) => `${system} could not be used: ${detail}`),
    ],
  };
}

async function checkHealth(
  signal: Signal,
  { signal: stop, mask = plainMask }: Pick<RunContext, 'signal' | 'mask'>,
): Promise<SystemState> {
  const { system, source } = signal;
  try {
    const health = validateHealth(
      await signal.health(AbortSignal.any([stop, AbortSignal.timeout(healthTimeoutMs)]), mask),
    );
    return health.kind === 'healthy'
      ? { system, source, usable: true, detail: health.version ?? 'there', ...limitNotes(signal, mask) }
      : { system, source, usable: false, detail: mask.system(health.reason) };
  } catch (thrown) {
    return { system, source, usable: false, detail: mask.system(messageOf(thrown)).slice(0, 300) };
  }
}

/** Maximum notes of one system, so that room is left for others. */
const maxNotes = 8;

function limitNotes({ notes = [] }: Signal, mask: SystemMask): Pick<SystemState, 'notes'> {
  if (notes.length === 0) return {};
  const more = notes.length - maxNotes;
  return {
    notes: [
      ...notes.slice(0, maxNotes).map((note) => mask.system(note)),
      ...(more > 0 ? [`${more} more files are not read.`] : []),
    ],
  };
}

/** The signals whose health check succeeded. */
export function listUsableSignals(
  state: Pick<IncidentState, 'systems'>,
  signals: readonly Signal[],
): readonly Signal[] {
  return signals.filter(({ system, source }) =>
    state.systems.some(
      (systemState) => systemState.usable && systemState.system === system && systemState.source === source,
    ),
  );
}
