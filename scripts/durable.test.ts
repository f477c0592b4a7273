/**
 * Who makes durable what a run does: the store, through a step. `earlier` is what was written before there were
 * steps: it can only shrink, and a file that is not in it has none.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Other rooms keep indexes, pages and items of their own, and know of no run. */
const ofRuns = 'src/{model,session,tasks,app}/**/*.ts';

/** By file: in how many places it records, reserves, settles or logs by hand, or names a port that lets it. */
const earlier: Readonly<Record<string, number>> = {
  'src/tasks/replay-life.ts': 1,
  'src/tasks/run-life.ts': 2,
};

const sources = () => globSync(ofRuns, { cwd: root, exclude: ['**/*.{test,contract}.ts', '**/testbed/**'] });

const byHand = [
  /\bjournal\??\.record\b/g,
  /(?<!\bz)\.record\((?!z\.)/g,
  /\b(?:pool|meter|ledger)\??\.reserve\b/g,
  // A job of the queue is no run.
  /(?<!\bqueue)\.(?:settle|charge)\(/g,
  /\b(?:log|kept)\??\.append\b/g,
];
/** Types of core that hand one of these out. */
const ports = /\b(?:Journal|RunLog|Ledger|Reservation)\b/g;
const onlyRead = /\bPick<Journal, 'recall'>/g;
const fromCore = /import (?:type )?\{([^}]*)\} from '[^']*core\/index\.ts';/g;

function places(text: string): number {
  const found = new Set(
    byHand.flatMap((pattern) => [...text.matchAll(pattern)].map(({ index }) => lineAt(text, index))),
  );
  const named = [...text.matchAll(fromCore)].flatMap(([, names = '']) => names.match(ports) ?? []);
  // Who only reads what was recorded makes nothing durable.
  const used = text.replaceAll(fromCore, '').replaceAll(onlyRead, '');
  return found.size + named.filter((port) => new RegExp(`\\b${port}\\b`).test(used)).length;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function offences(path: string, text: string): readonly string[] {
  const made = places(text);
  const allowed = earlier[path] ?? 0;
  return made > allowed
    ? [`${path} makes durable by hand in ${made} places, of ${allowed} it had: take a step`]
    : [];
}

describe('what a run does is made durable by a step', () => {
  it('holds for the tree', () => {
    const files = sources();
    expect(files.length).toBeGreaterThan(300);
    const texts = Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
    expect(files.flatMap((path) => offences(path, texts[path]!))).toEqual([]);
    // What was mended leaves the table, so that it can't come back.
    const now = Object.keys(earlier).map((path) => [path, places(texts[path] ?? '')]);
    expect(Object.fromEntries(now.filter(([, made]) => made !== 0))).toEqual(earlier);
  });

  it.each([
    ['a record', "crew.journal.record('k', 1);"],
    ['a record of a journal by another name', 'const { record } = life.journal.record;'],
    ['a record through a step back', 'return kept.record(key, value);'],
    ['a reservation', "pool.reserve('k', { tokens: 1 });"],
    ['one of the ledger', 'store.ledger.reserve(request);'],
    ['a settlement', "reservation?.settle('unknown');"],
    ['a charge', 'pool.charge({ fuel: 1 });'],
    ['an event', "crew.log.append('k', event);"],
    ['an event where there may be no log', "log?.append('k', event);"],
    [
      'a journal handed out',
      "import type { Clock, Journal } from '../core/index.ts';\ninterface A { journal: Journal }",
    ],
    [
      'a log handed out',
      "import {\n  type Clock,\n  type RunLog,\n} from '../../core/index.ts';\ntype A = Pick<RunLog, 'append'>;",
    ],
  ])('catches a seeded one: %s', (_what, text) => {
    expect(offences('src/tasks/new.ts', text)).not.toEqual([]);
  });

  it.each([
    ['src/tasks/new.ts', "await step('k', { run: async () => ({ value: 1 }) });"],
    ['src/tasks/new.ts', 'z.record(z.string(), z.unknown())'],
    ['src/tasks/new.ts', "import type { Pool, Step } from '../core/index.ts';"],
    [
      'src/tasks/new.ts',
      "import type { Journal } from '../core/index.ts';\nfunction f(journal: Pick<Journal, 'recall'>) {}",
    ],
  ])('lets through what is none: %s %s', (path, text) => {
    expect(offences(path, text)).toEqual([]);
  });
});
