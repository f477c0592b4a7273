/** Estimates the minimum size of the last turn of an investigation, so that its budget can be reserved. */
import { countDialogue, type Model, type Prices, turnCost } from '../../../model/index.ts';
import { listLengthFor } from '../cell/listed.ts';
import type { LastTurn } from '../limits.ts';
import { startDialogue } from './speech.ts';

/** The usual maximum of an answer. Tokens. */
export const usualReplyTokens = 600;
/** Tokens for lines about the material, the passed context, names and the budget. */
const otherTokens = 600;
/** A token of a list of paths has at least about three characters. */
const charactersPerToken = 3;
/** A tokenizer that is not known may count up to this many tokens for each token of our estimate. */
const maxTokenRatio = 1.6;

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
export function estimateLastTurn({ model, prices, texts, tokens: tokenLimit }: LastTurnRequest): LastTurn {
  const firstDialogue = startDialogue(model, { text: texts.join('\n\n') });
  const options = { maxOutputTokens: usualReplyTokens, timeoutMs: 0, ...(prices && { prices }) };
  const { tokens: maxTokens = 0, usd = 0 } = turnCost(model, firstDialogue, options);
  // The size of the first message is known once it was sent; until then one token per byte is assumed.
  const outputTokens = usualReplyTokens + (model.thinking ?? 0);
  const likelyTokens = Math.min(maxTokens, countDialogue(firstDialogue) * maxTokenRatio + outputTokens);
  const tokens = Math.ceil(likelyTokens + otherTokens + listLengthFor(tokenLimit) / charactersPerToken);
  return { tokens, usd: maxTokens > 0 ? (usd * tokens) / maxTokens : 0 };
}
