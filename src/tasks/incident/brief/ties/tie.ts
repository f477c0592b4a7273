/**
 * Ties between a change and the alert. A rule compares the change with the observations about the alerted service, and
 * returns the places where both name the same thing. A change without any tie is never blamed, whatever its time.
 */
import type { Change, IncidentLink } from '../../../../core/index.ts';
import type { Nature } from '../edits/nature.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import type { Movement } from '../movement.ts';
import type { CallGraph } from '../outside/call-graph.ts';
import type { Reach } from '../reach/reach.ts';
import type { StateSeen } from '../state/condition.ts';
import type { Symptom } from '../symptoms.ts';

export interface Tie extends IncidentLink {
  /** From 0 to 1: how rarely such a match occurs for a change that is unrelated to the alert. */
  readonly strength: number;
  /** Changes that are not blamed contain the same name. */
  readonly isShared?: boolean;
  /** An edge that shows a changed behaviour of the code, and not only its place. */
  readonly showsBehaviour?: boolean;
}

/** A message of a service that no record connects with the alert. */
export interface FarMessage {
  readonly text: string;
  /** When it was first seen, in milliseconds since the Unix epoch; null if it has no time. */
  readonly first: number | null;
  readonly evidence: string;
}

export interface TiedChange {
  readonly change: WithEvidence<Change>;
  readonly nature: Nature;
  /** When (milliseconds since the Unix epoch) and where the change took effect. */
  readonly at: number;
  readonly service: string | null;
  /** A deploy that names another commit included this change. */
  readonly isIncluded?: boolean;
}

export interface TieContext {
  readonly facts: Facts;
  /** Observations of the alert's subject, its callers and its callees. */
  readonly symptoms: readonly Symptom[];
  readonly movements: readonly Movement[];
  /** Messages of services outside the alert's reach. */
  readonly far: readonly FarMessage[];
  /** The states of systems that report a problem of their own. */
  readonly states: readonly StateSeen[];
  readonly graph: CallGraph;
  readonly reach: Reach;
  /** The server that a state belongs to, if its message names only the product. */
  readonly serverOf: (state: StateSeen) => string | null;
  /** The names of the alert's subject. */
  readonly names: ReadonlySet<string>;
  /** Names of services, series and the like, which are too common to tie a change. */
  readonly common: ReadonlySet<string>;
  /** Texts from before the problem. */
  readonly ordinary: string;
  /** 0 if all changes contain the word, 1 if only one does. */
  readonly rarity: (word: string) => number;
}

export type Rule = (tied: TiedChange, context: TieContext) => readonly Tie[];

export const formatChangeName = ({ kind, id }: Pick<Change, 'kind' | 'id'>): string =>
  `${kind} ${kind === 'commit' ? id.slice(0, 12) : id}`;

export const shortenText = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};
