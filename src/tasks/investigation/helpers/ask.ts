/** Questions to a language model from within a cell. The model sees what it is passed, and nothing else. */
import { isSondeError, withRemedy } from '../../../core/index.ts';
import { type ModelMessage, promptFile, type Tier, withoutThoughts } from '../../../model/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { firewall, quoteMaterial } from '../../../session/index.ts';
import { askText } from '../ask-text.ts';
import { batchSize } from '../limits.ts';
import {
  type Helper,
  type HelperCall,
  refuse,
  textArgument,
  textsArgument,
  wholeArgument,
} from './helper.ts';

const instructions = promptFile(new URL('../prompts/analyst.md', import.meta.url));

/** Characters. */
const longestPrompt = 400_000;

export const llmQuery: Helper = async (args, call) => {
  const prompts = textsArgument(args, 'prompts', batchSize, longestPrompt);
  const given = args['materials'];
  const materials = Array.isArray(given) ? given : prompts.map(() => null);
  if (materials.length !== prompts.length)
    refuse(`${prompts.length} prompts and ${materials.length} materials`);
  const tier = tierOf(args['model'], call);
  const maxOutputTokens = wholeArgument(args, 'max_tokens', 1, 16_000) ?? 1000;
  const items = await Promise.all(
    prompts.map((prompt, index) =>
      answerOf(prompt, materials[index], { call, tier, maxOutputTokens, key: `${call.key}/${index}` }),
    ),
  );
  const failed = items.filter((item) => 'error' in item).length;
  return {
    value: items,
    summary: `${items.length} of ${call.crew.models[tier].name}${failed === 0 ? '' : `, ${failed} failed`}: ${prompts[0]!.slice(0, 120)}`,
  };
};

function tierOf(model: unknown, { crew }: HelperCall): Tier {
  if (model === undefined || model === null || model === 'analyst') return crew.inner;
  if (model === 'planner') return crew.outer;
  return refuse('model is "analyst" or "planner"');
}

export type Slot = { readonly value: Value } | { readonly error: string; readonly code: string };

async function answerOf(
  prompt: string,
  material: unknown,
  how: {
    readonly call: HelperCall;
    readonly tier: Tier;
    readonly maxOutputTokens: number;
    readonly key: string;
  },
): Promise<Slot> {
  const { call, tier, maxOutputTokens, key } = how;
  const { crew, place, cell, signal } = call;
  let text = '';
  try {
    if (material !== null && material !== undefined)
      text = textArgument({ material }, 'material', longestPrompt);
  } catch (thrown) {
    if (isSondeError(thrown, 'bad_argument')) return { error: thrown.message, code: thrown.code };
    throw thrown;
  }
  const messages: readonly ModelMessage[] = [
    { role: 'system', text: `${instructions}\n\n${firewall}`, cache: true },
    {
      role: 'user',
      text:
        text === ''
          ? prompt
          : `${prompt}\n\n${quoteMaterial(text, { source: 'material', trust: 'untrusted' })}`,
    },
  ];
  const said = await askText(crew, messages, {
    model: crew.models[tier],
    pool: place.pool,
    step: cell.step,
    key,
    signature: 'llm-query',
    maxOutputTokens,
    signal,
  });
  switch (said.kind) {
    case 'text':
      return slotOf(withoutThoughts(said.text), said.cut, maxOutputTokens);
    case 'exhausted':
      return { error: outOf(said.exhausted.resource), code: 'budget' };
    case 'failed':
      return { error: withRemedy(said), code: said.code };
    case 'cancelled':
      return { error: 'the run was cancelled', code: 'cancelled' };
  }
}

/** Half an answer is none: code that counts or compares would take it for one. */
function slotOf(text: string, cut: boolean, maxTokens: number): Slot {
  if (cut)
    return {
      error: `the reply was cut off at its limit of ${maxTokens} tokens: ask for less, or raise max_tokens`,
      code: 'cut',
    };
  return text === '' ? { error: 'the reply was empty', code: 'empty' } : { value: text };
}

export function outOf(resource: string): string {
  return `the budget is at its end: out of ${resource}. Call FINAL with what you have.`;
}
