/** Schemas of conversations over HTTP. */
import { z } from 'zod';
import { resources } from '../../../core/index.ts';
import { tiers } from '../../../memory/index.ts';

const time = z.number().describe('milliseconds since the Unix epoch');

export const threadSummary = z
  .object({
    id: z.string(),
    title: z.string(),
    channel: z.string().nullable(),
    created: time,
    updated: time,
    state: z
      .enum(['unknown', 'idle', 'running', 'unfinished', 'interrupted'])
      .describe('interrupted: it waits for an answer; unfinished: continue it, or send the next message'),
    questions: z.number().int().describe('that wait for an answer'),
    runs: z.number().int().describe('turns, and what they handed on'),
    last_run: z.string().nullable().describe('the run of its last turn'),
    spent: z.partialRecord(z.enum(resources), z.number()),
  })
  .meta({ id: 'ThreadSummary' });

export const thread = threadSummary
  .extend({
    questions: z.array(z.object({ id: z.string(), value: z.json() })),
    last: z
      .object({ by: z.enum(['person', 'agent']), text: z.string() })
      .nullable()
      .describe('the last thing that was said'),
  })
  .meta({ id: 'Thread' });

export const threadContext = z
  .strictObject({
    roles: z
      .array(
        z.strictObject({
          level: z.enum(['call', 'thread', 'channel', 'workspace', 'account']),
          text: z.string(),
        }),
      )
      .describe('those that its next turn has, the most specific first'),
    memory: z
      .array(
        z.strictObject({
          tier: z.enum(tiers),
          items: z
            .array(z.object({ id: z.string(), key: z.string(), text: z.string(), writer: z.string() }))
            .describe('the newest of them'),
          more: z.boolean(),
        }),
      )
      .describe('what its turns can look up, the narrowest tier first'),
  })
  .meta({ id: 'ThreadContext' });

export const message = z
  .object({
    id: z.string(),
    kind: z.enum(['user', 'steer', 'assistant', 'tool', 'compact']),
    text: z.string().describe('of a tool: material, quoted as the agent was given it'),
    calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.json()) })),
    call: z.string().nullable().describe('of a tool: the call that it answers'),
    name: z.string().nullable(),
    ok: z.boolean().nullable(),
    writes: z.array(z.string()),
    reads: z.array(z.string()),
    run: z.string().nullable().describe('of its turn: what it cites is evidence there; null: not known'),
  })
  .meta({ id: 'Message' });

export const checkpoint = z
  .object({
    id: z.string(),
    at: time,
    messages: z.number().int(),
    last: message.nullable(),
    end: z
      .enum(['answered', 'exhausted', 'failed', 'dropped'])
      .nullable()
      .describe('how the turn ended there; null: it was under way'),
    asks: z.boolean(),
  })
  .meta({ id: 'Checkpoint' });

export const sent = z
  .object({
    message_id: z.string(),
    state: z.enum(['taken', 'done']),
    outcome: z.object({ status: z.string(), text: z.string() }).nullable(),
  })
  .meta({ id: 'Sent' });
