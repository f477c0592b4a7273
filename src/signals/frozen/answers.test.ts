/** Files with the answer are never opened, not even to be told as unknown: every way to open a file is watched. */
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openFrozen } from './frozen.ts';

const answers = ['answer.yml', 'scenario.yml', 'QA_VALIDATION.md', 'truth.json'];
const folder = mkdtempSync(join(tmpdir(), 'sonde-answers-'));
for (const place of ['', 'data', 'data/context']) {
  mkdirSync(join(folder, place), { recursive: true });
  for (const name of answers)
    writeFileSync(join(folder, place, name), '{"root_cause_category": "planted-answer"}');
}
writeFileSync(
  join(folder, 'data/alert.json'),
  '{"service": "basket", "metric": "errors", "fired_at": "2026-05-04T12:00:00Z"}',
);
writeFileSync(
  join(folder, 'data/logs.ndjson'),
  '{"timestamp": "2026-05-04T11:59:00Z", "service": "basket", "severity_text": "ERROR", "msg": "no rate"}',
);
writeFileSync(join(folder, 'data/context/commits.json'), '[]');
afterAll(() => rmSync(folder, { recursive: true }));

/** Names of the files that are opened or read while it runs, whichever function does it. */
async function opened(run: () => unknown): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const watch = (home: Record<string, unknown>, name: string): void => {
    const before = home[name] as (...args: unknown[]) => unknown;
    home[name] = function (this: unknown, path: unknown, ...more: unknown[]) {
      if (typeof path === 'string' || path instanceof URL || Buffer.isBuffer(path))
        seen.add(basename(String(path)));
      return before.call(this, path, ...more);
    };
    undo.push(() => {
      home[name] = before;
    });
  };
  const plain =
    'open openSync readFile readFileSync createReadStream openAsBlob copyFile copyFileSync readlink';
  for (const name of plain.split(' ')) watch(fs as never, name);
  for (const name of ['open', 'readFile', 'copyFile']) watch(fs.promises as never, name);
  syncBuiltinESMExports();
  await run();
  restore();
  return seen;
}
const undo: (() => void)[] = [];
function restore(): void {
  for (const one of undo.splice(0)) one();
  syncBuiltinESMExports();
}
afterEach(restore);

const clock = { now: () => Date.parse('2026-05-04T13:00:00Z') } as never;

it.each([
  ['the folder', folder],
  ['its data alone', join(folder, 'data')],
])('%s is read, and no answer', async (_, place) => {
  const seen = await opened(() => openFrozen({ folder: place, clock }));
  expect([...seen]).toEqual(expect.arrayContaining(['alert.json', 'logs.ndjson', 'commits.json']));
  expect(answers.filter((name) => seen.has(name))).toEqual([]);
});

it('the watch sees an answer that is opened, by any of the usual ways', async () => {
  const ways: readonly (() => unknown)[] = [
    () => fs.readFileSync(join(folder, 'answer.yml')),
    () => fs.promises.readFile(join(folder, 'truth.json')),
    async () => (await fs.promises.open(join(folder, 'scenario.yml'))).close(),
    () => fs.closeSync(fs.openSync(join(folder, 'QA_VALIDATION.md'), 'r')),
  ];
  for (const way of ways) {
    const seen = await opened(way);
    expect(answers.filter((name) => seen.has(name))).toHaveLength(1);
  }
});
