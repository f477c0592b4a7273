/** The result of a run as fields, for programs. The answer is the same as in the text. */
import { z } from 'zod';
import {
  type Citation,
  citationStatuses,
  claimFlags,
  claimVerdicts,
  countVerdicts,
  provenances,
  type RunResult,
  shortLine,
  sortWorstFirst,
  stopReasons,
  toPlainText,
  verifications,
} from '../../core/index.ts';
import { fitAnswer, isShortEnough } from './answer-text.ts';

// Loose, so that a client with an older schema accepts fields that were added later.
const citation = z.looseObject({
  id: z.string(),
  path: z.string().describe('Relative to the folder that was asked about.'),
  start_line: z.int(),
  end_line: z.int(),
  provenance: z.enum(provenances).describe('How it was found.'),
  status: z.enum(citationStatuses).describe('The result of re-reading: valid, or what is wrong.'),
});

export const runOutput = z.looseObject({
  run_id: z.string(),
  status: z.enum(verifications).describe('How well the answer is supported.'),
  stop_reason: z.enum(stopReasons).describe('How the run ended.'),
  answer: z.string().describe('Shortened if it is long; report.md of the run contains all of it.'),
  citations: z.array(citation),
  citations_left_out: z.int().describe('How many more there are; evidence.json of the run has all.'),
  unsupported_count: z.int().describe('Claims of the answer that are contradicted or not shown.'),
  claims: z
    .array(
      z.looseObject({
        text: z.string(),
        verdict: z.enum(claimVerdicts),
        why: z.string().optional(),
        evidence: z.array(z.string()),
        flags: z.array(z.enum(claimFlags)),
      }),
    )
    .describe('Claims of the answer: all of them, or the worst first if there is no room for all.'),
  claims_left_out: z.int().describe('How many more there are; claims.json of the run has all.'),
  claim_counts: z.record(z.string(), z.int()).describe('How many claims have each verdict.'),
  missing: z.array(z.string()).describe('Names in the question that occur nowhere in the folder.'),
  model: z.string(),
  confidence: z.number().nullable().describe('0 to 1; null if no model judged it.'),
});
export type RunOutput = z.output<typeof runOutput>;

const maxNames = 10;
const nameCharacters = 80;
const whyCharacters = 120;

/** Under 800 tokens as JSON, since many clients show this to their model instead of the text. */
export function structureAnswer(result: RunResult, redact: (text: string) => string): RunOutput {
  const cleanText = (text: string): string => redact(toPlainText(text));
  const name = (text: string): string => cleanText(shortLine(text, nameCharacters));
  const toCitation = ({ id, path, start_line, end_line, provenance, status }: Citation) => ({
    id,
    path: cleanText(path),
    start_line,
    end_line,
    provenance,
    status,
  });
  const { claims = [], claim_counts } = result;
  const counts = claim_counts ?? countVerdicts(claims);
  const outputClaims = claims.map(({ text, why, evidence, flags, ...rest }) => ({
    ...rest,
    evidence: [...evidence],
    flags: [...flags],
    text: name(text),
    ...(why !== undefined && { why: cleanText(shortLine(why, whyCharacters)) }),
  }));
  const withoutClaims = fitAnswer<RunOutput>(
    result.citations,
    cleanText(result.answer).trim(),
    JSON.stringify,
    (answer, citations) => ({
      run_id: result.run_id,
      status: result.status,
      stop_reason: result.stop_reason,
      answer,
      citations: citations.map(toCitation),
      citations_left_out: result.citations.length - citations.length,
      unsupported_count: result.unsupported.length,
      claims: [] as RunOutput['claims'],
      claims_left_out: outputClaims.length,
      claim_counts: counts,
      missing: (result.missing ?? []).slice(0, maxNames).map(name),
      model: name(result.model),
      confidence: result.confidence,
    }),
  );
  // All claims if they fit, otherwise the worst ones.
  for (const list of [outputClaims, sortWorstFirst(outputClaims) as RunOutput['claims']])
    for (let count = outputClaims.length; count > 0; count = list === outputClaims ? 0 : count - 1) {
      const fullOutput = {
        ...withoutClaims,
        claims: list.slice(0, count),
        claims_left_out: outputClaims.length - count,
      };
      if (isShortEnough(JSON.stringify(fullOutput))) return fullOutput;
    }
  return withoutClaims;
}
