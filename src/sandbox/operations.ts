import { isSondeError, messageOf } from '../core/index.ts';
import { describeHit, type Limits, limitHit } from './limits.ts';
import type { Operations } from './sandbox.ts';
import type { StopRequest } from './stop-request.ts';
import { BadValue, decodeValue, encodeValue, type Value } from './value.ts';

/** The answer to the guest; `stop` kills the cell. */
export type CallAnswer = Uint8Array | 'stop';

/**
 * Answers one request of the guest: synchronously if the operation is synchronous. Never throws or rejects: the guest
 * gets a value, or an error that it can catch.
 */
export function answerCall(
  request: Uint8Array,
  operations: Operations,
  limits: Limits,
  stop: StopRequest,
): CallAnswer | Promise<CallAnswer> {
  if (stop.requested) return 'stop';
  const call = readRequest(request);
  if (typeof call === 'string') return encodeFailure(call, 'bad_request');
  // Own names only: "constructor" is not an operation.
  const operation = Object.hasOwn(operations, call.operation) ? operations[call.operation] : undefined;
  if (!operation) {
    const known = Object.keys(operations).join(', ') || 'none';
    return encodeFailure(
      `there is no operation ${JSON.stringify(call.operation)}; there are: ${known}`,
      'unknown_operation',
    );
  }
  const failure = (thrown: unknown) => encodeThrown(thrown, call.operation);
  try {
    const value = operation(call.args, { signal: stop.signal });
    if (!(value instanceof Promise)) return encodeSuccess(value, limits);
    return value.then((late) => encodeSuccess(late, limits)).catch(failure);
  } catch (thrown) {
    return failure(thrown);
  }
}

function encodeThrown(thrown: unknown, operation: string): Uint8Array {
  if (isSondeError(thrown)) return encodeFailure(thrown.message, thrown.code);
  if (thrown instanceof BadValue) return encodeFailure(messageOf(thrown), 'bad_value');
  // Other errors may hold details of the host, which the guest must not see.
  return encodeFailure(`the operation ${operation} failed`, 'internal');
}

/** The operation and its arguments, or a sentence that says what is wrong with the request. */
function readRequest(
  request: Uint8Array,
): { readonly operation: string; readonly args: Readonly<Record<string, Value>> } | string {
  let value: Value;
  try {
    value = decodeValue(Buffer.from(request.buffer, request.byteOffset, request.length).toString());
  } catch (thrown) {
    return messageOf(thrown);
  }
  const [operation, args] = Array.isArray(value) ? (value as readonly Value[]) : [];
  if (typeof operation !== 'string') return 'a request must be a list of an operation and its arguments';
  const isPlainObject = args && typeof args === 'object' && Object.getPrototypeOf(args) === Object.prototype;
  if (!isPlainObject) return 'the arguments of a request must be an object, by name';
  return { operation: operation.slice(0, 200), args: args as Readonly<Record<string, Value>> };
}

function encodeSuccess(value: Value, limits: Limits): Uint8Array {
  const answer = Buffer.from(`{"value":${encodeValue(value ?? null)}}`);
  if (answer.length <= limits.answer_bytes) return answer;
  const hit = limitHit('answer_bytes', limits.answer_bytes, answer.length);
  return encodeFailure(`the answer is too large: ${describeHit(hit)}; ask for less`, 'answer_too_large');
}

function encodeFailure(error: string, code: string): Uint8Array {
  return Buffer.from(JSON.stringify({ error, code }));
}
