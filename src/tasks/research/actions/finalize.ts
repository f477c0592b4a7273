import { z } from 'zod';
import { action } from './action.ts';

export const finalize = action({
  name: 'finalize',
  about:
    'Ends the research with the answer. Do it as soon as the evidence answers the question; a claim without evidence is dropped.',
  input: z.object({
    answer: z
      .string()
      .describe('The answer, under 500 words, each claim with its evidence ids like [ev-0123456789]'),
    confidence: z
      .number()
      .default(0.5)
      .describe('0 to 1: how sure you are that the evidence carries the answer'),
  }),
  available: () => true,
  async run({ answer, confidence }) {
    if (answer.trim() === '') return { kind: 'failed', message: 'The answer is empty.' };
    return {
      kind: 'done',
      summary: 'answered',
      text: '',
      evidence: [],
      completeness: 'complete',
      notes: [],
      final: { answer, confidence: Number.isFinite(confidence) ? Math.min(1, Math.max(0, confidence)) : 0 },
    };
  },
});
