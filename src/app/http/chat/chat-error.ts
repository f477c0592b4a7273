/** Errors in the form that chat pages expect. */
import { isSondeError, messageOf } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { statusOf } from '../statuses.ts';

export interface ChatErrorFields {
  readonly param?: string | null;
  readonly code?: string | null;
  /** Whether the request may be sent again, since nothing was started. */
  readonly mayRetry?: boolean;
}

/** An error that is thrown while a chat request is processed, and sent as its reply. */
export class ChatError extends Error {
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly mayRetry: boolean;

  constructor(
    status: number,
    message: string,
    { param = null, code = null, mayRetry = false }: ChatErrorFields = {},
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
    this.mayRetry = mayRetry;
  }
}

const toErrorType = (status: number): string =>
  status === 401
    ? 'authentication_error'
    : status === 403
      ? 'permission_error'
      : status < 500
        ? 'invalid_request_error'
        : 'api_error';

/** Converts an error; of unknown ones the client gets no details. `hasStarted`: whether a turn or run was started. */
export function toChatError(
  thrown: unknown,
  tell: (line: string) => void,
  { hasStarted }: { readonly hasStarted: boolean },
): ChatError {
  if (thrown instanceof ChatError) return thrown;
  if (isSondeError(thrown)) {
    const remedy = thrown.remedy === undefined ? '' : `. ${thrown.remedy}`;
    const status = statusOf(thrown.code);
    const mayRetry = status === 503 && !hasStarted;
    return new ChatError(status, `${thrown.message}${remedy}`, { code: thrown.code, mayRetry });
  }
  tell(`a request failed: ${messageOf(thrown)}`);
  return new ChatError(500, 'The request failed here; the log of the server says why', { code: 'internal' });
}

export const errorText = ({ message, status, param, code }: ChatError): string =>
  safeJson({ error: { message, type: toErrorType(status), param, code } });

/** The response for an error. If a turn was started, it forbids retries, since each would start another turn. */
export const errorResponse = (error: ChatError): Response =>
  new Response(errorText(error), {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-should-retry': String(error.mayRetry),
      ...(error.mayRetry && { 'retry-after': '5' }),
      ...(error.status === 401 && { 'www-authenticate': 'Bearer' }),
    },
  });
