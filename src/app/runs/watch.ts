import type { LoggedEvent } from '../../core/index.ts';
import type { IndexProgress } from '../../search/index.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
} from '../config/index.ts';

/** How a caller can follow a run, and cancel it. */
export interface Watch {
  readonly signal?: AbortSignal;
  /** The run's id, as soon as it has one. */
  readonly onRun?: (run: string) => void;
  readonly onEvent?: (event: LoggedEvent) => void;
  readonly onIndex?: (progress: IndexProgress) => void;
  /** For people: what was refused, passed over or chosen. */
  readonly onNote?: (note: string) => void;
}

/** The listeners that the run itself takes. */
export const runListeners = ({ signal, onRun, onEvent }: Watch) => ({
  ...(signal !== undefined && { signal }),
  ...(onRun !== undefined && { onRun }),
  ...(onEvent !== undefined && { onEvent }),
});

/** The configuration of a command. Its notes are told. `project`: the folder whose `sonde.json` counts. */
export function configure(
  flags: Readonly<Partial<Record<SettingKey, unknown>>>,
  project: string | null,
  { onNote }: Watch,
): Configuration {
  const environment = processEnvironment();
  const configuration = loadConfiguration({ environment, flags, ...(project !== null && { project }) });
  for (const note of configuration.notes) onNote?.(note);
  return configuration;
}
