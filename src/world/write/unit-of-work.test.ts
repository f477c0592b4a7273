import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const threaded = /\bdb: Database,[^()]*\b(act: Act|trace: Trace)\b|\bact: Act,[^()]*\btrace: Trace\b/;

it('what a write does takes one unit of work, not its database, act and trace one by one', () => {
  expect('(db: Database, act: Act, page: PageRow)').toMatch(threaded);
  const room = dirname(join(import.meta.dirname, '../index.ts'));
  const files = globSync('**/*.ts', { cwd: room }).filter((file) => !/[.](test|contract)[.]ts$/.test(file));
  expect(files.length).toBeGreaterThan(60);
  expect(files.filter((file) => threaded.test(readFileSync(join(room, file), 'utf8')))).toEqual([]);
});
