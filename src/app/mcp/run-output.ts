/** What the tool of a kind of run gives to programs: the same answer as in its text, by fields. */
import { z } from 'zod';
import {
  type Citation,
  citationStatuses,
  plain,
  provenances,
  type RunResult,
  shortLine,
  stopReasons,
  verifications,
} from '../../core/index.ts';
import { fitted } from './answer-text.ts';

// Loose: a client that has kept an older listing takes fields that came later.
const citation = z.looseObject({
  id: z.string(),
  path: z.string().describe('Relative to the folder that was asked about.'),
  start_line: z.int(),
  end_line: z.int(),
  provenance: z.enum(provenances).describe('How it was found.'),
  status: z.enum(citationStatuses).describe('What re-reading found: valid, or what is wrong.'),
});

export const runOutput = z.looseObject({
  run_id: z.string(),
  status: z.enum(verifications).describe('What the answer is worth.'),
  stop_reason: z.enum(stopReasons).describe('How the run ended.'),
  answer: z.string().describe('Shortened where it is long; report.md of the run has it whole.'),
  citations: z.array(citation),
  citations_left_out: z.int().describe('How many more there are, in evidence.json of the run.'),
  unsupported_count: z.int().describe('Sentences of the answer that no confirmed citation carries.'),
  missing: z.array(z.string()).describe('Names in the question that occur nowhere here.'),
  model: z.string(),
  confidence: z.number().nullable().describe('0 to 1; null where nobody judged it.'),
});
export type RunOutput = z.output<typeof runOutput>;

const maxNames = 10;
const nameCharacters = 80;

/** Under 800 tokens as JSON, as the text is: many clients show their model this in place of the text. */
export function structuredAnswer(result: RunResult, redact: (text: string) => string): RunOutput {
  const clean = (text: string): string => redact(plain(text));
  const name = (text: string): string => clean(shortLine(text, nameCharacters));
  const cited = ({ id, path, start_line, end_line, provenance, status }: Citation) => ({
    id,
    path: clean(path),
    start_line,
    end_line,
    provenance,
    status,
  });
  return fitted(result.citations, clean(result.answer).trim(), JSON.stringify, (answer, shown) => ({
    run_id: result.run_id,
    status: result.status,
    stop_reason: result.stop_reason,
    answer,
    citations: shown.map(cited),
    citations_left_out: result.citations.length - shown.length,
    unsupported_count: result.unsupported.length,
    missing: (result.missing ?? []).slice(0, maxNames).map(name),
    model: name(result.model),
    confidence: result.confidence,
  }));
}
