import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayImport } from '../.dependency-cruiser.mjs';

const root = join(import.meta.dirname, '..');
const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const rooms = Object.keys(mayImport).join('|');

/** Paths between backticks: from the root of the repository, or from a room. */
const named = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      new RegExp(`\`((?:src|scripts|bench|docs|sandbox/cpython|${rooms})/[\\w./-]+[.]\\w+)\``, 'g'),
    ),
  ]
    .map(([, path]) => path!)
    .filter((path) => !path.includes('NAME'));

const isThere = (path: string): boolean =>
  existsSync(join(root, path)) || existsSync(join(root, 'src', path));

it('names files that are there', () => {
  expect(isThere('src/world/no-such-file.ts')).toBe(false);
  expect(named(document).filter((path) => !isThere(path))).toEqual([]);
});

describe.each(['One question', 'One alert', 'One write'])('the walk of %s', (name) => {
  const section = document.split(/^## /m).find((each) => each.startsWith(`${name}, file by file`)) ?? '';
  const files = named(section);

  it('goes from the way in to the end, over files in several rooms', () => {
    expect(files.length).toBeGreaterThan(12);
    expect(files.filter((path) => !path.startsWith('src/'))).toEqual([]);
    expect(new Set(files.map((path) => path.split('/')[1])).size).toBeGreaterThan(2);
  });

  it('names with each file what does the work there', () => {
    const declared = (path: string, found: string): boolean =>
      new RegExp(`^(?:export )?(?:async )?(?:function|const|interface|type) ${found}\\b`, 'm').test(
        readFileSync(join(root, path), 'utf8'),
      );
    expect(declared('src/app/cli/main.ts', 'nothing')).toBe(false);
    const steps = [...section.matchAll(/`(src\/[\w./-]+[.]ts)`(?:\s+`(\w+)`)?/g)];
    expect(steps.length).toBe(files.length);
    const missing = steps.filter(([, path, found]) => found === undefined || !declared(path!, found));
    expect(missing.map(([text]) => text)).toEqual([]);
  });
});
