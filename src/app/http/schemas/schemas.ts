/** Schemas of pages, decisions and the like over HTTP. Only fields that are named here are sent. */
import { z } from 'zod';

const time = z.number().int().describe('milliseconds since the Unix epoch');
const lifecycle = z.enum(['Draft', 'Candidate', 'Canonical']);
const provenance = {
  origin: z.enum(['Authored', 'Imported', 'AgentProduced', 'Observed']),
  lifecycle,
  origin_source_id: z.string().describe('the tool, import or device that it came through'),
  revision: z.number().int(),
  created: time,
  updated: time,
};

export const page = z
  .object({ id: z.string(), path: z.string(), title: z.string(), deleted: z.boolean(), ...provenance })
  .meta({ id: 'Page' });

export const block = z
  .object({
    id: z.string(),
    handle: z.string(),
    page: z.string(),
    text: z.string().describe('Markdown'),
    kind: z.enum([
      'heading',
      'paragraph',
      'list',
      'code',
      'table',
      'quote',
      'callout',
      'html',
      'rule',
      'blank',
    ]),
    deleted: z.boolean(),
    ...provenance,
  })
  .meta({ id: 'Block' });

export const pageText = page
  .extend({
    text: z.string().describe('the whole page as Markdown, front matter included'),
    front: z.string(),
    properties: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    aliases: z.array(z.string()),
    flags: z.number().int(),
    deviations: z.number().int(),
  })
  .meta({ id: 'PageText' });

export const link = z
  .object({
    from: z.string(),
    from_page: z.string(),
    from_path: z.string().nullable(),
    to: z.string().nullable(),
    to_path: z.string().nullable(),
    target: z.string(),
    kind: z.enum(['wiki', 'markdown', 'embed']),
  })
  .meta({ id: 'Link' });

export const worldEvent = z
  .object({
    seq: z.number().int(),
    at: time,
    write_id: z.string(),
    op: z.string(),
    content_ids: z.array(z.string()),
    before: z.record(z.string(), z.record(z.string(), z.unknown())).nullable(),
    after: z.record(z.string(), z.record(z.string(), z.unknown())).nullable(),
    caller: z.string(),
    caller_kind: z.string(),
    thread: z.string().nullable(),
    device: z.string(),
    origin_source_id: z.string(),
  })
  .meta({ id: 'WorldEvent' });

export const derivation = z
  .object({
    id: z.string().describe('the page or block at the other end'),
    page: z.string().nullable(),
    path: z.string().nullable(),
    text: z.string().nullable().describe('of a block'),
    link_type: z.string(),
    created_at: time,
    created_by: z.string(),
  })
  .meta({ id: 'Derivation' });

export const inboxItem = z
  .object({
    kind: z.enum(['candidate', 'deviation', 'flag']),
    id: z.string(),
    content_id: z.string(),
    path: z.string(),
    standing: z.number(),
    revision: z.number().int().describe('a decision names it: it is about what was shown'),
    at: time,
    before: z.string().nullable(),
    after: z.string().nullable(),
    text: z
      .string()
      .nullable()
      .describe('of a flag: what is to be looked at, as it stands; `before` and `after` are its source'),
    conflicts: z.array(z.object({ base: z.string(), ours: z.string(), theirs: z.string() })),
    note: z.string(),
    by: z.string().nullable().describe('who wrote it: kind and name'),
    thread: z.string().nullable().describe('the conversation it comes from'),
    sources: z.array(derivation).describe('what it rests on'),
  })
  .meta({ id: 'InboxItem' });

export const inboxQuestion = z
  .object({
    id: z.string().describe('an answer to the thread names it'),
    thread: z.string(),
    schedule: z.string().describe('that started the turn'),
    at: time.describe('when the turn was due'),
    note: z.string().describe('what it asks'),
  })
  .meta({ id: 'InboxQuestion' });

export const inboxMemory = z
  .object({
    id: z.string().describe('the key'),
    text: z.string(),
    origins: z.array(z.string()).describe('what was read when it was stored'),
    writer: z.string(),
    at: time,
  })
  .meta({ id: 'InboxMemory' });

export const decisionActs = ['accept', 'edit', 'reject', 'resolve'] as const;

export const decisionBody = z
  .strictObject({
    act: z.enum(decisionActs),
    revision: z.number().int().min(1).describe('that of the item as it was shown'),
    text: z.string().max(4_000_000).optional().describe('with edit: what is to stand'),
    reason: z.string().trim().min(1).max(2_000).optional(),
  })
  .meta({ id: 'DecisionBody' });

export const decisionResult = z
  .object({
    id: z.string(),
    act: z.enum(decisionActs),
    write_id: z.string(),
    content_ids: z.array(z.string()),
  })
  .meta({ id: 'Decided' });

export const storedDecision = z
  .object({
    write_id: z.string(),
    at: time,
    person: z.string(),
    act: z.enum([...decisionActs, 'undo']),
    item: z.string(),
    path: z.string(),
    reason: z.string().nullable(),
    gist: z.string().nullable().describe('the beginning of the text that it was about'),
    undone: z.boolean().describe('it was taken back'),
  })
  .meta({ id: 'Decision' });

export const savedPage = z
  .object({
    page: z.string(),
    path: z.string(),
    revision: z.number().int().nullable().describe('that stands now; null: the page is gone'),
    applied: z.boolean().describe('false: it was held, and waits in the inbox beside what stands'),
    deviations: z.array(z.string()),
    write_id: z.string(),
  })
  .meta({ id: 'Saved' });
