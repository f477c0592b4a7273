/** The prompt that asks a model for a summary of long work. */

import { z } from 'zod';
import { injectionGuard } from '../../core/index.ts';
import { defineSignature, fillPrompt, promptFile, type Signature } from '../../model/index.ts';
import { memoryCandidate } from './compact-form.ts';

const input = z.object({
  work: z.string().describe('What was to be done'),
  trace: z.string().describe('What was done'),
});

const output = z.object({
  summary: z.string().min(1).max(8000).describe('All that the conversation still needs to know of it'),
  insights: z.array(memoryCandidate).max(20).describe('Facts worth keeping; mostly none'),
});

export type HistorySummary = z.infer<typeof output>;

export const condense: Signature<z.infer<typeof input>, HistorySummary> = defineSignature({
  name: 'condense',
  instructions: fillPrompt(promptFile(new URL('./condense.md', import.meta.url)), {
    firewall: injectionGuard,
  }),
  input,
  output,
});
