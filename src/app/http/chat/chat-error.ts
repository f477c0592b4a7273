/** Errors in the form that chat pages expect. */
import { isSondeError, messageOf } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { statusOf } from '../statuses.ts';

export interface ChatErrorFields {
  readonly param?: string | null;
  readonly code?: string | null;
  /** Whether the request may be sent again, since nothing was begun. */
  readonly again?: boolean;
}

/** Thrown while such a request is processed, and sent as its reply. */
export class ChatError extends Error {
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly again: boolean;

  constructor(
    status: number,
    message: string,
    { param = null, code = null, again = false }: ChatErrorFields = {},
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
    this.again = again;
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

/** Unknown errors may contain anything, so the client gets no details. `begun`: whether a turn or a run was begun. */
export function toChatError(
  thrown: unknown,
  tell: (line: string) => void,
  { begun }: { readonly begun: boolean },
): ChatError {
  if (thrown instanceof ChatError) return thrown;
  if (isSondeError(thrown)) {
    const remedy = thrown.remedy === undefined ? '' : `. ${thrown.remedy}`;
    const status = statusOf(thrown.code);
    const again = status === 503 && !begun;
    return new ChatError(status, `${thrown.message}${remedy}`, { code: thrown.code, again });
  }
  tell(`a request failed: ${messageOf(thrown)}`);
  return new ChatError(500, 'The request failed here; the log of the server says why', { code: 'internal' });
}

export const errorText = ({ message, status, param, code }: ChatError): string =>
  safeJson({ error: { message, type: typeOf(status), param, code } });

/** The response for an error. It allows automatic retries only if no turn was begun, since they would begin another. */
export const errorResponse = (error: ChatError): Response =>
  new Response(errorText(error), {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-should-retry': String(error.again),
      ...(error.again && { 'retry-after': '5' }),
      ...(error.status === 401 && { 'www-authenticate': 'Bearer' }),
    },
  });
