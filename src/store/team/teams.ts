/**
 * The teams that share a store, and what each may use. An implementer must not: give a team what nobody gave it, or
 * change one without the row of the audit in the same transaction.
 */
import { SondeError } from '../../core/index.ts';
import type { Actor } from '../audit.ts';

/** The same as the roles of the HTTP interface. */
export const teamRoles = ['reader', 'operator', 'author'] as const;
export type TeamRole = (typeof teamRoles)[number];

export interface TeamPlace {
  readonly kind: 'workspace' | 'repository';
  readonly name: string;
}

/** What the members of a team may do in a place. */
export interface TeamGrant extends TeamPlace {
  readonly role: TeamRole;
}

export interface TeamRow {
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** In the order of their places. */
  readonly grants: readonly TeamGrant[];
}

/** A lifetime: opened on a store, closed by its owner. Promises reject with the errors that are named. */
export interface Teams {
  /** Throws `bad_argument` for its name. False if there was one of this name. */
  add(name: string, by: Actor): Promise<boolean>;
  /** Replaces the role in this place. Throws `not_found` without the team. */
  give(team: string, grant: TeamGrant, by: Actor): Promise<void>;
  /** False if there was nothing to take. */
  take(team: string, place: TeamPlace, by: Actor): Promise<boolean>;
  /** In the order of their names. */
  list(): Promise<readonly TeamRow[]>;
  close(): Promise<void>;
}

/** The account that all runs of a team draw from; no run is named so. */
export const teamAccount = (team: string): string => `team/${team}`;

/** A word that needs no quoting, in commands and in accounts. */
export const teamName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Throws `not_found`: under a mistyped name a run would have neither grants nor a budget. */
export function requireTeam(teams: readonly TeamRow[], team: string): void {
  if (teams.some(({ name }) => name === team)) return;
  throw new SondeError('not_found', {
    message: `There is no team ${JSON.stringify(team)}`,
    remedy: `sonde team ls names them; sonde team add ${teamName.test(team) ? team : 'NAME'} makes one.`,
  });
}

/**
 * Throws `forbidden` where a team was made and not given the repository, in any role. A name that no team has is only a
 * name, for limits of the queue.
 */
export function requireRepository(teams: readonly TeamRow[], team: string, repository: string): void {
  const row = teams.find(({ name }) => name === team);
  if (row === undefined) return;
  if (row.grants.some(({ kind, name }) => kind === 'repository' && name === repository)) return;
  throw new SondeError('forbidden', {
    message: `Runs of team ${team} may not read the repository ${repository}`,
    remedy: `sonde team add ${team} --repository ${repository} lets them.`,
  });
}
