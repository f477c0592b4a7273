/** Before the first turn of a small pool: what the tokens of a model hold that nobody has counted yet. */
import type { AllAmounts, Step } from '../../core/index.ts';
import type { Model } from '../model.ts';
import { costOf } from '../prices.ts';
import { reservationFor, spentOn, wholeReservation } from '../reserve-call.ts';
import { tokenizerSample } from '../tokenizer-sample.ts';
import type { Dialogue } from './dialogue.ts';
import { measured } from './measure.ts';
import { type TurnOptions, turnCost } from './turn.ts';

/** Asks nothing where the pool can pay the turn as it is, and where it would not help. */
export async function learnTokenizer(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions & { readonly left: Pick<AllAmounts, 'tokens' | 'usd'> },
): Promise<void> {
  const { tokens = 0 } = turnCost(model, dialogue, options);
  const { left, maxOutputTokens, timeoutMs, prices, number, scope } = options;
  if (tokens <= left.tokens) return;
  const short = {
    kind: 'exhausted' as const,
    resource: 'tokens' as const,
    account: scope,
    limit: left.tokens,
    spent: 0,
    held: 0,
    requested: tokens,
  };
  const sample = tokenizerSample({ ...measured(dialogue), maxOutputTokens, timeoutMs }, short, model);
  if (sample === null) return;
  const cost = costOf(model, prices);
  const reserved = reservationFor(model.maxInput?.(sample) ?? tokens, sample.maxOutputTokens, cost);
  const call = `${key}/attempt-1`;
  await step(key, {
    cost: reserved,
    begun: { kind: 'model_called', step: number, call, model: model.name, signature: 'sample', reserved },
    async run(signal) {
      const started = options.clock.now();
      const answer = await model.generate({ ...sample, signal, idempotencyKey: `${scope}/${key}` });
      const wall_ms = options.clock.now() - started;
      if (answer.kind === 'failure') {
        const { code, message, remedy, usage } = answer;
        const event = { kind: 'model_failed' as const, step: number, call, code, message, remedy };
        const spent = usage === 'none' ? {} : ('unknown' as const);
        return { value: null, spent, events: [[`${call}/failed`, event]] };
      }
      const { amounts, unknown } = answer.usage.estimated
        ? wholeReservation(reserved)
        : spentOn(answer, cost, reserved);
      const event = {
        kind: 'model_replied' as const,
        step: number,
        call,
        spent: amounts,
        unknown: unknown.length > 0,
        wall_ms,
        text: answer.text,
      };
      return { value: null, spent: amounts, events: [[`${call}/replied`, event]], keep: true };
    },
  });
}
