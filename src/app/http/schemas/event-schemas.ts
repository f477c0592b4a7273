/** Schemas of the events in each stream: part of the OpenAPI document, for clients. */
import { z } from 'zod';
import type { RunEventKind } from '../../../core/index.ts';
import { agentEvent } from '../../agent/channel/channel.ts';

const time = z.number().describe('milliseconds since the Unix epoch');

/** All kinds of events: the compiler refuses a new kind until it is listed here. */
const kinds = {
  ...{ run_started: 1, run_resumed: 1, run_finished: 1, step_started: 1, note: 1, budget_exhausted: 1 },
  ...{ model_called: 1, model_replied: 1, model_failed: 1, action_started: 1, action_finished: 1 },
  ...{ evidence_registered: 1, citation_checked: 1, claims_checked: 1, node_started: 1, node_finished: 1 },
  ...{ session_opened: 1, cell_started: 1, cell_finished: 1, helper_called: 1 },
} satisfies Record<RunEventKind, 1>;

const step = z.looseObject({ kind: z.enum(Object.keys(kinds) as RunEventKind[]) });

/** Events of GET /runs/ID/events. */
export const runStep = z
  .strictObject({ seq: z.int().describe('its number in the log of its run'), at: time, event: step })
  .meta({ id: 'RunStep' });

const writeEvent = z
  .strictObject({
    ...{ seq: z.int(), at: time, op: z.string(), content_ids: z.array(z.string()) },
    ...{ caller: z.string(), caller_kind: z.string(), thread: z.string().nullable() },
  })
  .meta({ id: 'WriteNote' });

const stepEvent = z
  .strictObject({
    ...{ run: z.string(), shape: z.string(), thread: z.string().nullable() },
    ...{ seq: z.int().describe('its number in the log of its run'), at: time, event: step },
  })
  .meta({ id: 'StepNote' });

/** Events of GET /events. */
export const workspaceEvent = z.union([writeEvent, stepEvent]).meta({ id: 'WorkspaceEvent' });

const change = z
  .strictObject({
    id: z.string(),
    path: z.string().nullable(),
    before: z.string().nullable().describe('null: it is new'),
    after: z.string().nullable().describe('null: it is gone'),
    held: z.boolean().describe('true: not applied yet; it waits in the inbox for a decision'),
  })
  .meta({ id: 'Change' });

const [turnStarted, text, toolStarted, toolFinished, steeredEvent, budget, turnEnded] = agentEvent.options;

/** Events of GET /threads/ID/events. */
export const threadEvent = z
  .strictObject({
    seq: z.int().optional().describe('absent for events that are only sent live and not stored'),
    at: time.optional(),
    event: z.discriminatedUnion('kind', [
      turnStarted,
      text.extend({ from: z.int().describe('offset of this piece in the answer, in characters') }),
      toolStarted,
      toolFinished.extend({
        changes: z.array(change).optional().describe('present if the call wrote pages: what changed'),
      }),
      ...([steeredEvent, budget, turnEnded] as const),
    ]),
  })
  .meta({ id: 'ThreadEvent' });
