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
  /** Called with the run's id as soon as it has one. */
  readonly onRun?: (run: string) => void;
  readonly onEvent?: (event: LoggedEvent) => void;
  readonly onIndex?: (progress: IndexProgress) => void;
  /** Called with notes for people about settings and models that were refused, skipped or chosen. */
  readonly onNote?: (note: string) => void;
}

/** Picks the listeners that the run itself takes. */
export const runListeners = ({ signal, onRun, onEvent }: Watch) => ({
  ...(signal !== undefined && { signal }),
  ...(onRun !== undefined && { onRun }),
  ...(onEvent !== undefined && { onEvent }),
});

/** Loads the configuration of a command and passes its notes on. `project`: the folder whose `sonde.json` is read. */
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
