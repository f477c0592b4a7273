/** Claims of a diagnosis that no record decides: a model reads each with its lines, in one call for all. */
import { type Claim, escapePath, sha256, type UnprovenClaim } from '../../../core/index.ts';
import { applyReading, type ClaimSource, claimsToRead } from '../../../gate/index.ts';
import { isExtractive } from '../../../model/index.ts';
import type { RunContext } from '../run-context.ts';
import type { IncidentState } from '../state.ts';
import type { Decision } from './claims.ts';

export interface OpenDecisions {
  /** Decisions by the text of the claim. */
  readonly words: ReadonlyMap<string, Decision>;
  /** Why no model could read the claims although one was configured; otherwise null. */
  readonly note: string | null;
}

const noDecisions: OpenDecisions = { words: new Map(), note: null };

export async function readOpenClaims(
  doubted: readonly UnprovenClaim[],
  { evidence }: Pick<IncidentState, 'evidence'>,
  context: RunContext,
): Promise<OpenDecisions> {
  const { models, readerPool, limits } = context;
  const { planner, analyst = planner } = models;
  if (readerPool === null || isExtractive(analyst)) return noDecisions;
  const open = doubted.filter(({ verdict }) => verdict === 'unclear');
  const sources = evidence
    .filter(({ id }) => open.some((claim) => claim.evidence.includes(id)))
    .map(
      ({ id, file_path, start_line: start, end_line: end, content }): ClaimSource => ({
        ...{ id, path: escapePath(file_path), start, end, content },
      }),
    );
  const claims = open.map(
    ({ text, evidence: ids }): Claim => ({
      ...{ text, verdict: 'unclear', evidence: ids, flags: [] },
    }),
  );
  const at = { kind: 'sentence', start: 0, end: 0 } as const;
  const weighed = {
    ...{ text: '', left: 0, sources, citations: [], searches: [], checked: [] },
    claims: claims.map((claim) => ({ claim, at })),
  };
  const asked = claimsToRead(weighed);
  if (asked.length === 0) return noDecisions;
  const key = `diagnose/read/${sha256(JSON.stringify(asked.map(({ id, text }) => [id, text]))).slice(0, 12)}`;
  const reading = { ...context, pool: readerPool, model: analyst, number: limits.iterations + 1 };
  const { readBatch } = await import('../../check/read-batch.ts');
  const { reply } = await readBatch(key, reading, asked);
  if (reply.kind === 'failed') return { words: new Map(), note: reply.message };
  const decisions = applyReading(weighed, reply)
    .claims.map(({ claim }) => claim)
    .filter(({ verdict }) => verdict !== 'unclear')
    .map(({ text, verdict, why }): [string, Decision] => [
      text,
      { verdict, ...(why !== undefined && { why }) },
    ]);
  return { words: new Map(decisions), note: reply.left ?? null };
}
