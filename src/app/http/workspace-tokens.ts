/** Tokens of one workspace and tokens for sending alerts, managed over HTTP. */
import { SondeError } from '../../core/index.ts';
import type { Actor } from '../../store/index.ts';
import type { CapabilitySetName } from '../../tools/index.ts';
import type { Directories } from '../config/index.ts';
import { type ListedToken, listToken } from '../tokens/manage-tokens.ts';
import { openTokens } from '../tokens/open-tokens.ts';
import { removeSavedToken } from '../tokens/saved-token.ts';
import { isSamePlace, type TokenPlace } from '../tokens/tokens.ts';
import { type Role, tokenRights } from './askers.ts';

/** The purpose of a new token. */
export type TokenUse =
  | { readonly role: Role }
  /** For a program: the tools of the workspace. */
  | { readonly allow: Exclude<CapabilitySetName, 'owner' | 'operator'> }
  /** For sending alerts: the only sender it accepts, or null for any. */
  | { readonly sender: string | null };

export interface WorkspaceTokens {
  /** The tokens of the workspace, and those for alerts. */
  list(): readonly ListedToken[];
  /** Makes a token and returns it, the only time that it is shown. Throws `bad_argument` if the name is taken. */
  add(name: string, use: TokenUse, actor: Actor): ListedToken & { readonly token: string };
  /** Throws `not_found`. */
  find(name: string, alerts: boolean): ListedToken;
  /** Revokes the token. Throws `not_found`. */
  remove(name: string, alerts: boolean, actor: Actor): ListedToken;
  close(): void;
}

const alertPlace: TokenPlace = { kind: 'alerts' };

export function openWorkspaceTokens(
  directories: Pick<Directories, 'data'>,
  workspace: TokenPlace,
): WorkspaceTokens {
  const tokens = openTokens(directories);
  const placeOf = (alerts: boolean): TokenPlace => (alerts ? alertPlace : workspace);
  const findToken = (name: string, alerts: boolean) => {
    const place = placeOf(alerts);
    const token = tokens.list().find((token) => token.name === name && isSamePlace(token.place, place));
    if (token !== undefined) return token;
    throw new SondeError('not_found', {
      message: `There is no token ${JSON.stringify(name)} for ${alerts ? 'alerts' : 'this workspace'}`,
      remedy: 'GET /api/v1/tokens lists the existing tokens.',
    });
  };
  return {
    list: () =>
      tokens
        .list()
        .filter(({ place }) => isSamePlace(place, workspace) || isSamePlace(place, alertPlace))
        .map(listToken),
    add(name, use, actor) {
      const alerts = 'sender' in use;
      const allow = 'role' in use ? tokenRights[use.role].allow : 'allow' in use ? use.allow : null;
      const token = tokens.add(
        {
          ...{ name, allow, kept: false, place: placeOf(alerts) },
          author: 'role' in use && tokenRights[use.role].author,
          sender: alerts ? use.sender : null,
        },
        actor,
      );
      return { ...listToken(findToken(name, alerts)), token };
    },
    find: (name, alerts) => listToken(findToken(name, alerts)),
    remove(name, alerts, actor) {
      const token = findToken(name, alerts);
      tokens.remove(token.place, name, actor);
      removeSavedToken(directories, token.place, name);
      return listToken(token);
    },
    close: () => tokens.close(),
  };
}
