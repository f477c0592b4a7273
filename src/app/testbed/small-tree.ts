/** A small code base to ask about, made anew for each test. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const files: Readonly<Record<string, string>> = {
  'README.md': '# Parcel\n\nA toy server that accepts parcels and retries their delivery.\n',
  'src/server.ts': [
    "import { deliver } from './delivery.ts';",
    "import { readLimits } from './limits.ts';",
    '',
    '/** Accepts a parcel and hands it to the delivery queue. */',
    'export async function acceptParcel(parcel: { id: string }): Promise<void> {',
    '  const limits = readLimits();',
    '  await deliver(parcel, limits.maxAttempts);',
    '}',
    '',
  ].join('\n'),
  'src/delivery.ts': [
    '/** Waits twice as long after every failed attempt, up to a minute. */',
    'export function backoffMs(attempt: number): number {',
    '  return Math.min(60_000, 500 * 2 ** attempt);',
    '}',
    '',
    '/** Tries to deliver a parcel; gives up after maxAttempts and moves it to the dead letter box. */',
    'export async function deliver(parcel: { id: string }, maxAttempts: number): Promise<void> {',
    '  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {',
    '    if (await tryOnce(parcel)) return;',
    '    await new Promise((done) => setTimeout(done, backoffMs(attempt)));',
    '  }',
    '  await moveToDeadLetterBox(parcel);',
    '}',
    '',
    'declare function tryOnce(parcel: { id: string }): Promise<boolean>;',
    'declare function moveToDeadLetterBox(parcel: { id: string }): Promise<void>;',
    '',
  ].join('\n'),
  'src/limits.ts': [
    '/** Reads PARCEL_MAX_ATTEMPTS; five attempts where it is not set. */',
    'export function readLimits(): { maxAttempts: number } {',
    "  return { maxAttempts: Number(process.env['PARCEL_MAX_ATTEMPTS'] ?? 5) };",
    '}',
    '',
  ].join('\n'),
};

export function createSmallTree(more: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-tree-')));
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The same with more than fits into one prompt, so that code is written to look through it. */
export function createLargerTree(): string {
  return createSmallTree({
    'filler.md': 'Nothing of this bears on anything that is asked here.\n'.repeat(1200),
  });
}
