import { describe, expect, it } from 'vitest';
import type { Health, Observation } from '../../core/index.ts';
import { validateHealth, validateReply } from './signal-replies.ts';

const observation: Observation = {
  kind: 'observation',
  query: 'lamps',
  source: 'lamps 1',
  window: { from: 1, to: 2, baseline_from: 0, derivation: 'the last minutes' } as never,
  at: 2,
  text: 'one is lit',
  rows: { kind: 'table', rows: [{ lit: 1 }] },
  truncated: null,
  completeness: 'complete',
  notes: [],
};

describe('the reply of a system', () => {
  it('is passed on if it has its form', () => {
    expect(validateReply('lamps_lit', observation)).toBe(observation);
    const healthy: Health = { kind: 'healthy', version: null };
    expect(validateHealth(healthy)).toBe(healthy);
  });

  it.each<[unknown, string]>([
    [
      { ok: true },
      'its health() gave no kind (healthy or unhealthy): see "A signal" in docs/guides/own-parts.md',
    ],
    [
      undefined,
      'its health() gave no kind (healthy or unhealthy): see "A signal" in docs/guides/own-parts.md',
    ],
    [{ kind: 'unhealthy' }, 'its health() gave no reason: see "A signal" in docs/guides/own-parts.md'],
  ])('about its health names what is missing: %j', (reply, reason) => {
    expect(validateHealth(reply as Health)).toEqual({ kind: 'unhealthy', reason });
  });

  it.each<[unknown, string]>([
    [undefined, 'kind (observation or failure)'],
    [{ kind: 'failure' }, 'message'],
    [{ ...observation, text: undefined }, 'text'],
    [{ ...observation, window: undefined }, 'window'],
    [
      { ...observation, rows: undefined },
      'rows.kind (series, lines, patterns, changes, spans, alerts, table)',
    ],
    [{ ...observation, rows: { kind: 'lines' } }, 'rows.lines'],
    [{ ...observation, notes: undefined }, 'notes'],
  ])('to a question names what is missing: %j', (reply, field) => {
    expect(validateReply('lamps_lit', reply as Observation)).toEqual({
      kind: 'failure',
      reason: 'bad_reply',
      message: `lamps_lit: its ask() gave no ${field}: see "A signal" in docs/guides/own-parts.md`,
    });
  });
});
