/** Asks the analyst which of the found definitions answer the question best, in one call without repair. */
import { z } from 'zod';
import {
  appendRemedy,
  type Evidence,
  injectionGuard,
  quoteMaterial,
  resourceNames,
} from '../../../core/index.ts';
import { defineSignature, fillPrompt, promptFile } from '../../../model/index.ts';
import { ask, askShorter } from '../dialogue/ask.ts';
import { formatPlace, questionPage } from '../dialogue/page.ts';
import { excerptOf } from '../lines/definition-blocks.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';

const rerankSignature = defineSignature({
  name: 'rerank-definitions',
  instructions: fillPrompt(promptFile(new URL('../prompts/rerank-definitions.md', import.meta.url)), {
    firewall: injectionGuard,
  }),
  input: z.object({
    question: z.string().describe('What is to be found out'),
    definitions: z.string().describe('Definitions, a block each, named 1, 2, 3 …'),
  }),
  output: z.object({ best: z.array(z.number()).describe('Numbers of definitions, best first') }),
});

/** Bytes of each definition that the model sees, by attempt: fewer after an attempt that the budget did not pay for. */
const excerptBytes = [900, 400, 150] as const;
const maxOutputTokens = 1_000;

/** Indices of the best definitions, from 0, or the reason why no model ranked them. */
export type RerankResult = { readonly best: readonly number[] } | { readonly failure: string };

export interface RerankRequest {
  readonly state: Pick<ResearchState, 'question' | 'step'>;
  /** Unique within the run. */
  readonly key: string;
  readonly signal: AbortSignal;
}

export async function rerank(
  definitions: readonly Evidence[],
  { state, key, signal }: RerankRequest,
  context: RunContext,
): Promise<RerankResult> {
  let attempt = 0;
  const askOutcome = await askShorter(key, (attemptKey) =>
    ask(
      { ...context, signal },
      rerankSignature,
      {
        question: questionPage(state),
        definitions: definitionsPage(state.question, definitions, excerptBytes[attempt++] ?? 0),
      },
      {
        ...{
          model: context.models.analyst,
          step: state.step,
          key: attemptKey,
          final: false,
          maxOutputTokens,
        },
        repair: false,
      },
    ),
  );
  switch (askOutcome.kind) {
    case 'value':
      return { best: askOutcome.value.best.map((n) => n - 1) };
    case 'exhausted':
      return { failure: `The budget (${resourceNames[askOutcome.exhausted.resource]}) is too small for it.` };
    case 'cancelled':
      return { failure: 'cancelled' };
    case 'failed':
      return { failure: appendRemedy(askOutcome) };
    case 'malformed':
      return { failure: askOutcome.message };
  }
}

function definitionsPage(question: string, definitions: readonly Evidence[], bytes: number): string {
  return definitions
    .map((evidence, n) => {
      const text = excerptOf(evidence, question, definitions, bytes);
      return `${n + 1}\n${quoteMaterial(text, { source: formatPlace(evidence), trust: 'untrusted' })}`;
    })
    .join('\n\n');
}
