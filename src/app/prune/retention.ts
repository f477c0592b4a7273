/** Automatic pruning, if the setting `retention` asks for it: after a run, at most once a day. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import {
  type Configuration,
  formatDuration,
  loadConfiguration,
  processEnvironment,
} from '../config/index.ts';

const day = 24 * 60 * 60_000;

/** One line that says what was removed, or why nothing could be; null if there was nothing to do. */
export async function pruneWhenDue(configuration: Configuration, now: number): Promise<string | null> {
  const { retention } = configuration.values;
  if (retention === 'off') return null;
  const mark = join(configuration.directories.data, 'pruned');
  if (now - readLastDone(mark) < day) return null;
  const { prune } = await import('./prune.ts');
  try {
    mkdirSync(dirname(mark), { recursive: true, mode: 0o700 });
    // Written first, so that a failed prune is not repeated after every run of the day.
    writeFileSync(mark, `${new Date(now).toISOString()}\n`, { mode: 0o600 });
    const { runs, indexes } = await prune(configuration, {
      terms: { olderThan: retention, keep: 0 },
      remove: true,
      now,
      // Workers prune the shared store.
      shared: false,
    });
    if (runs.length + indexes.length === 0) return null;
    return `retention ${formatDuration(retention)}: removed ${runs.length} finished run(s) and ${indexes.length} unused index(es)`;
  } catch (error) {
    return `retention: nothing was removed: ${messageOf(error)}`;
  }
}

/** Prunes after a run on the command line, if it is due, and prints what was removed. */
export async function tidyUp(tell: (line: string) => unknown): Promise<void> {
  const text = await pruneWhenDue(loadConfiguration({ environment: processEnvironment() }), Date.now());
  if (text !== null) await tell(`note: ${text}`);
}

/** For a server: prunes at once and every hour, if it is due. */
export function keepTidy(tell: (line: string) => unknown): { close(): Promise<void> } {
  let work = tidyUp(tell);
  const timer = setInterval(() => {
    work = work.then(() => tidyUp(tell));
  }, day / 24);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await work;
    },
  };
}

/** Milliseconds since the Unix epoch; 0 if there is no mark, or if it is in the future. */
function readLastDone(mark: string): number {
  try {
    const mtimeMs = statSync(mark).mtimeMs;
    return mtimeMs > Date.now() ? 0 : mtimeMs;
  } catch {
    return 0;
  }
}
