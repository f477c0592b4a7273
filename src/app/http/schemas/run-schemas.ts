/** Schemas of runs over HTTP. */
import { z } from 'zod';
import { citationStatuses, claimFlags, claimVerdicts, provenances, resources } from '../../../core/index.ts';

const time = z.number().describe('milliseconds since the Unix epoch');
const amounts = z.partialRecord(z.enum(resources), z.number());

export const runSummary = z
  .object({
    id: z.string(),
    shape: z.string().describe('what kind of run: research, investigation, incident, a turn …'),
    state: z
      .enum(['running', 'waiting', 'interrupted', 'finished'])
      .describe('waiting: a turn of a conversation that asked a question; interrupted: it can be resumed'),
    status: z.string().nullable().describe('what the answer is worth; null: there is none yet'),
    verdict: z.string().nullable().describe('of an incident: what is to blame'),
    claims: z.number().int().nullable().describe('of its answer; null: nobody checked it'),
    spent: amounts,
    question: z.string(),
    thread: z.string().nullable(),
    created: time,
    updated: time,
  })
  .meta({ id: 'RunSummary' });

export const claim = z
  .object({
    text: z.string(),
    verdict: z.enum(claimVerdicts),
    why: z.string().optional(),
    evidence: z.array(z.string()),
    flags: z.array(z.enum(claimFlags)),
  })
  .meta({ id: 'Claim' });

export const run = runSummary
  .extend({
    answer: z.string().nullable(),
    stop_reason: z.string().nullable(),
    model: z.string().nullable(),
    limits: amounts,
    steps: z.number().int(),
    resumed: z.number().int(),
    evidence: z.number().int(),
    last_event: z.number().int(),
  })
  .meta({ id: 'Run' });

export const runEvent = z
  .object({
    seq: z.number().int(),
    at: time,
    event: z.looseObject({ kind: z.string() }).describe('one of the log; kinds may be added'),
  })
  .meta({ id: 'RunEvent' });

export const evidence = z
  .object({
    id: z.string(),
    file_path: z.string(),
    start_line: z.number().int(),
    end_line: z.number().int(),
    content: z.string(),
    reason: z.string(),
    provenance: z.enum(provenances),
    score: z.number().nullable(),
    hash: z.string(),
    commit: z.string().nullable(),
    step: z.number().int(),
    status: z.enum(citationStatuses).nullable().describe('what re-reading found; null: nothing cites it'),
  })
  .meta({ id: 'Evidence' });

export const call = z
  .object({
    call: z.string(),
    model: z.string().nullable(),
    signature: z.string().nullable(),
    at: time,
    reserved: amounts.nullable(),
    spent: amounts.nullable(),
    unknown: z.boolean().describe('the cost was not reported'),
    cached: z.number().describe('tokens of the input that the provider had in its cache'),
    over: amounts.nullable(),
    wall_ms: z.number().nullable(),
    text: z.string().nullable().describe('the reply'),
    failure: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
  })
  .meta({ id: 'Call' });

export const treeNode = z
  .object({
    id: z.string(),
    parent: z.string().nullable(),
    kind: z.enum(['run', 'node', 'cell', 'step', 'call', 'action', 'helper']),
    title: z.string(),
    outcome: z.string().nullable().describe('null: it has not ended'),
    started: time,
    ended: time.nullable(),
    spent: amounts,
    note: z.string(),
    evidence: z.array(z.string()),
  })
  .meta({ id: 'TreeNode' });
