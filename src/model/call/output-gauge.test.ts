import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countTokens } from '../tokens/tokens.ts';
import { outputGauge } from './output-gauge.ts';

const texts: Readonly<Record<string, string>> = {
  code: readFileSync(new URL('../language-model.ts', import.meta.url), 'utf8'),
  prose: readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8'),
  'ruled lines': `${'-'.repeat(120)}\n${' '.repeat(100)}x\n`.repeat(100),
  'long words': 'incomprehensibilities internationalization responsibilities\n'.repeat(100),
  Amharic: 'ሰላም ለዓለም ይህ የአማርኛ ጽሑፍ ነው '.repeat(100),
  Chinese: '今天天气很好我们去公园散步吧。'.repeat(100),
  emoji: '😀🎉👩‍👩‍👧🏳️‍🌈'.repeat(100),
  numbers: '00000000 20261122 3.14159, '.repeat(100),
  apostrophes: "it's they're don't we'll ".repeat(100),
};

test.each(Object.entries(texts))('%s that are as long as was asked for are never stopped', (_name, text) => {
  const limit = countTokens(text);
  expect(outputGauge(limit).add(text)).toBe(false);
  const bySingles = outputGauge(limit);
  expect([...text].some((piece) => bySingles.add(piece))).toBe(false);
});

test.each([
  ['words', 'the quick brown fox jumps '],
  ['UUIDs', '3f2a9c1e-77b0-4c1d-9a2e-5d6f7a8b9c0d\n'],
  ['Amharic', 'ሰላም ለዓለም ይህ '],
  ['spaces', ' '.repeat(100)],
  ['one endless word', 'a'.repeat(100)],
])('%s without end are stopped within 64 KB of the limit', (_name, piece) => {
  const limit = 2_000;
  const gauge = outputGauge(limit);
  let text = '';
  while (!gauge.add(piece)) text += piece;
  // What an honest reply of the limit takes, and what may be on the wire.
  const honest = Math.floor((limit / countTokens(text)) * Buffer.byteLength(text));
  expect(Buffer.byteLength(text) - honest).toBeLessThan(65_536);
});
