/** What the models are asked, with types on both sides. */
import { z } from 'zod';
import { fillPrompt, promptFile, type Signature, signature } from '../../model/index.ts';
import { firewall } from '../../session/index.ts';
import type { Action } from './actions/action.ts';
import { asChoice } from './choice-forms.ts';
import { confidence } from './confidence.ts';

const prompt = (name: string) => promptFile(new URL(`./prompts/${name}.md`, import.meta.url));

const parts = { answer: prompt('answer-rules'), firewall };

const filled = (name: string, values: Readonly<Record<string, string>> = {}) =>
  fillPrompt(prompt(name), { ...parts, ...values });

const page = {
  question: z.string().describe('What is to be found out'),
  scope: z.string().describe('The part of the material that is searched; fixed by the caller'),
};

const held = {
  memo: z.string().optional().describe('What an assistant made of earlier evidence'),
  evidence: z.string().describe('Evidence held, the newest in full, each line with its number'),
};

const actionInput = z.object({
  ...page,
  budget: z.string().describe('What is left'),
  steps: z.string().describe('The steps taken so far'),
  told: z.string().optional().describe('A remark of the program on your last step'),
  result: z.string().optional().describe('What the last step gave besides evidence'),
  ...held,
});

export type ActionPage = z.infer<typeof actionInput>;

export interface ChosenAction {
  readonly reasoning: string;
  readonly action: Readonly<Record<string, unknown>> & { readonly name: string };
}

/** Exactly one action with its own input: alternatives under a plain object, as native structured output wants. */
export function chooseAction(actions: readonly Action[]): Signature<ActionPage, ChosenAction> {
  const [first, ...rest] = actions.map((action) =>
    z.object({ name: z.literal(action.name), ...action.input.shape }),
  );
  if (first === undefined) throw new RangeError('there is no action to choose');
  return signature({
    name: 'choose-action',
    instructions: filled('choose-action', { actions: actions.map(described).join('\n') }),
    input: actionInput,
    output: z.preprocess(
      asChoice,
      z.object({
        reasoning: z
          .string()
          .describe('One or two sentences: what is known, what is missing, why this action'),
        action: z.discriminatedUnion('name', [first, ...rest]),
      }),
    ) as unknown as z.ZodType<ChosenAction>,
  });
}

/** The fields and what they mean stand in the form of the reply, which the signature describes. */
const described = ({ name, about }: Action) => `- **${name}**: ${about}`;

export const finalAnswer = signature({
  name: 'final-answer',
  instructions: filled('final-answer'),
  input: z.object({
    ...page,
    why: z.string().describe('Why the research has ended'),
    steps: z.string().describe('The steps that were taken'),
    ...held,
  }),
  output: z.object({
    answer: z.string().describe('The answer, each claim with its evidence ids like [ev-0123456789]'),
    confidence,
  }),
});

export const summarizeEvidence = signature({
  name: 'summarize-evidence',
  instructions: filled('summarize-evidence'),
  input: z.object({
    question: page.question,
    goal: z.string().describe('What the memo should bring out'),
    evidence: held.evidence,
  }),
  output: z.object({ memo: z.string().describe('At most 250 words, each sentence with its evidence ids') }),
});
