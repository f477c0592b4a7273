/** What a claim about an incident says, as data: code holds each field against one record. */

/**
 * Of a series: rose, fell, stayed, was. Of a change: deployed, brought, written, changed, added, removed, switched. Of a
 * log: logged. All else is `other`: a sentence, for a reader.
 */
export const incidentVerbs = [
  'rose',
  'fell',
  'stayed',
  'was',
  'deployed',
  'brought',
  'written',
  'changed',
  'added',
  'removed',
  'switched',
  'logged',
  'other',
] as const;
export type IncidentVerb = (typeof incidentVerbs)[number];

export interface IncidentFields {
  readonly verb: IncidentVerb;
  /** Whose it is: a service, a host; of `brought` the deploy. */
  readonly actor?: string;
  /** What it was done to: a commit, a deploy, a flag, a name in the code; of `logged` words of the line. */
  readonly object?: string;
  /** The metric. */
  readonly series?: string;
  readonly from?: string;
  /** Of `was` the value; of `logged` how often. */
  readonly to?: string;
  /** ISO 8601 in UTC, or a time of day. */
  readonly time?: string;
  /** Lines of a diff, as they stand there. */
  readonly hunk?: string;
}
