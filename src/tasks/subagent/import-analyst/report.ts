/**
 * The contract of the import analyst's report: its input and its output. A claim names the pages that prove it, and
 * each piece of evidence was read again before the report is returned. The author of a finding must not: claim what its
 * evidence does not show, or give evidence that `confirm.ts` can't confirm by reading.
 */
import { z } from 'zod';

export const analystInput = z.strictObject({
  under: z.string().max(1000).optional().describe('Only this page path and below'),
  per_kind: z.int().min(1).max(500).default(5).describe('Findings told of each kind'),
  proposals: z.int().min(0).max(50).default(10).describe('Repairs submitted'),
});
export type AnalystInput = z.output<typeof analystInput>;

/** A page by its id, and its path for people. */
const pageFields = { page: z.string(), path: z.string(), confirmed: z.boolean() };

export const pageEvidence = z.discriminatedUnion('kind', [
  /** These words are in this block, or in the front matter where it is null, at this revision of the page. */
  z.strictObject({
    kind: z.literal('quote'),
    ...pageFields,
    block: z.string().nullable(),
    revision: z.int(),
    quote: z.string().min(1),
  }),
  /** A link in this block that leads to the given page, or to none. */
  z.strictObject({
    kind: z.literal('link'),
    ...pageFields,
    block: z.string(),
    target: z.string(),
    to: z.string().nullable(),
  }),
  /** A link in this block to a page that has no such heading or block mark. */
  z.strictObject({
    kind: z.literal('no_place'),
    ...pageFields,
    block: z.string(),
    target: z.string(),
    to: z.string(),
  }),
  /** There is a page of this path. */
  z.strictObject({ kind: z.literal('page'), ...pageFields }),
  /** No other page links to it, and it links to none. */
  z.strictObject({ kind: z.literal('alone'), ...pageFields }),
  /** It has no words. */
  z.strictObject({ kind: z.literal('empty'), ...pageFields }),
  z.strictObject({ kind: z.literal('tag'), ...pageFields, tag: z.string() }),
  /** Shares at least this part of its three-word runs with the other page. 0 to 1. */
  z.strictObject({ kind: z.literal('alike'), ...pageFields, other: z.string(), likeness: z.number() }),
  /** A write of an import that is in conflict with this page and open. */
  z.strictObject({ kind: z.literal('deviation'), ...pageFields, deviation: z.string() }),
]);
export type PageEvidence = z.infer<typeof pageEvidence>;

/** A write that would repair what a finding describes. */
export const repair = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('relink'),
    page: z.string(),
    block: z.string(),
    from: z.string(),
    to: z.string(),
    target: z.string(),
  }),
  z.strictObject({ kind: z.literal('create_page'), path: z.string() }),
  z.strictObject({ kind: z.literal('add_tag'), page: z.string(), tag: z.string() }),
]);
export type Repair = z.infer<typeof repair>;

export const findingKinds = [
  'broken_link',
  'reversed_link',
  'broken_anchor',
  'ambiguous_link',
  'orphan',
  'duplicate',
  'empty_page',
  'front_matter_unread',
  'property_kind',
  'property_names',
  'similar_tags',
  'import_deviation',
] as const;
export type FindingKind = (typeof findingKinds)[number];

export const finding = z.strictObject({
  /** `f-1`, `f-2` … within the report. */
  id: z.string(),
  kind: z.enum(findingKinds),
  /** One line. */
  statement: z.string().min(1),
  /** How many pages it concerns. */
  pages: z.int().min(1),
  evidence: z.array(pageEvidence).min(1),
  /** All of its evidence was confirmed. */
  confirmed: z.boolean(),
  /** What is likely meant, where names alone can show it. */
  likely: z.string().nullable(),
  /** The model's verdict on the finding; null if no model was asked, or it said nothing. */
  verdict: z.strictObject({ says: z.enum(['real', 'harmless', 'unsure']), why: z.string() }).nullable(),
});
export type Finding = z.infer<typeof finding>;

export const proposal = z.strictObject({
  finding: z.string(),
  tool: z.enum(['update_block', 'create_page', 'add_tag']),
  /** One line, for people. */
  what: z.string(),
  /** Ids of the pages from which the written text was derived. */
  derived_from: z.array(z.string()),
  /** candidate: written and marked. held: waits for the author. not_submitted: beyond the requested number. */
  outcome: z.enum(['candidate', 'held', 'refused', 'not_submitted']),
  write_id: z.string().nullable(),
  content_ids: z.array(z.string()),
  deviation_ids: z.array(z.string()),
  /** Why it was refused. */
  note: z.string(),
});
export type Proposal = z.infer<typeof proposal>;

export const claim = z.strictObject({ text: z.string().min(1), evidence: z.array(pageEvidence).min(1) });
export type Claim = z.infer<typeof claim>;

export const scope = z.strictObject({
  under: z.string().nullable(),
  /** Pages that were read, and how many of them came by an import. */
  pages: z.int(),
  /** Pages in the workspace, read or not. */
  there: z.int(),
  imported: z.int(),
  words: z.int(),
  links: z.int(),
  /** Links to files that are not pages; whether the files exist is not checked. */
  file_links: z.int(),
  tags: z.int(),
  /** False: not all pages could be read. */
  complete: z.boolean(),
  notes: z.array(z.string()),
});
export type ImportSize = z.infer<typeof scope>;

export const importReport = z.strictObject({
  scope,
  totals: z.array(z.strictObject({ kind: z.enum(findingKinds), found: z.int(), told: z.int() })),
  findings: z.array(finding),
  /** A model's overview; each of its claims quotes words that were found again on the named page. */
  overview: z.array(claim),
  proposals: z.array(proposal),
  /** The number of further repairs that could be proposed. */
  more_repairs: z.int(),
  model: z.strictObject({
    used: z.boolean(),
    /** Why none was used, or how many of its claims were left out since their words were not found. */
    note: z.string(),
  }),
});
export type ImportReport = z.infer<typeof importReport>;
