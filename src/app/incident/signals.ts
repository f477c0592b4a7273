/** Opens the systems that an investigation reads: a recorded incident, or those that are configured. */
import { type Signal, systemClock } from '../../core/index.ts';
import type { Configuration } from '../config/index.ts';
import { openSystems } from '../systems.ts';

export interface OpenSignals {
  readonly signals: readonly Signal[];
  /** The alert of a recorded incident. */
  readonly alert: string | null;
  /** The time that counts as now in a recorded incident; null: the clock. */
  readonly now: number | null;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Throws `not_found` if the folder of a recorded incident is missing. */
export async function openSignals(
  configuration: Configuration,
  replay: string | null,
  signals: readonly Signal[] = [],
): Promise<OpenSignals> {
  const opened = await (replay === null
    ? openConfiguredSignals(configuration, signals)
    : frozenSignals(replay));
  return { ...opened, signals: [...opened.signals, ...signals] };
}

async function frozenSignals(folder: string): Promise<OpenSignals> {
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
  callerParts: readonly Signal[],
): Promise<OpenSignals> {
  const systems = await openSystems(configuration);
  const signals = systems.flatMap((namedSystem) => namedSystem.signals);
  return {
    signals,
    alert: null,
    now: null,
    notes:
      signals.length + callerParts.length === 0
        ? ['No system is configured to look at: see prometheus_url and the like in docs/configuration.md.']
        : systems.flatMap(({ notes = [] }) => notes),
    async close() {
      await Promise.all(signals.map((signal) => signal.close()));
    },
  };
}
