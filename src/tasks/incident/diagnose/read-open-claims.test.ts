/** What no record decides in a conclusion is read by a model, with the lines that it rests on, and its word counts. */
import { afterAll, expect, it } from 'vitest';
import type { IncidentVerb } from '../../../core/index.ts';
import { type ModelRequest, scriptedModel } from '../../../model/index.ts';
import {
  alertJson,
  answer,
  bench,
  conclude,
  idOf,
  noWait,
  now,
  page,
  pool,
  requestKind,
  signalOf,
  verdictOn,
  wasAsked,
} from '../incident.contract.ts';
import { incidentRun } from '../run.ts';

const { store, close } = bench();
afterAll(close);

/** Of a verb that no record is of, so that code can't hold it against one. */
const free = (object: string, evidence: string) => ({
  ...{ verb: 'other' satisfies IncidentVerb, object, evidence: [evidence] },
});

function planned(request: ModelRequest): Record<string, unknown> {
  if (requestKind(request) === 'turn' && !wasAsked(request, 'made_traces')) return answer(request);
  const change = idOf(page(request), 'SetMaxOpenConns(10)');
  return conclude({
    ...verdictOn(page(request)),
    claims: [free('somebody starved everybody of everything', change)],
  });
}

async function looked(verdict: string, isRead = true) {
  const planner = scriptedModel(planned as never, 'planner');
  const analyst = scriptedModel(
    (() => ({ verdicts: [{ id: 'c1', verdict, why: 'the pool is smaller' }] })) as never,
    'analyst',
  );
  const done = await incidentRun.start(
    { alert: alertJson(), root: '/systems', now, reader: isRead },
    { store, models: { planner, analyst }, signals: [signalOf(pool)], ...noWait },
  );
  return { ...done, read: analyst.calls };
}

it('a sentence of the verb `other` is carried where a reader says so, who sees it with its lines alone', async () => {
  const { incident, result, read } = await looked('supported');
  expect(read).toHaveLength(1);
  expect(page(read[0]!)).toContain('starved everybody of everything');
  expect(page(read[0]!)).toContain('SetMaxOpenConns(10)');
  expect(incident.non_validated_claims).toEqual([]);
  expect(result.claims).toContainEqual(expect.objectContaining({ verdict: 'supported' }));
  expect(result).toMatchObject({ status: 'verified', unsupported: [] });
  const replayed = await incidentRun.replay(result.run_id, store, [signalOf(pool)]);
  expect({ ...replayed.result, spent: null }).toEqual({ ...result, spent: null });
});

it('what the reader refuses is doubted, and the verdict stays', async () => {
  const { incident, result } = await looked('contradicted');
  expect(incident).toMatchObject({
    verdict: 'code_change',
    non_validated_claims: [{ verdict: 'contradicted' }],
  });
  expect(result.status).toBe('partial');
  expect(result.unsupported).toEqual([expect.stringContaining('starved everybody of everything')]);
});

it('without a reader it stays open', async () => {
  const { incident, result, read } = await looked('supported', false);
  expect(read).toEqual([]);
  expect(incident.non_validated_claims).toMatchObject([{ verdict: 'unclear' }]);
  expect(result.unsupported).toEqual([]);
});
