/** Automatic pruning by the setting `retention`: after a run or in a server, at most once a day. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import {
  type Configuration,
  formatDuration,
  loadConfiguration,
  processEnvironment,
} from '../config/index.ts';

const dayMs = 24 * 60 * 60_000;

/** Prunes if the last time was over a day ago. Returns a line about what was removed, or the error; null if nothing was. */
export async function pruneWhenDue(configuration: Configuration, now: number): Promise<string | null> {
  const { retention } = configuration.values;
  if (retention === 'off') return null;
  const markFile = join(configuration.directories.data, 'pruned');
  if (now - readLastPruned(markFile) < dayMs) return null;
  const { prune } = await import('./prune.ts');
  try {
    mkdirSync(dirname(markFile), { recursive: true, mode: 0o700 });
    // Written first, so that a failed prune is not repeated after every run of the day.
    writeFileSync(markFile, `${new Date(now).toISOString()}\n`, { mode: 0o600 });
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
export async function pruneAndReport(printLine: (line: string) => unknown): Promise<void> {
  const text = await pruneWhenDue(loadConfiguration({ environment: processEnvironment() }), Date.now());
  if (text !== null) await printLine(`note: ${text}`);
}

/** For a server: checks at once and every hour whether to prune. */
export function pruneHourly(printLine: (line: string) => unknown): { close(): Promise<void> } {
  let work = pruneAndReport(printLine);
  const timer = setInterval(() => {
    work = work.then(() => pruneAndReport(printLine));
  }, dayMs / 24);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await work;
    },
  };
}

/** Milliseconds since the Unix epoch; 0 if there is no mark, or if it is in the future. */
function readLastPruned(markFile: string): number {
  try {
    const mtimeMs = statSync(markFile).mtimeMs;
    return mtimeMs > Date.now() ? 0 : mtimeMs;
  } catch {
    return 0;
  }
}
