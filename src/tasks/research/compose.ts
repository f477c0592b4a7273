/** The answer before the gate: as a model wrote it, or put together from what the research holds. */
import { estimateTokens } from '../../model/index.ts';
import { type Extract, extractLines, extracts } from './extract.ts';
import type { End, ResearchState } from './state.ts';

/** The caller gets at most this much, with room left for the citations that follow: by the estimate that errs high. */
const mostTokens = 700;
const mostFiles = 7;

/** Where a step of the policy ended without a model. */
const unaided = 'No model was used: these are the lines that search found most telling, not an explanation.';

export function composed(state: ResearchState, end: End): string {
  return end.answer === null ? extracted(state, end.trouble) : end.answer.trim();
}

function extracted(state: ResearchState, trouble: string | null): string {
  const lead =
    trouble === null
      ? unaided
      : `${trouble} Until then, these lines were found most telling, by search alone.`;
  const found = extracts(state, mostFiles);
  if (found.length === 0) return `${lead}\n\nNothing was found that bears on the question.`;
  let text = lead;
  for (const extract of found) {
    const longer = `${text}${text === lead ? '\n' : ''}\n${linesOf(extract)}`;
    if (estimateTokens(longer) > mostTokens) break;
    text = longer;
  }
  return text;
}

const linesOf = (extract: Extract) => extractLines(extract).join('\n');
