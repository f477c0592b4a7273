/**
 * The gate of an older commit, as a floor: reads rows from standard input, one a line, and prints the verdict of each.
 * A process of its own, since the modules are those of the checkout that it is given: `node bench/claims-gate.ts CHECKOUT`.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Asked, Lines } from './claims/set.ts';

/** What is used of `src/core/index.ts` as of 9b0012d. */
interface OldCore {
  evidence(fields: Readonly<Record<string, unknown>>): { readonly id: string };
  gateAnswer(request: Readonly<Record<string, unknown>>): Promise<{ readonly status: string }>;
}
/** What is used of `src/tasks/incident/diagnose/proof/prove.ts`: null if the claim is shown. */
interface OldProof {
  unshown(
    claim: string,
    contents: readonly string[],
    known: { readonly names: ReadonlySet<string>; readonly firstFailing: null },
  ): string | null;
}

const [checkout] = process.argv.slice(2);
if (checkout === undefined) {
  console.log('skipped: `node bench/claims.ts SET --floor CHECKOUT` starts it');
  process.exit(0);
}
const root = resolve(checkout);
const load = async <T>(path: string): Promise<T> => (await import(pathToFileURL(join(root, path)).href)) as T;
const core = await load<OldCore>('src/core/index.ts');
const proof = await load<OldProof>('src/tasks/incident/diagnose/proof/prove.ts');

for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line.trim() === '') continue;
  const row = JSON.parse(line) as Asked & { readonly id: string; readonly kind: string };
  const isShown = row.kind === 'incidents' ? isProved(row) : await isVerified(row);
  console.log(JSON.stringify({ id: row.id, verdict: isShown ? 'shown' : 'not shown' }));
}

function isProved({ claim, lines }: Asked): boolean {
  const contents = lines.map(({ text }) => text);
  return proof.unshown(claim, contents, { names: new Set(), firstFailing: null }) === null;
}

/** The claim as an answer that cites its lines, all of which the run has read. */
async function isVerified({ claim, lines }: Asked): Promise<boolean> {
  const evidence = lines.map(({ path, start, end, text }) =>
    core.evidence({
      ...{ file_path: path, start_line: start, end_line: end, content: text },
      ...{ reason: 'cited', provenance: 'manual' },
    }),
  );
  const ids = evidence.map(({ id }) => `[${id}]`).join(' ');
  const readText = async (path: string): Promise<unknown> => ({ kind: 'text', lines: laid(path, lines) });
  const { status } = await core.gateAnswer({
    text: `${claim.replace(/[.]$/, '')} ${ids}.`,
    evidence,
    reader: { readText },
    limits: { bytes: 1_000_000, json: 1_000_000 },
  });
  return status === 'verified';
}

function laid(path: string, lines: readonly Lines[]): readonly string[] {
  const rows: string[] = [];
  for (const { start, text } of lines.filter((one) => one.path === path))
    for (const [at, row] of text.split('\n').entries()) rows[start - 1 + at] = row;
  return Array.from(rows, (row) => row ?? '');
}
