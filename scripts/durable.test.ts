/** Who makes durable what a run does: the store, through a step. Nobody else records, reserves, settles or logs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Other rooms keep indexes, pages and items of their own, and know of no run. */
const ofRuns = 'src/{model,session,tasks,app}/**/*.ts';

const sources = () => globSync(ofRuns, { cwd: root, exclude: ['**/*.{test,contract}.ts', '**/testbed/**'] });

const byHand = [
  /\bjournal\??\.record\b/g,
  /(?<!\bz)\.record\((?!z\.)/g,
  /\b(?:pool|meter|ledger|accounts)\??\.reserve\b/g,
  // A job of the queue is no run.
  /(?<!\bqueue)\.(?:settle|charge)\(/g,
  /\b(?:log|kept)\??\.append\b/g,
  // Of a store: what hands one of these out.
  /\bstore\??\.(?:journal|log)\(/g,
  // But for the pool that a life opens on it.
  /(?<!\bopenPool\(\s*)\bstore\??\.ledger\(/g,
];
/** Types of core that hand one of these out. */
const ports = /\b(?:Journal|RunLog|Ledger|Reservation)\b/g;
const onlyRead = /\bPick<Journal, 'recall'>/g;
const fromCore = /import (?:type )?\{([^}]*)\} from '[^']*core\/index\.ts';/g;

/** What is written by hand, and the ports that let one do so. */
function offences(path: string, text: string): readonly string[] {
  const lines = new Set(
    byHand.flatMap((pattern) => [...text.matchAll(pattern)].map(({ index }) => lineAt(text, index))),
  );
  const named = [...text.matchAll(fromCore)].flatMap(([, names = '']) => names.match(ports) ?? []);
  // Who only reads what was recorded makes nothing durable.
  const used = text.replaceAll(fromCore, '').replaceAll(onlyRead, '');
  const handed = named.filter((port) => new RegExp(`\\b${port}\\b`).test(used));
  return [
    ...[...lines].map((line) => `${path}:${line} makes durable by hand: take a step`),
    ...handed.map((port) => `${path} hands out a ${port}: hand out a Step, or Pick<Journal, 'recall'>`),
  ];
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

describe('what a run does is made durable by a step', () => {
  it('holds for the tree', () => {
    const files = sources();
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((path) => offences(path, readFileSync(join(root, path), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ['a record', "crew.journal.record('k', 1);"],
    ['a record of a journal by another name', 'const { record } = life.journal.record;'],
    ['a record through a step back', 'return kept.record(key, value);'],
    ['a reservation', "pool.reserve('k', { tokens: 1 });"],
    ['one of the ledger', 'ledger.reserve(request);'],
    ["one on an account of nobody's run", 'await store.accounts.reserve(request);'],
    ['a ledger taken from the store', 'const { balance } = store.ledger(lease);'],
    ['a settlement', "reservation?.settle('unknown');"],
    ['a charge', 'pool.charge({ fuel: 1 });'],
    ['an event', "crew.log.append('k', event);"],
    ['an event where there may be no log', "log?.append('k', event);"],
    ['a log taken from the store', 'const { append } = store.log(lease);'],
    ['a journal taken from the store', 'return setting.store.journal(lease);'],
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
