import type { Step } from '../../core/index.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from '../model.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import { createTokenizerSample } from '../tokens/tokenizer-sample.ts';
import { type AttemptOptions, type AttemptRequest, type AttemptResult, runAttempts } from './attempts.ts';
import { failure } from './failure.ts';
import { outputRoom } from './reserve-call.ts';

/** The setting of a metered call. All that differs between runs is an argument. */
export interface CallSetting extends Omit<AttemptOptions, 'timeoutMs' | 'signal'> {
  readonly model: Model;
  /** Recalls the reply; or reserves, sends, records and settles, and logs the events. */
  readonly step: Step;
}

export type CallResult = Exclude<AttemptResult<ModelReply>, { kind: 'cancelled' }>;

/**
 * Calls a model. Each attempt is reserved before it is sent and settled afterwards, the output limit is lowered to what
 * the pool can pay, and temporary failures are retried. `key` names the call within the run and is the same in each
 * replay: a recorded reply is returned without a call and without a charge.
 */
export async function callModel(
  request: ModelRequest,
  key: string,
  setting: CallSetting,
): Promise<CallResult> {
  const { model, step } = setting;
  const attemptRequest: AttemptRequest<ModelReply> = {
    ...toAttemptRequest(request, model),
    async learn(shortage) {
      const sample = createTokenizerSample(request, shortage, model);
      return sample !== null && (await askSample(sample, `${key}/sample`, setting));
    },
  };
  const { timeoutMs, signal } = request;
  const attemptResult = await runAttempts(step, key, model, attemptRequest, {
    ...setting,
    timeoutMs,
    ...(signal && { signal }),
  });
  return attemptResult.kind === 'cancelled'
    ? { kind: 'failed', failure: createCancelledFailure(model) }
    : attemptResult;
}

function toAttemptRequest(request: ModelRequest, model: Model): AttemptRequest<ModelReply> {
  return {
    requestedTokens() {
      const input = model.maxInput?.(request) ?? byteCeiling(request);
      return { input, output: outputRoom(request, model, input), thinking: 0 };
    },
    send: (limits) => model.generate({ ...request, ...limits }),
    text: ({ text }) => text,
  };
}

/** Sends a sample, whose usage shows how the provider counts tokens. Returns whether it was answered. */
export async function askSample(sample: ModelRequest, key: string, setting: CallSetting): Promise<boolean> {
  const { model, step } = setting;
  const { timeoutMs, signal } = sample;
  const attemptResult = await runAttempts(step, key, model, toAttemptRequest(sample, model), {
    ...setting,
    name: 'sample',
    retry: noRetry,
    timeoutMs,
    ...(signal && { signal }),
  });
  return attemptResult.kind === 'replied';
}

const noRetry = { attempts: 1, baseMs: 1, maxMs: 1, patienceMs: 1 };

/** For a call that was cancelled while it waited for other calls to return their reservations. */
function createCancelledFailure({ name }: Model): ModelFailure {
  const context = { provider: name, model: name, secrets: [], detail: 'cancelled' };
  return failure('cancelled', context, 'none');
}
