/**
 * Validates replies of signals, since a program may pass a signal without types. An invalid reply becomes a failure
 * that names the field.
 */
import type { Health, Observation, SignalFailure } from '../../core/index.ts';

const guide = 'see "A signal" in docs/guides/own-parts.md';

export function validateHealth(reply: Health): Health {
  if (reply?.kind === 'healthy') return reply;
  if (reply?.kind === 'unhealthy' && typeof reply.reason === 'string') return reply;
  const field = reply?.kind === 'unhealthy' ? 'no reason' : 'no kind (healthy or unhealthy)';
  return { kind: 'unhealthy', reason: `its health() gave ${field}: ${guide}` };
}

const rowFields: Readonly<Record<Observation['rows']['kind'], string>> = {
  series: 'series',
  lines: 'lines',
  patterns: 'patterns',
  changes: 'changes',
  spans: 'spans',
  alerts: 'alerts',
  table: 'rows',
};

export function validateReply(name: string, reply: Observation | SignalFailure): Observation | SignalFailure {
  const field = findWrongField(reply);
  if (field === null) return reply;
  return { kind: 'failure', reason: 'bad_reply', message: `${name}: its ask() gave no ${field}: ${guide}` };
}

function findWrongField(reply: Observation | SignalFailure): string | null {
  if (reply?.kind === 'failure') return typeof reply.message === 'string' ? null : 'message';
  if (reply?.kind !== 'observation') return 'kind (observation or failure)';
  for (const field of ['query', 'source', 'text'] as const)
    if (typeof reply[field] !== 'string') return field;
  if (typeof reply.window?.from !== 'number' || typeof reply.window.to !== 'number') return 'window';
  if (typeof reply.at !== 'number') return 'at';
  const rows = reply.rows as Readonly<Record<string, unknown>> | undefined;
  const kind = String(rows?.['kind']);
  if (!Object.hasOwn(rowFields, kind)) return `rows.kind (${Object.keys(rowFields).join(', ')})`;
  const list = rowFields[kind as Observation['rows']['kind']];
  if (!Array.isArray(rows?.[list])) return `rows.${list}`;
  if (reply.truncated === undefined) return 'truncated (null if nothing was cut)';
  if (typeof reply.completeness !== 'string') return 'completeness';
  return Array.isArray(reply.notes) ? null : 'notes';
}
