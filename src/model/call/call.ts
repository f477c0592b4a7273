import type { Step } from '../../core/index.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from '../model.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import { tokenizerSample } from '../tokens/tokenizer-sample.ts';
import { type AttemptOptions, type AttemptResult, attempts, type Sending } from './attempts.ts';
import { failure } from './failure.ts';
import { outputRoom } from './reserve-call.ts';

/** The setting of a metered call. All that differs between runs is an argument. */
export interface CallSetting extends Omit<AttemptOptions, 'timeoutMs' | 'signal'> {
  readonly model: Model;
  /** Recalls the reply, or reserves, asks, records, settles and tells. */
  readonly step: Step;
}

export type CallResult = Exclude<AttemptResult<ModelReply>, { kind: 'cancelled' }>;

/**
 * Calls a model. Each attempt is reserved before it is sent and settled afterwards, the output limit is lowered to what
 * the pool can pay, and failures that may pass are retried. `key` names the call within the run and is the same in each
 * replay: a recorded reply is returned without a call and without a charge.
 */
export async function callModel(
  request: ModelRequest,
  key: string,
  setting: CallSetting,
): Promise<CallResult> {
  const { model, step } = setting;
  const sending: Sending<ModelReply> = {
    ...sendingOf(request, model),
    async learn(short) {
      const sample = tokenizerSample(request, short, model);
      return sample !== null && (await askSample(sample, `${key}/sample`, setting));
    },
  };
  const { timeoutMs, signal } = request;
  const attemptResult = await attempts(step, key, model, sending, {
    ...setting,
    timeoutMs,
    ...(signal && { signal }),
  });
  return attemptResult.kind === 'cancelled'
    ? { kind: 'failed', failure: cancelledFailure(model) }
    : attemptResult;
}

function sendingOf(request: ModelRequest, model: Model): Sending<ModelReply> {
  return {
    wish() {
      const input = model.maxInput?.(request) ?? byteCeiling(request);
      return { input, output: outputRoom(request, model, input), thinking: 0 };
    },
    send: (limits) => model.generate({ ...request, ...limits }),
    text: ({ text }) => text,
  };
}

/** Whether it was answered: a reply shows more about the tokenizer. */
export async function askSample(sample: ModelRequest, key: string, setting: CallSetting): Promise<boolean> {
  const { model, step } = setting;
  const { timeoutMs, signal } = sample;
  const attemptResult = await attempts(step, key, model, sendingOf(sample, model), {
    ...setting,
    name: 'sample',
    retry: once,
    timeoutMs,
    ...(signal && { signal }),
  });
  return attemptResult.kind === 'replied';
}

const once = { attempts: 1, baseMs: 1, maxMs: 1, patienceMs: 1 };

/** While it waited for others to return their reservations. */
function cancelledFailure({ name }: Model): ModelFailure {
  const about = { provider: name, model: name, secrets: [], said: 'cancelled' };
  return failure('cancelled', about, 'none');
}
