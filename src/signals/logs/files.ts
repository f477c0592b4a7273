/** Reads logs in files and folders of this machine, including compressed (gzip) and rotated files. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, isWithheld, messageOf, type Signal } from '../../core/index.ts';
import type { SystemSource } from '../question.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from './log-questions.ts';
import { readLogFile } from './read-file.ts';

export interface LogFilesOptions {
  /** Log files, and folders whose log files are read (without subfolders). */
  readonly paths: readonly string[];
  readonly clock: Clock;
}

const logNamePattern =
  /(^|[.\-_])(log|logs|jsonl|ndjson|out|err)([.\-_]|$)|\.(txt|json)(\.\d+)?(\.gz)?$|^(syslog|messages|stderr|stdout)/i;
const maxFiles = 200;

export function openLogFiles({ paths, clock }: LogFilesOptions): Signal {
  const place: SystemSource = { system: 'logs', source: `logs ${paths.join(', ')}`, clock };
  const scan: Scan = async (request, onRecord, signal) => {
    const { files, notes } = await logFiles(paths);
    const failureNotes: string[] = [];
    let filesRead = 0;
    for (const file of files) {
      // A file that was last written before the time range has no lines of it.
      if (file.changed < request.from) continue;
      filesRead++;
      const service = serviceOf(file.path);
      await readLogFile(
        file.path,
        (record) => {
          onRecord(record.service === null ? { ...record, service } : record);
          return 'more';
        },
        signal,
      ).catch((thrown) =>
        failureNotes.push(`${file.path} could not be read to its end: ${messageOf(thrown)}.`),
      );
    }
    return {
      kind: 'scanned',
      query: `${filesRead} log files${filterText(request)}`,
      whole: failureNotes.length === 0 && files.length < maxFiles,
      notes: [...notes, ...failureNotes],
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
  const addFile = async (path: string): Promise<void> => {
    const realPath = await realpath(path).catch(() => null);
    const stats = realPath === null ? null : await stat(realPath);
    if (realPath !== null && stats?.isFile() && !isWithheld(realPath))
      files.set(realPath, { path: realPath, changed: stats.mtimeMs });
  };
  for (const path of paths) {
    const stats = await stat(path).catch(() => null);
    if (stats === null) notes.push(`${path} does not exist.`);
    else if (stats.isDirectory()) {
      for (const name of (await readdir(path)).sort())
        if (logNamePattern.test(name)) await addFile(join(path, name));
    } else await addFile(path);
  }
  const sorted = [...files.values()].sort((a, b) => a.changed - b.changed);
  if (sorted.length > maxFiles) notes.push(`Of ${sorted.length} log files the ${maxFiles} newest are read.`);
  return { files: sorted.slice(-maxFiles), notes };
}

/** The service of a log file, from its name: `shop` for `shop.log.2.gz`. */
function serviceOf(path: string): string {
  return (
    basename(path).replace(/\.(gz|\d+|log|txt|json|jsonl|ndjson|out|err)(?=\.|$)/g, '') || basename(path)
  );
}
