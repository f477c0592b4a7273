/** The minimum size of the last turn of an investigation, so that it can be reserved. */
import { countDialogue, type Model, type Prices, turnCost } from '../../../model/index.ts';
import { listLengthFor } from '../cell/listed.ts';
import type { LastTurn } from '../limits.ts';
import { startDialogue } from './speech.ts';

/** The usual maximum of an answer. Tokens. */
export const usefulReply = 600;
/** Tokens for lines about the material, the passed context, names and the budget. */
const besides = 600;
/** A token of a list of paths has at least about three characters. */
const charactersEach = 3;
/** An unknown tokenizer may count up to this many tokens for each of ours. */
const othersTake = 1.6;

interface LastTurnRequest {
  readonly model: Model;
  readonly prices?: Prices | undefined;
  /** The question, and the form of the answer. */
  readonly texts: readonly string[];
  /** The token limit of the run. */
  readonly tokens: number;
}

/**
 * The size of the last turn if all earlier rounds are cut: the first message, the defined names, and room for an
 * answer.
 */
export function lastTurnOf({ model, prices, texts, tokens: limit }: LastTurnRequest): LastTurn {
  const first = startDialogue(model, { text: texts.join('\n\n') });
  const options = { maxOutputTokens: usefulReply, timeoutMs: 0, ...(prices && { prices }) };
  const { tokens: max = 0, usd = 0 } = turnCost(model, first, options);
  // The size of the first message is known once it was sent; until then one token per byte is assumed.
  const output = usefulReply + (model.thinking ?? 0);
  const likely = Math.min(max, countDialogue(first) * othersTake + output);
  const tokens = Math.ceil(likely + besides + listLengthFor(limit) / charactersEach);
  return { tokens, usd: max > 0 ? (usd * tokens) / max : 0 };
}
