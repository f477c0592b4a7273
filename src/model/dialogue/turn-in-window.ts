/** Requests a turn that fits its model's window. */
import type { AllAmounts, Step } from '../../core/index.ts';
import type { Model } from '../model.ts';
import type { Dialogue, DialogueCut } from './dialogue.ts';
import { requestTurn, type TurnAttempt, type TurnOptions, turnCost } from './turn.ts';
import { applyCut, chooseCut, cutAfterOverflow, findSentBefore, learnSize, payableCut } from './window.ts';

export interface WindowOptions extends TurnOptions {
  /** Tokens that the pool could pay: a longer request is shortened, too. */
  readonly left?: Pick<AllAmounts, 'tokens' | 'usd'>;
}

export type WindowedTurn = TurnAttempt & {
  /** The cut to pass to the next turn. */
  readonly cut: DialogueCut;
};

/** Few answers take more. Tokens. */
const usefulOutput = 600;
/** The largest share of a small window that the output may take. */
const maxOutputShare = 0.5;

/** Tokens of input that a model has room for beside its output. */
export function inputRoom(
  { contextWindow, maxOutput, thinking = 0 }: Pick<Model, 'contextWindow' | 'maxOutput' | 'thinking'>,
  maxOutputTokens: number,
): number {
  const output = Math.min(maxOutputTokens, maxOutput) + thinking;
  return Math.floor(contextWindow - Math.min(output, contextWindow * maxOutputShare));
}

/**
 * Like `requestTurn`, but sends only as much of the dialogue as fits the window. The cut is recorded as a step of its
 * own. If the provider still refuses the request as too long, more is cut and it is sent again.
 */
export async function requestTurnInWindow(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  previousCut: DialogueCut,
  options: WindowOptions,
): Promise<WindowedTurn> {
  const { left: remaining = { tokens: Infinity, usd: Infinity } } = options;
  const minOutputOptions = { ...options, maxOutputTokens: Math.min(options.maxOutputTokens, usefulOutput) };
  const costOf = (dialogueCut: DialogueCut) =>
    turnCost(model, applyCut(dialogue, dialogueCut), { ...minOutputOptions, ...findSentBefore(dialogueCut) });
  const canPay = (dialogueCut: DialogueCut): boolean => {
    const { tokens = 0, usd = 0 } = costOf(dialogueCut);
    return tokens <= remaining.tokens && usd <= remaining.usd;
  };
  const stepResult = await step<DialogueCut>(`${key}/cut`, {
    async run() {
      const dialogueCut = chooseCut(dialogue, previousCut, inputRoom(model, options.maxOutputTokens));
      const payable = payableCut(dialogue, dialogueCut, canPay);
      // An exact count may be lower than the estimate for a part: then nothing needs to be cut.
      const isSmaller = (costOf(payable).tokens ?? 0) < (costOf(dialogueCut).tokens ?? 0);
      return { value: isSmaller ? payable : dialogueCut };
    },
  });
  if (stepResult.kind !== 'done') return { ...stepResult, cut: previousCut };
  let cut = stepResult.value;
  for (let overflows = 0; ; overflows += 1) {
    const sent = applyCut(dialogue, cut);
    const turnAttempt = await requestTurn(
      step,
      overflows === 0 ? key : `${key}/fitted-${overflows}`,
      model,
      sent,
      {
        ...options,
        ...findSentBefore(cut),
      },
    );
    if (turnAttempt.kind === 'replied')
      return { ...turnAttempt, cut: learnSize(cut, sent, turnAttempt.reply.usage) };
    if (turnAttempt.kind !== 'failed' || turnAttempt.failure.code !== 'context_overflow')
      return { ...turnAttempt, cut };
    const smallerCut = await step<DialogueCut | null>(`${key}/cut-${overflows + 1}`, {
      run: async () => ({ value: cutAfterOverflow(dialogue, cut) }),
    });
    if (smallerCut.kind !== 'done') return { ...smallerCut, cut };
    if (smallerCut.value === null) return { ...turnAttempt, cut };
    cut = smallerCut.value;
  }
}
