/**
 * The teams that share a store, and their grants. An implementer must not: add a grant that nobody gave, or change a
 * team without the row of the audit in the same transaction.
 */
import { SondeError } from '../../core/index.ts';
import type { Actor } from '../audit.ts';

/** The roles of the HTTP interface. */
export const teamRoles = ['reader', 'operator', 'author'] as const;
export type TeamRole = (typeof teamRoles)[number];

export interface TeamPlace {
  readonly kind: 'workspace' | 'repository';
  readonly name: string;
}

/** The role of a team's members in a workspace or repository. */
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

/** Opened on a store, and closed by its opener. Promises reject with the named errors. */
export interface Teams {
  /** Adds a team; false if there is one with this name. Throws `bad_argument` for an invalid name. */
  add(name: string, by: Actor): Promise<boolean>;
  /** Grants a role; replaces the team's role in the same place. Throws `not_found` if there is no such team. */
  give(team: string, grant: TeamGrant, by: Actor): Promise<void>;
  /** Removes a grant; false if there was none. */
  take(team: string, place: TeamPlace, by: Actor): Promise<boolean>;
  /** In the order of their names. */
  list(): Promise<readonly TeamRow[]>;
  close(): Promise<void>;
}

/** The account that all runs of a team draw from; no run has this name. */
export const teamAccount = (team: string): string => `team/${team}`;

/** The form of a team's name: needs no quoting in commands and account names. */
export const teamName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Throws `not_found` for an unknown team: under a mistyped name a run would have neither grants nor a budget. */
export function requireTeam(teams: readonly TeamRow[], team: string): void {
  if (teams.some(({ name }) => name === team)) return;
  throw new SondeError('not_found', {
    message: `There is no team ${JSON.stringify(team)}`,
    remedy: `sonde team ls names them; sonde team add ${teamName.test(team) ? team : 'NAME'} makes one.`,
  });
}

/**
 * Throws `forbidden` if the team has no role in the repository. A name without a team is allowed, as a label for limits
 * of the queue.
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
