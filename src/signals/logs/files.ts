/** Logs in files and folders of this machine, gzip and rotation included. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, isWithheld, messageOf, type Signal } from '../../core/index.ts';
import type { SystemSource } from '../question.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from './log-questions.ts';
import { readLogFile } from './read-file.ts';

export interface LogFilesOptions {
  /** Files, and folders whose log files are taken (not of folders in them). */
  readonly paths: readonly string[];
  readonly clock: Clock;
}

const logName =
  /(^|[.\-_])(log|logs|jsonl|ndjson|out|err)([.\-_]|$)|\.(txt|json)(\.\d+)?(\.gz)?$|^(syslog|messages|stderr|stdout)/i;
const maxFiles = 200;

export function openLogFiles({ paths, clock }: LogFilesOptions): Signal {
  const place: SystemSource = { system: 'logs', source: `logs ${paths.join(', ')}`, clock };
  const scan: Scan = async (stretch, see, signal) => {
    const { files, notes } = await logFiles(paths);
    const failed: string[] = [];
    let read = 0;
    for (const file of files) {
      // A file that was last written before the window has no lines of it.
      if (file.changed < stretch.from) continue;
      read++;
      const service = serviceOf(file.path);
      await readLogFile(
        file.path,
        (record) => {
          see(record.service === null ? { ...record, service } : record);
          return 'more';
        },
        signal,
      ).catch((thrown) => failed.push(`${file.path} could not be read to its end: ${messageOf(thrown)}.`));
    }
    return {
      kind: 'scanned',
      query: `${read} log files${filterText(stretch)}`,
      whole: failed.length === 0 && files.length < maxFiles,
      notes: [...notes, ...failed],
    };
  };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'lines of log files, and their patterns',
    questions: Object.freeze([linesQuestion(place, scan), patternsQuestion(place, scan)]),
    async health() {
      const { files, notes } = await logFiles(paths);
      return files.length > 0
        ? ({ kind: 'healthy', version: null } as const)
        : ({ kind: 'unhealthy', reason: notes[0] ?? 'there is no log file' } as const);
    },
    close: async () => {},
  } satisfies Signal);
}

interface LogFile {
  readonly path: string;
  /** When it was last written, in milliseconds since the Unix epoch. */
  readonly changed: number;
}

async function logFiles(
  paths: readonly string[],
): Promise<{ readonly files: readonly LogFile[]; readonly notes: readonly string[] }> {
  const files = new Map<string, LogFile>();
  const notes: string[] = [];
  const add = async (path: string): Promise<void> => {
    const place = await realpath(path).catch(() => null);
    const found = place === null ? null : await stat(place);
    if (place !== null && found?.isFile() && !isWithheld(place))
      files.set(place, { path: place, changed: found.mtimeMs });
  };
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found === null) notes.push(`${path} does not exist.`);
    else if (found.isDirectory()) {
      for (const name of (await readdir(path)).sort()) if (logName.test(name)) await add(join(path, name));
    } else await add(path);
  }
  const list = [...files.values()].sort((a, b) => a.changed - b.changed);
  if (list.length > maxFiles) notes.push(`Of ${list.length} log files the ${maxFiles} newest are read.`);
  return { files: list.slice(-maxFiles), notes };
}

/** `shop.log.2.gz` is of `shop`. */
function serviceOf(path: string): string {
  return (
    basename(path).replace(/\.(gz|\d+|log|txt|json|jsonl|ndjson|out|err)(?=\.|$)/g, '') || basename(path)
  );
}
