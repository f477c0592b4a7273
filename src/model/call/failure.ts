import type { FailureCode, ModelFailure } from '../model.ts';
import { redact } from '../redact.ts';

/** The facts about a failed request, for all kinds of providers. */
export interface FailureContext {
  readonly provider: string;
  /** `provider:model`. */
  readonly model: string;
  readonly secrets: readonly string[];
  /** The raw message of the provider. */
  readonly detail: string;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The provider's own name for the error: `overloaded_error`, `model_not_found`. */
  readonly type?: string;
  readonly retryAfterMs?: number;
  /** The variable or setting of the key, for the remedy. */
  readonly keySetting?: string;
  /** How to see which models are there, for the remedy. */
  readonly howToList?: string;
  readonly address?: string;
  /** A remedy in place of the usual one for this code. */
  readonly remedy?: string;
}

const remedies: Readonly<Record<FailureCode, (context: FailureContext) => string>> = {
  no_model: () => 'Name a model, or let the extractive policy answer.',
  auth: ({ keySetting }) =>
    keySetting
      ? `Check that the key in ${keySetting} is whole, active, and of this provider.`
      : 'Log in again.',
  no_credit: ({ provider }) =>
    `Add credit or raise the limit in the ${provider} account, or choose another model.`,
  unknown_model: ({ howToList = 'the provider lists its models.' }) =>
    `Check the spelling, and that the account or server has the model; ${howToList}`,
  rate_limited: () => 'Wait and try again, or use fewer calls at once.',
  overloaded: ({ provider }) => `${provider} is having trouble: try again later, or choose another model.`,
  unreachable: ({ address }) =>
    `Check that the server runs and the network works${address ? `: nothing usable answered at ${address}` : ''}.`,
  timeout: () => 'Allow more time, ask for less output, or choose a faster model.',
  context_overflow: () =>
    'Show the model less: narrow the scope or lower the step limit, or choose a model with a larger context.',
  bad_request: ({ address }) =>
    `The request was refused as it is${address ? `; check that ${address} is the address of the API (usually ending in /v1)` : ''}.`,
  bad_response: ({ address }) =>
    `The answer could not be read${address ? `; check that ${address} is the address of the API (usually ending in /v1)` : ''}, or try again.`,
  script_ended: () => 'Add lines to the script, one for each call.',
  cancelled: () => 'Start again, or resume the run.',
};

const retryableCodes: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'overloaded',
  'unreachable',
  'bad_response',
]);

/** Makes a failure in the form of the contract: one line, no secret, a remedy. */
export function failure(
  code: FailureCode,
  context: FailureContext,
  usage: ModelFailure['usage'],
  isRetryable = retryableCodes.has(code),
): ModelFailure {
  const detail = oneLine(redact(context.detail, context.secrets));
  const statusText = context.status !== undefined && context.status >= 300 ? ` (${context.status})` : '';
  return Object.freeze({
    kind: 'failure',
    code,
    message: `${redact(context.model, context.secrets)}${statusText}: ${detail || defaultDetails[code]}`,
    remedy: redact(context.remedy ?? remedies[code](context), context.secrets),
    retryable: isRetryable,
    ...(context.retryAfterMs !== undefined && { retryAfterMs: context.retryAfterMs }),
    usage,
  });
}

/** For an error without a text of its own. */
const defaultDetails: Readonly<Record<FailureCode, string>> = {
  no_model: 'no model is configured',
  auth: 'the key was refused',
  no_credit: 'no credit left',
  unknown_model: 'no such model',
  rate_limited: 'too many requests',
  overloaded: 'the provider is overloaded or down',
  unreachable: 'no connection',
  timeout: 'no answer in time',
  context_overflow: 'the request is longer than the context of the model',
  bad_request: 'the request was refused',
  bad_response: 'the answer is not what the API promises',
  script_ended: 'the script has no line left',
  cancelled: 'cancelled',
};

/** Longer texts are cut; a page of HTML is reduced to its title. */
const maxMessageLength = 300;

function oneLine(text: string): string {
  const isPage = /<(?:!doctype html|html|head|body)\b/i.test(text);
  const title = isPage ? /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim() : undefined;
  const line = (isPage ? `a web page${title ? ` titled "${title}"` : ''} instead of an API answer` : text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes of a hostile server are the point
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ')
    .trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line;
}

const codePatterns: readonly [FailureCode, RegExp][] = [
  [
    'no_credit',
    /insufficient[_ ]quota|credit balance|exceeded your current quota|billing|out of credits|payment required/i,
  ],
  [
    'context_overflow',
    /context[_ ]length|maximum context|context window|context size|prompt is too long|input is too long|too many (input )?tokens|request_too_large|longer than the (maximum )?context|exceeds? the (model's )?(maximum|context|token)/i,
  ],
  [
    'auth',
    /invalid (x-)?api[- ]?key|incorrect api key|authentication|unauthori[sz]ed|\/login|not logged in|invalid bearer/i,
  ],
  [
    'unknown_model',
    /model[_ ]not[_ ]found|unknown model|no such model|invalid model|model:? .{0,120}(not found|does not exist|not exist|is not supported|not loaded)|issue with the selected model/i,
  ],
  ['rate_limited', /rate[_ -]?limit|too many requests|usage limit/i],
  ['overloaded', /overloaded|temporarily unavailable|server_error|internal server error|capacity/i],
];

/** Guesses the code from a message alone: for programs, and for errors in the middle of a stream. */
export function guessCode(text: string): FailureCode | undefined {
  return codePatterns.find(([, pattern]) => pattern.test(text))?.[0];
}

/** The code for an HTTP error status. `text`: the error message. */
export function codeForStatus(status: number, text: string): FailureCode {
  const guessed = guessCode(text);
  if (status === 401 || status === 403) return guessed === 'no_credit' ? guessed : 'auth';
  if (status === 402) return 'no_credit';
  if (status === 404)
    return guessed === 'unknown_model' || /\bmodel\b/i.test(text) ? 'unknown_model' : 'bad_request';
  if (status === 413) return 'context_overflow';
  if (status === 429) return guessed === 'no_credit' ? guessed : 'rate_limited';
  if (status === 408 || status >= 500)
    return guessed === 'context_overflow' || guessed === 'unknown_model' ? guessed : 'overloaded';
  return guessed === 'rate_limited' || guessed === 'overloaded' || guessed === undefined
    ? 'bad_request'
    : guessed;
}

/** `unknown` for timeouts of a gateway: the model may still be writing, and the provider billing. */
export function billingForStatus(status: number): 'none' | 'unknown' {
  return [408, 502, 504, 524].includes(status) ? 'unknown' : 'none';
}
