/** Questions to a language model from inside a cell. The model sees only what it is passed. */
import { type BudgetEnd, isSondeError, quoteMaterial, withRemedy } from '../../../core/index.ts';
import {
  beginDialogue,
  type ModelFailure,
  promptFile,
  type Tier,
  textOf,
  turn,
  withoutThoughts,
} from '../../../model/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { runParallel } from '../report/in-window.ts';
import { away, maybeBack } from '../talk/away.ts';
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

/** Characters. */
const maxPromptLength = 400_000;
/** Prompts per call of the host: the helper splits longer lists. */
const maxPrompts = 1_000;

export const llmQuery: Helper = async (args, call) => {
  const prompts = textsArgument(args, 'prompts', maxPrompts, maxPromptLength);
  const given = args['materials'];
  const materials = Array.isArray(given) ? given : prompts.map(() => null);
  if (materials.length !== prompts.length)
    refuse(`${prompts.length} prompts and ${materials.length} materials`);
  const tier = tierOf(args['model'], call);
  const maxOutputTokens = wholeArgument(args, 'max_tokens', 1, 16_000) ?? 1000;
  const { runContext: context } = call;
  const ends = await runParallel(
    prompts.map(
      (prompt, index) => () =>
        answerOf(prompt, materials[index], { call, tier, maxOutputTokens, key: `${call.key}/${index}` }),
    ),
    context.limits.ask_width,
  );
  // One failed item is a value; if all fail, the model is unavailable and the run waits for it.
  const [first] = ends;
  if (first !== undefined && 'unavailable' in first && ends.every((end) => 'unavailable' in end))
    away(context, first.unavailable);
  const items = ends.map((end) =>
    'unavailable' in end ? { error: withRemedy(end.unavailable), code: end.unavailable.code } : end,
  );
  const failed = items.filter((item) => 'error' in item).length;
  return {
    value: items,
    summary: `${items.length} of ${context.models[tier].name}${failed === 0 ? '' : `, ${failed} failed`}: ${prompts[0]!.slice(0, 120)}`,
  };
};

function tierOf(model: unknown, { runContext: context }: HelperCall): Tier {
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

async function answerOf(
  prompt: string,
  material: unknown,
  { call, tier, maxOutputTokens, key }: HelperAskOptions,
): Promise<Slot | { readonly unavailable: ModelFailure }> {
  const { runContext: context, place, cell, signal } = call;
  const text = materialText(material);
  if (typeof text !== 'string') return text;
  const model = context.models[tier];
  const turnResult =
    text === '' ? prompt : `${prompt}\n\n${quoteMaterial(text, { source: 'material', trust: 'untrusted' })}`;
  const options = turnOptions(context, place, {
    ...{ model, maxOutputTokens, signal, name: 'llm-query' },
    number: cell.step,
  });
  const turnAttempt = await turn(
    context.step,
    key,
    model,
    beginDialogue({ system, tools: [] }, turnResult),
    options,
  );
  switch (turnAttempt.kind) {
    case 'replied': {
      const { stop, parts, by } = turnAttempt.reply;
      return slotOf(withoutThoughts(textOf({ kind: 'reply', by, parts })), stop, maxOutputTokens);
    }
    case 'exhausted':
      return { error: budgetEndText(turnAttempt), code: 'budget' };
    case 'failed':
      if (signal.aborted) return cancelledSlot;
      if (maybeBack(turnAttempt.failure)) return { unavailable: turnAttempt.failure };
      return { error: withRemedy(turnAttempt.failure), code: turnAttempt.failure.code };
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

/** An incomplete answer counts as none: code that counts or compares would take it as complete. */
function slotOf(text: string, stop: string, maxTokens: number): Slot {
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
