/** The systems that an investigation looks at: a frozen incident, or those that are configured. */
import { type Signal, systemClock } from '../core/index.ts';
import type { Configuration, Secret } from './config/index.ts';

export interface OpenSignals {
  readonly signals: readonly Signal[];
  /** The alert that came with a frozen incident. */
  readonly alert: string | null;
  /** What a frozen incident takes for now; null: the clock. */
  readonly now: number | null;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Throws `not_found` where the folder of a frozen incident is not there. */
export async function openSignals(configuration: Configuration, replay: string | null): Promise<OpenSignals> {
  return replay === null ? configuredSignals(configuration) : frozenSignals(replay);
}

async function frozenSignals(folder: string): Promise<OpenSignals> {
  const { openFrozen } = await import('../signals/index.ts');
  const frozen = await openFrozen({ folder, clock: systemClock });
  return {
    signals: [frozen.signal],
    alert: frozen.alert,
    now: frozen.span?.to ?? null,
    notes: [],
    close: () => frozen.signal.close(),
  };
}

async function configuredSignals({ values }: Pick<Configuration, 'values'>): Promise<OpenSignals> {
  const { openAlertmanager, openLogFiles, openLoki, openPrometheus } = await import('../signals/index.ts');
  const common = { fetch: globalThis.fetch, clock: systemClock };
  const bearer = (token: Secret | undefined) =>
    token === undefined ? {} : { authorization: { kind: 'bearer' as const, token } };
  const { prometheus_url, alertmanager_url, loki_url, log_files } = values;
  const signals: readonly Signal[] = [
    ...(prometheus_url === undefined
      ? []
      : [openPrometheus({ ...common, base: prometheus_url, ...bearer(values.prometheus_token) })]),
    ...(alertmanager_url === undefined
      ? []
      : [openAlertmanager({ ...common, base: alertmanager_url, ...bearer(values.alertmanager_token) })]),
    ...(loki_url === undefined
      ? []
      : [openLoki({ ...common, base: loki_url, ...bearer(values.loki_token) })]),
    ...(log_files.length === 0 ? [] : [openLogFiles({ paths: log_files, clock: systemClock })]),
  ];
  return {
    signals,
    alert: null,
    now: null,
    notes:
      signals.length === 0
        ? ['No system is configured to look at: see prometheus_url and the like in docs/configuration.md.']
        : [],
    async close() {
      await Promise.all(signals.map((signal) => signal.close()));
    },
  };
}
