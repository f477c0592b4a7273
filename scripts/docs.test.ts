import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pageFile, pages } from './docs.ts';

it.each(Object.keys(pages))('%s says what the program says (else run npm run docs)', async (name) => {
  expect(readFileSync(pageFile(name), 'utf8')).toBe(`${await pages[name]!()}\n`);
});
