/** Errors in the form that chat pages expect. */
import { isSondeError, messageOf } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { statusOf } from '../statuses.ts';

export interface ChatErrorFields {
  readonly param?: string | null;
  readonly code?: string | null;
}

/** Thrown while such a request is processed, and sent as its reply. */
export class ChatError extends Error {
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;

  constructor(status: number, message: string, { param = null, code = null }: ChatErrorFields = {}) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

const typeOf = (status: number): string =>
  status === 401
    ? 'authentication_error'
    : status === 403
      ? 'permission_error'
      : status < 500
        ? 'invalid_request_error'
        : 'api_error';

/** Errors outside of the family may hold anything, so the client is told nothing of them. */
export function toChatError(thrown: unknown, tell: (line: string) => void): ChatError {
  if (thrown instanceof ChatError) return thrown;
  if (isSondeError(thrown)) {
    const remedy = thrown.remedy === undefined ? '' : `. ${thrown.remedy}`;
    return new ChatError(statusOf(thrown.code), `${thrown.message}${remedy}`, { code: thrown.code });
  }
  tell(`a request failed: ${messageOf(thrown)}`);
  return new ChatError(500, 'The request failed here; the log of the server says why', { code: 'internal' });
}

export const errorText = ({ message, status, param, code }: ChatError): string =>
  safeJson({ error: { message, type: typeOf(status), param, code } });

/** With a header against automatic retries, which would begin another turn. */
export const errorResponse = (error: ChatError): Response =>
  new Response(errorText(error), {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-should-retry': 'false',
      ...(error.status === 401 && { 'www-authenticate': 'Bearer' }),
    },
  });
