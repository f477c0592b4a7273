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
    // Written before the work, so that a failed prune is not repeated by every run of the day.
    writeFileSync(mark, `${new Date(now).toISOString()}\n`, { mode: 0o600 });
    const { runs, indexes } = await prune(configuration, {
      terms: { olderThan: retention, keep: 0 },
      remove: true,
      now,
      // Workers keep the store that they share.
      shared: false,
    });
    if (runs.length + indexes.length === 0) return null;
    return `retention ${formatDuration(retention)}: removed ${runs.length} finished run(s) and ${indexes.length} unused index(es)`;
  } catch (error) {
    return `retention: nothing was removed: ${messageOf(error)}`;
  }
}

/** After a run of the command line. The person is told. */
export async function tidyUp(tell: (line: string) => unknown): Promise<void> {
  const told = await pruneWhenDue(loadConfiguration({ environment: processEnvironment() }), Date.now());
  if (told !== null) await tell(`note: ${told}`);
}

/** For a server: at once, and then every hour if it is due. */
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
