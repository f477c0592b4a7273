/** HTTP statuses for the codes of docs/errors.md, and the body of every error. */
import { z } from 'zod';
import { type ErrorCode, errorCodes, isSondeError, messageOf, SondeError } from '../../core/index.ts';

const codesByStatus: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['bad_argument', 'bad_pattern', 'outside_root', 'not_text', 'span_out_of_range', 'model_config'],
  401: ['unauthenticated'],
  403: ['forbidden'],
  404: ['not_found'],
  409: ['stale', 'conflict', 'run_state', 'ambiguous', 'lease_lost', 'cancelled'],
  410: ['gone'],
  413: ['too_large'],
  503: ['store_away', 'store_locked', 'tool_failed', 'tool_missing', 'timeout', 'sandbox_ended'],
};

const statuses = new Map(
  Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status)] as const),
  ),
);

/** The status for a code. All codes without one are faults of the server: a store, a setting, a bug. */
export const statusOf = (code: ErrorCode): number => statuses.get(code) ?? 500;

export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      remedy: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof errorBody>;

/** Unknown errors may contain anything, so the client gets no details. */
export function toSondeError(thrown: unknown, tell: (line: string) => void): SondeError {
  if (isSondeError(thrown)) return thrown;
  tell(`a request failed: ${messageOf(thrown)}`);
  return new SondeError('internal', { message: 'The request failed here; the log of the server says why' });
}

export function toErrorBody({ code, message, remedy = '', details }: SondeError): ErrorBody {
  const detailsField =
    Object.keys(details).length === 0 ? {} : { details: JSON.parse(JSON.stringify(details)) };
  return { error: { code, message, remedy, ...detailsField } };
}
