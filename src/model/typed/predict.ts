import { z } from 'zod';
import type { BudgetEnd } from '../../core/index.ts';
import { type CallResult, type CallSetting, callModel } from '../call/call.ts';
import type { ModelFailure, ModelMessage, ModelReply, ModelRequest } from '../model.ts';
import { fillPrompt, promptFile } from '../prompt-file.ts';
import { withoutNulls } from './json-schema.ts';
import { replyValues } from './parse-reply.ts';
import { formatIssues, renderSignature, type Signature } from './signature.ts';

const repairPrompt = promptFile(new URL('../prompts/repair.md', import.meta.url));

export interface PredictSetting extends Omit<CallSetting, 'name'> {
  /** Names the call within the run, the same on every replay; the repair is recorded beside it. */
  readonly key: string;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly temperature?: number;
  readonly signal?: AbortSignal;
  readonly onText?: (piece: string) => void;
  /** False: an answer that does not fit is a failure at once. Default: it gets one repair turn. */
  readonly repair?: boolean;
}

export type Prediction<O> =
  | {
      readonly kind: 'value';
      readonly value: O;
      /** Whether the repair turn was needed. */
      readonly repaired: boolean;
      /** The model that answered. */
      readonly model: string;
    }
  | {
      /** No answer fits, not even that of the repair turn if there was one. */
      readonly kind: 'model_output';
      readonly message: string;
      readonly remedy: string;
      readonly issues: readonly string[];
      /** The last answer, as it came. */
      readonly text: string;
    }
  | { readonly kind: 'model_failed'; readonly failure: ModelFailure }
  | { readonly kind: 'exhausted'; readonly exhausted: BudgetEnd };

/**
 * Asks a model to fill a signature. An answer that does not fit gets one repair turn that shows what is wrong;
 * after that the failure is a value. Throws only for bad input and for bugs.
 */
export async function predict<I, O>(
  signature: Signature<I, O>,
  input: I,
  setting: PredictSetting,
): Promise<Prediction<O>> {
  const messages = renderSignature(signature, input);
  const callSetting = { ...setting, name: signature.name };
  const firstResult = await callModel(createRequest(signature, messages, setting), setting.key, callSetting);
  if (firstResult.kind !== 'replied') return toFailedPrediction(firstResult);
  const firstOutput = readReply(signature, firstResult.reply.text);
  if (firstOutput.kind === 'value') return toPrediction(firstOutput.value, false, firstResult.reply);
  if (firstResult.reply.stop === 'refusal')
    return createOutputFailure(signature, setting, ['the model refused to answer'], firstResult.reply);

  if (setting.repair === false)
    return createOutputFailure(signature, setting, firstOutput.issues, firstResult.reply);
  const issues = [...(firstResult.reply.stop === 'length' ? [cutOffIssue] : []), ...firstOutput.issues];
  const repairRequest = createRequest(
    signature,
    [...messages, ...repairTurn(firstResult.reply, issues)],
    setting,
  );
  const limit =
    firstResult.reply.stop === 'length'
      ? Math.max(repairRequest.maxOutputTokens * 2, minThinkingOutput)
      : repairRequest.maxOutputTokens;
  const secondResult = await callModel(
    { ...repairRequest, maxOutputTokens: limit },
    `${setting.key}/repair`,
    callSetting,
  );
  if (secondResult.kind !== 'replied') return toFailedPrediction(secondResult);
  const secondOutput = readReply(signature, secondResult.reply.text);
  if (secondOutput.kind === 'value') return toPrediction(secondOutput.value, true, secondResult.reply);
  return createOutputFailure(signature, setting, secondOutput.issues, secondResult.reply);
}

/** Models that always think spend output tokens on thinking. After a reply that was cut off, the limit is at least this. */
const minThinkingOutput = 8_000;

const cutOffIssue = 'the answer was cut off at the output limit: make it shorter';

function createRequest<I, O>(
  signature: Signature<I, O>,
  messages: readonly ModelMessage[],
  setting: PredictSetting,
): ModelRequest {
  return {
    messages,
    schema: { name: signature.name, json: signature.schema.json },
    maxOutputTokens: setting.maxOutputTokens,
    timeoutMs: setting.timeoutMs,
    ...(setting.temperature !== undefined && { temperature: setting.temperature }),
    ...(setting.signal && { signal: setting.signal }),
    ...(setting.onText && { onText: setting.onText }),
  };
}

type ParsedOutput<O> =
  | { readonly kind: 'value'; readonly value: O }
  | { readonly kind: 'unfit'; readonly issues: readonly string[] };

/**
 * Returns the first value in the text that fits the schema. If none fits, returns the issues of the likeliest value, or
 * says that there is none.
 */
function readReply<I, O>(signature: Signature<I, O>, text: string): ParsedOutput<O> {
  let issues: readonly string[] | undefined;
  for (const value of replyValues(text))
    for (const candidate of listReadings(value, signature.schema.wrapped)) {
      const parsed = z.safeParse(signature.output, candidate);
      if (parsed.success) return { kind: 'value', value: parsed.data };
      issues ??= formatIssues(parsed.error);
    }
  return {
    kind: 'unfit',
    issues: issues ?? [text.trim() === '' ? 'the answer is empty' : 'there is no JSON in it'],
  };
}

/**
 * Lists the possible readings of a value: it may have the wrapping that the schema asked for or not, be alone in a list,
 * or have nulls for absent fields.
 */
function* listReadings(value: unknown, wrapped: boolean): Generator<unknown, void, undefined> {
  const readings = [
    ...(wrapped && typeof value === 'object' && value !== null && 'value' in value ? [value.value] : []),
    value,
    ...(Array.isArray(value) && value.length === 1 ? value : []),
  ];
  for (const reading of readings) {
    yield reading;
    yield withoutNulls(reading);
  }
}

/** Maximum characters of the answer that the repair turn shows, so that an endless answer does not double the cost. */
const maxShownLength = 12_000;

function repairTurn(reply: ModelReply, issues: readonly string[]): readonly ModelMessage[] {
  const problems = issues.map((issue) => `- ${issue}`).join('\n');
  return [
    { role: 'assistant', text: reply.text.trim().slice(0, maxShownLength).trimEnd() || '(empty)' },
    { role: 'user', text: fillPrompt(repairPrompt, { problems }) },
  ];
}

function toPrediction<O>(value: O, repaired: boolean, reply: ModelReply): Prediction<O> {
  return { kind: 'value', value, repaired, model: reply.model };
}

function createOutputFailure<I, O>(
  signature: Signature<I, O>,
  setting: PredictSetting,
  issues: readonly string[],
  reply: ModelReply,
): Prediction<O> {
  return {
    kind: 'model_output',
    message: `${setting.model.name} gave no usable ${signature.name}: ${issues.join('; ')}`,
    remedy: 'Choose a stronger model, or one that can be held to a JSON schema.',
    issues,
    text: reply.text,
  };
}

function toFailedPrediction<O>(callResult: Exclude<CallResult, { kind: 'replied' }>): Prediction<O> {
  return callResult.kind === 'failed'
    ? { kind: 'model_failed', failure: callResult.failure }
    : { kind: 'exhausted', exhausted: callResult };
}
