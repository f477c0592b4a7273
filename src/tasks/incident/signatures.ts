/** What a model is asked in an investigation, with types on both sides. */
import { z } from 'zod';
import { fillPrompt, promptFile, type Signature, signature } from '../../model/index.ts';
import { firewall } from '../../session/index.ts';
import type { GatherTool } from './gather/tools.ts';

const prompt = (name: string) => promptFile(new URL(`./prompts/${name}.md`, import.meta.url));
const filled = (name: string, values: Readonly<Record<string, string>> = {}) =>
  fillPrompt(prompt(name), { firewall, ...values });

const maybe = (what: string) => z.string().optional().describe(what);

export const readAlert = signature({
  name: 'read-alert',
  instructions: filled('read-alert'),
  input: z.object({ alert: z.string().describe('The alert as it was sent') }),
  output: z.object({
    kind: z.enum(['alert', 'noise', 'resolved']).describe('noise: chat, a greeting, a reply in a thread'),
    why: z.string().describe('One sentence'),
    alert_name: maybe('Its name, as it stands there'),
    severity: maybe('As it stands there'),
    service: maybe('The service it is about, as it stands there'),
    namespace: maybe('As it stands there'),
    metric: maybe('The metric it is about, as it stands there'),
    error_message: maybe('The error it quotes'),
    started: maybe('When the trouble began, ISO 8601 in UTC, where it says so'),
  }),
});

const page = {
  alert: z.string().describe('The alert as it was sent'),
  window: z.string().describe('The stretch of time that every query is kept to'),
  plan: z.string().describe('What was planned, and what of it is still to be done'),
  facts: z.string().describe('What the program worked out from the evidence'),
  calls: z.string().describe('Questions asked so far'),
  evidence: z.string().describe('Evidence held: in full, or as one line each'),
};

const turnInput = z.object({
  ...page,
  budget: z.string().describe('What is left'),
  told: z.string().optional().describe('A remark of the program on your last turn'),
});

export type TurnPage = z.infer<typeof turnInput>;

export interface TurnReply {
  readonly reasoning: string;
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly conclusion?: string | null | undefined;
}

/** Most calls of one turn. */
export const mostCalls = 6;

/** One turn of the loop: questions to ask, or the conclusion. */
export function nextTurn(tools: readonly GatherTool[]): Signature<TurnPage, TurnReply> {
  const [first, ...rest] = tools.map(({ name, parameters }) =>
    z.object({ tool: z.literal(name), arguments: parameters as z.ZodType<Record<string, unknown>> }),
  );
  if (first === undefined) throw new RangeError('there is no tool to ask');
  // Names are kept open: a wrong one is told to the model, and costs no repair turn.
  const call = z.union([
    z.discriminatedUnion('tool', [first, ...rest]),
    z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  ]);
  return signature({
    name: 'next-turn',
    instructions: filled('next-turn', { tools: tools.map(described).join('\n') }),
    input: turnInput,
    output: z.object({
      reasoning: z
        .string()
        .describe('One to three sentences: what is known, what is missing, why these calls'),
      calls: z.array(call).max(mostCalls).describe('Questions to ask now; empty with a conclusion'),
      conclusion: z.string().optional().describe('What happened and why, once the evidence shows it'),
    }),
  }) as unknown as Signature<TurnPage, TurnReply>;
}

const described = ({ name, description, cost }: GatherTool) => `- **${name}**: ${description} (${cost})`;

/** The last turn: there is nothing left to ask. */
export const conclude = signature({
  name: 'conclude',
  instructions: filled('conclude'),
  input: z.object({ ...page, why: z.string().describe('Why the investigation ends here') }),
  output: z.object({
    conclusion: z
      .string()
      .describe('What happened and why, as far as the evidence shows it, with evidence ids'),
  }),
});

const claim = z.object({
  text: z.string(),
  evidence: z.array(z.string()).describe('Ids like ev-0123456789 of the evidence that shows it'),
});

export const diagnoseOutput = z.object({
  verdict: z.enum(['code_change', 'config_change', 'no_code_change', 'inconclusive']),
  culprit: maybe('code_change: the hash of the commit. config_change: the name of the flag. Otherwise null'),
  root_cause: claim.describe('One or two sentences'),
  root_cause_category: z
    .string()
    .describe('Two or three words, like: cache expiry, slow query, traffic, provider outage'),
  causal_chain: z.array(claim).max(10).describe('From the cause to the alert, in order'),
  claims: z.array(claim).max(20).describe('Everything else that the conclusion rests on'),
  remediation_steps: z.array(z.string()).max(8).describe('What to do, the most urgent first'),
});

type Read<Value> = Value extends (infer Item)[]
  ? readonly Read<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Read<Value[Key]> }
    : Value;
export type WrittenDiagnosis = Read<z.infer<typeof diagnoseOutput>>;

export const diagnoseSignature = signature({
  name: 'diagnose',
  instructions: filled('diagnose'),
  input: z.object({ ...page, conclusion: z.string().describe('The conclusion of the investigation') }),
  output: diagnoseOutput,
});
