/**
 * The contract of a language model: one request, one reply or one failure. Both are values.
 *
 * An implementer must not: throw for anything but a bug, retry (the caller does, so that the budget is charged for each
 * attempt), hide a missing usage report behind a zero, or let a key reach a message or an error.
 */

import type { DialogueReply, DialogueRequest } from './dialogue/reply.ts';

export type Tier = 'planner' | 'analyst';

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** The provider may cache everything up to and including this message. */
  readonly cache?: boolean;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** JSON schema the reply must fit, where the provider can enforce it; the text is then JSON. */
  readonly schema?: { readonly name: string; readonly json: Readonly<Record<string, unknown>> };
  /** Always sent: providers cap an unset limit silently. */
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  /** The longest wait for the next piece of output. Limits the whole call if it is not streamed, or without `maxMs`. */
  readonly timeoutMs: number;
  /** The limit of the whole call, however steadily it writes. */
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
  /** Called with each piece of text as it arrives. */
  readonly onText?: (piece: string) => void;
  /** Deterministic per (run, step, call): sent to providers that de-duplicate by it. */
  readonly idempotencyKey?: string;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Part of `input`. */
  readonly cacheRead: number;
  /** Part of `input`. */
  readonly cacheWrite: number;
  /** True if the provider reported nothing and the numbers are guesses: then the whole reservation is charged. */
  readonly estimated: boolean;
}

export interface ModelReply {
  readonly kind: 'reply';
  readonly text: string;
  readonly usage: Usage;
  readonly stop: 'end' | 'length' | 'refusal' | 'other';
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** Whether the reply exceeded the output limit and was stopped. */
  readonly overran?: true;
  /** US dollars where the provider itself reports a price; otherwise computed from the price table by the caller. */
  readonly usd?: number;
  /** Scripted models only: the position in the script after this reply, so that a resumed run goes on from there. */
  readonly cursor?: number;
}

export const failureCodes = [
  /** The configured model can't answer: it is `extractive`. */
  'no_model',
  'auth',
  /** The account has no credit or quota left; waiting does not help. */
  'no_credit',
  'unknown_model',
  'rate_limited',
  'overloaded',
  'unreachable',
  'timeout',
  'context_overflow',
  'bad_request',
  'bad_response',
  /** A script has no line left. */
  'script_ended',
  'cancelled',
] as const;

export type FailureCode = (typeof failureCodes)[number];

export interface ModelFailure {
  readonly kind: 'failure';
  readonly code: FailureCode;
  /** One line naming the provider and what it said; secrets removed. */
  readonly message: string;
  readonly remedy: string;
  /** Another attempt may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** The usage billed for the failed call, if known; `unknown` if the request was sent and no usage was reported. */
  readonly usage: Usage | 'none' | 'unknown';
}

export interface Model {
  /** `provider:model`, as a user would write it. */
  readonly name: string;
  /** Whether a real language model writes the replies; false for `extractive` and `scripted`. */
  readonly real: boolean;
  /** The largest output that may be asked for, in tokens. */
  readonly maxOutput: number;
  /** Input and output together, in tokens. */
  readonly contextWindow: number;
  /** True if nobody bills by the token: for a script, and for a server on this machine or run by the user. */
  readonly local: boolean;
  /** An upper bound of the input tokens of a request. Without this method, one token per byte is assumed. */
  maxInput?(request: Pick<ModelRequest, 'messages' | 'schema'>): number;
  /** Thinking tokens allowed in a dialogue, in addition to the output limit; they are reserved as well. */
  readonly thinking?: number;
  /** Called with every recorded reply that replaces a call. A scripted model then continues after that reply. */
  onRecall?(reply: Pick<ModelReply, 'cursor'>): void;
  generate(request: ModelRequest): Promise<ModelReply | ModelFailure>;
  /** The next reply of a dialogue, with the provider's tool calls. Without this method `generate` is used, as text. */
  reply?(request: DialogueRequest): Promise<DialogueReply | ModelFailure>;
}
