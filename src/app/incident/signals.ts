/** Opens the systems that an investigation reads: those of a recorded incident, or the configured ones. */
import { type Signal, systemClock } from '../../core/index.ts';
import type { Configuration } from '../config/index.ts';
import { openSystems } from '../systems.ts';

export interface OpenSignals {
  readonly signals: readonly Signal[];
  /** The alert of a recorded incident. */
  readonly alert: string | null;
  /** The current time of a recorded incident, in milliseconds; null: the real clock. */
  readonly now: number | null;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** `replay`: the folder of a recorded incident. `signals`: those of the calling program. Throws `not_found`. */
export async function openSignals(
  configuration: Configuration,
  replay: string | null,
  signals: readonly Signal[] = [],
): Promise<OpenSignals> {
  const opened = await (replay === null
    ? openConfiguredSignals(configuration, signals)
    : openFrozenSignals(replay));
  return { ...opened, signals: [...opened.signals, ...signals] };
}

async function openFrozenSignals(folder: string): Promise<OpenSignals> {
  const { openFrozen } = await import('../../signals/frozen/frozen.ts');
  const frozen = await openFrozen({ folder, clock: systemClock });
  return {
    signals: [frozen.signal],
    alert: frozen.alert,
    now: frozen.span?.to ?? null,
    notes: frozen.notes,
    close: () => frozen.signal.close(),
  };
}

async function openConfiguredSignals(
  configuration: Configuration,
  callerSignals: readonly Signal[],
): Promise<OpenSignals> {
  const systems = await openSystems(configuration);
  const signals = systems.flatMap((namedSystem) => namedSystem.signals);
  return {
    signals,
    alert: null,
    now: null,
    notes:
      signals.length + callerSignals.length === 0
        ? ['No system is configured to look at: see prometheus_url and the like in docs/configuration.md.']
        : systems.flatMap(({ notes = [] }) => notes),
    async close() {
      await Promise.all(signals.map((signal) => signal.close()));
    },
  };
}
