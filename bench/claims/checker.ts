/**
 * The checker of claims, through the main entry point of the library: the lines are laid at their places into a folder of their own, and the
 * claim is an answer that cites them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verifyAnswer } from '../../src/index.ts';
import type { Check, Lines, Verdict } from './set.ts';

/** The first that one of the parts of a claim has is what becomes of the whole. */
const worstFirst: readonly Verdict[] = [
  'contradicted',
  'not shown',
  'unclear',
  'supported',
  'absent',
  'computed',
  'shown',
];

export const check: Check = async ({ claim, lines, file, fileStart = 1 }) => {
  const root = mkdtempSync(join(tmpdir(), 'sonde-bench-'));
  try {
    for (const [path, parts] of Map.groupBy(lines, (one) => one.path)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      const whole = file === undefined || path !== lines[0]?.path ? [] : [around(path, file, fileStart)];
      writeFileSync(join(root, path), laid([...whole, ...parts]));
    }
    const markers = lines.map((_, at) => `[${at + 1}]`).join(' ');
    const answer = `${claim.replace(/[.]$/, '')} ${markers}.`;
    const citations = lines.map(({ path, start, end }) => ({ path, start, end }));
    const { claims } = await verifyAnswer({ answer, citations }, { root });
    return worstFirst.find((verdict) => claims.some((one) => one.verdict === verdict)) ?? 'unclear';
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

const around = (path: string, text: string, start: number): Lines => ({
  path,
  start,
  end: start + text.split('\n').length - 1,
  text,
});

function laid(parts: readonly Lines[]): string {
  const rows: string[] = [];
  for (const { start, text } of parts)
    for (const [at, row] of text.split('\n').entries()) rows[start - 1 + at] = row;
  return Array.from(rows, (row) => row ?? '').join('\n');
}
