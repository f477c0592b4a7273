/** What the last turn of an investigation takes at least, so that so much is kept back for it. */
import { countDialogue, type Model, type Prices, turnCost } from '../../model/index.ts';
import type { LastTurn } from './limits.ts';
import { listLengthFor } from './listed.ts';
import { startDialogue } from './speech.ts';

/** An answer takes about so many at most. Tokens. */
export const usefulReply = 600;
/** Tokens for the lines about the material, about what was passed along, about names, and about the budget. */
const besides = 600;
/** A token of the list of texts is hardly less than three characters. */
const charactersEach = 3;
/** Unknown tokenizers take up to so many tokens for each of ours. */
const othersTake = 1.6;

interface Asked {
  readonly model: Model;
  readonly prices?: Prices | undefined;
  /** The question, and the form of the answer. */
  readonly texts: readonly string[];
  /** Tokens of the run. */
  readonly tokens: number;
}

/** With all earlier rounds left out: the first words, the names that the code made, and room for an answer. */
export function lastTurnOf({ model, prices, texts, tokens: limit }: Asked): LastTurn {
  const first = startDialogue(model, { text: texts.join('\n\n') });
  const options = { maxOutputTokens: usefulReply, timeoutMs: 0, ...(prices && { prices }) };
  const { tokens: max = 0, usd = 0 } = turnCost(model, first, options);
  // Once the first words were sent it is known what they take; until then a token may be a byte.
  const output = usefulReply + (model.thinking ?? 0);
  const likely = Math.min(max, countDialogue(first) * othersTake + output);
  const tokens = Math.ceil(likely + besides + listLengthFor(limit) / charactersEach);
  return { tokens, usd: max > 0 ? (usd * tokens) / max : 0 };
}
