/**
 * `llm_query()` of the sandbox: asks a language model, which sees only the prompt and the material that it is passed.
 */
import { appendRemedy, type BudgetEnd, isSondeError, quoteMaterial } from '../../../core/index.ts';
import {
  beginDialogue,
  type ModelFailure,
  promptFile,
  requestTurn,
  type Tier,
  textOf,
  withoutThoughts,
} from '../../../model/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { runParallel } from '../report/in-window.ts';
import { abortUnavailable, mayBeTemporary } from '../talk/away.ts';
import { turnOptions } from '../talk/turn-options.ts';
import {
  type Helper,
  type HelperCall,
  refuse,
  textArgument,
  textsArgument,
  wholeArgument,
} from './helper.ts';

const system = promptFile(new URL('../prompts/analyst.md', import.meta.url));

/** Maximum characters of a prompt, and of a material. */
const maxPromptLength = 400_000;
/** Maximum prompts per call of the host. The Python function splits longer lists. */
const maxPrompts = 1_000;

export const llmQuery: Helper = async (args, call) => {
  const prompts = textsArgument(args, 'prompts', maxPrompts, maxPromptLength);
  const givenMaterials = args['materials'];
  const materials = Array.isArray(givenMaterials) ? givenMaterials : prompts.map(() => null);
  if (materials.length !== prompts.length)
    refuse(`${prompts.length} prompts and ${materials.length} materials`);
  const tier = readTier(args['model'], call);
  const maxOutputTokens = wholeArgument(args, 'max_tokens', 1, 16_000) ?? 1000;
  const { runContext: context } = call;
  const outcomes = await runParallel(
    prompts.map(
      (prompt, index) => () =>
        answerPrompt(prompt, materials[index], { call, tier, maxOutputTokens, key: `${call.key}/${index}` }),
    ),
    context.limits.ask_width,
  );
  // A failed item is returned as a value. If the model is unavailable for all items, the run waits for it.
  const [first] = outcomes;
  if (first !== undefined && 'unavailable' in first && outcomes.every((end) => 'unavailable' in end))
    abortUnavailable(context, first.unavailable);
  const items = outcomes.map((outcome) =>
    'unavailable' in outcome
      ? { error: appendRemedy(outcome.unavailable), code: outcome.unavailable.code }
      : outcome,
  );
  const failedCount = items.filter((item) => 'error' in item).length;
  return {
    value: items,
    summary: `${items.length} of ${context.models[tier].name}${failedCount === 0 ? '' : `, ${failedCount} failed`}: ${prompts[0]!.slice(0, 120)}`,
  };
};

function readTier(model: unknown, { runContext: context }: HelperCall): Tier {
  if (model === undefined || model === null || model === 'analyst') return context.inner;
  if (model === 'planner') return context.outer;
  return refuse('model is "analyst" or "planner"');
}

export type Slot = { readonly value: Value } | { readonly error: string; readonly code: string };

interface HelperAskOptions {
  readonly call: HelperCall;
  readonly tier: Tier;
  readonly maxOutputTokens: number;
  readonly key: string;
}

async function answerPrompt(
  prompt: string,
  material: unknown,
  { call, tier, maxOutputTokens, key }: HelperAskOptions,
): Promise<Slot | { readonly unavailable: ModelFailure }> {
  const { runContext: context, place, cell, signal } = call;
  const text = materialText(material);
  if (typeof text !== 'string') return text;
  const model = context.models[tier];
  const message =
    text === '' ? prompt : `${prompt}\n\n${quoteMaterial(text, { source: 'material', trust: 'untrusted' })}`;
  const options = turnOptions(context, place, {
    ...{ model, maxOutputTokens, signal, name: 'llm-query' },
    number: cell.step,
  });
  const attempt = await requestTurn(
    context.step,
    key,
    model,
    beginDialogue({ system, tools: [] }, message),
    options,
  );
  switch (attempt.kind) {
    case 'replied': {
      const { stop, parts, by } = attempt.reply;
      return toSlot(withoutThoughts(textOf({ kind: 'reply', by, parts })), stop, maxOutputTokens);
    }
    case 'exhausted':
      return { error: budgetEndText(attempt), code: 'budget' };
    case 'failed':
      if (signal.aborted) return cancelledSlot;
      if (mayBeTemporary(attempt.failure)) return { unavailable: attempt.failure };
      return { error: appendRemedy(attempt.failure), code: attempt.failure.code };
    case 'cancelled':
      return cancelledSlot;
  }
}

const cancelledSlot: Slot = { error: 'the run was cancelled', code: 'cancelled' };

function materialText(material: unknown): string | Slot {
  if (material === null || material === undefined) return '';
  try {
    return textArgument({ material }, 'material', maxPromptLength);
  } catch (thrown) {
    if (isSondeError(thrown, 'bad_argument')) return { error: thrown.message, code: thrown.code };
    throw thrown;
  }
}

/** A reply that was cut off is an error, since code that counts or compares would take it as complete. */
function toSlot(text: string, stop: string, maxTokens: number): Slot {
  if (stop === 'length')
    return {
      error: `the reply was cut off, though it was asked for again with more room than max_tokens=${maxTokens}: ask for less`,
      code: 'cut',
    };
  if (stop === 'refusal') return { error: 'the model refused to answer', code: 'refused' };
  return text === '' ? { error: 'the reply was empty', code: 'empty' } : { value: text };
}

function budgetEndText({ resource }: Pick<BudgetEnd, 'resource'>): string {
  return `the budget is at its end: out of ${resource}. Call FINAL with what you have.`;
}
