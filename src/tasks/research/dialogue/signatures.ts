/** The typed model calls of a research run. */

import { z } from 'zod';
import { injectionGuard } from '../../../core/index.ts';
import { defineSignature, fillPrompt, promptFile } from '../../../model/index.ts';
import { confidence } from './confidence.ts';

const readPrompt = (name: string) => promptFile(new URL(`../prompts/${name}.md`, import.meta.url));

const sharedParts = { answer: readPrompt('answer-rules'), firewall: injectionGuard };

const fillTemplate = (name: string, values: Readonly<Record<string, string>> = {}) =>
  fillPrompt(readPrompt(name), { ...sharedParts, ...values });

export const finalAnswer = defineSignature({
  name: 'final-answer',
  instructions: fillTemplate('final-answer'),
  input: z.object({
    question: z.string().describe('What is to be found out'),
    scope: z.string().describe('The part of the material that is searched; fixed by the caller'),
    why: z.string().describe('Why the research has ended'),
    memo: z.string().optional().describe('What an assistant made of earlier evidence'),
    evidence: z.string().describe('Evidence held, the newest in full, each line with its number'),
  }),
  output: z.object({
    answer: z.string().describe('The answer, each claim with its evidence ids like [ev-0123456789]'),
    confidence,
  }),
});

export const summarizeEvidence = defineSignature({
  name: 'summarize-evidence',
  instructions: fillTemplate('summarize-evidence'),
  input: z.object({
    question: z.string().describe('What is to be found out'),
    goal: z.string().describe('What the memo should bring out'),
    evidence: z.string().describe('Evidence held, the newest in full, each line with its number'),
  }),
  output: z.object({ memo: z.string().describe('At most 250 words, each sentence with its evidence ids') }),
});
