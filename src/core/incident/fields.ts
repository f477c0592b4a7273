/** A claim about an incident as data: code checks each field against one record. */

/**
 * The verbs for a series are rose, fell, stayed and was. The verbs for a change are deployed, brought (a deploy brought
 * a commit), written (a commit was written), changed, added, removed and switched. The verb for a log is logged.
 * `other` is a sentence that only a reader can check.
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
  /** A service or host; for `brought` the deploy. */
  readonly actor?: string;
  /** The object: a commit, a deploy, a flag, a name in code; for `logged` words of the line. */
  readonly object?: string;
  /** The metric. */
  readonly series?: string;
  readonly from?: string;
  /** For `was` the value; for `logged` the count. */
  readonly to?: string;
  /** ISO 8601 in UTC, or a time of day. */
  readonly time?: string;
  /** Lines copied from a diff. */
  readonly hunk?: string;
}
