/**
 * Runs as they were recorded. Each is a folder with `task.json` (its `id`, `shape` and `wire`; of a localisation
 * `gold_files`, and in `result` how many of them were `right`, among the first five that it named) and, in order of
 * arrival, the bodies `NNNN.request.json` with the replies `NNNN.answer.md`.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Sent, sentOver, type Wire } from './request.ts';

export interface Run {
  readonly id: string;
  readonly shape: string;
  readonly wire: Wire;
  readonly sent: readonly Sent[];
  readonly localisation?: { readonly gold: number; readonly right: number };
}

interface Task {
  readonly id: string;
  readonly shape: string;
  readonly wire: Wire;
  readonly gold_files?: readonly string[];
  readonly result?: { readonly right?: number };
}

/** All runs below a folder, by their ids. Those without an answer to their last request are named in `unfinished`. */
export function readRuns(folder: string): {
  readonly runs: readonly Run[];
  readonly unfinished: readonly string[];
} {
  const found = globSync('**/task.json', { cwd: folder }).map((path) => readRun(join(folder, dirname(path))));
  const runs = found.filter((run) => typeof run !== 'string');
  return {
    runs: runs.toSorted((a, b) => a.id.localeCompare(b.id)),
    unfinished: found.filter((run) => typeof run === 'string').toSorted(),
  };
}

function readRun(folder: string): Run | string {
  const task = JSON.parse(readFileSync(join(folder, 'task.json'), 'utf8')) as Task;
  const requests = readdirSync(folder)
    .filter((name) => name.endsWith('.request.json'))
    .toSorted();
  const last = requests.at(-1);
  const answer = last?.replace('.request.json', '.answer.md');
  if (answer === undefined || !existsSync(join(folder, answer))) return task.id;
  const sent = requests.map((name) =>
    sentOver(task.wire, JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  );
  const { id, shape, wire, gold_files: gold, result } = task;
  return {
    id,
    shape,
    wire,
    sent,
    ...(gold && { localisation: { gold: gold.length, right: result?.right ?? 0 } }),
  };
}
