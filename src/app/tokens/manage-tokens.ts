/** Makes, lists and revokes the tokens of HTTP clients. */
import { resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import type { CapabilitySetName } from '../../tools/index.ts';
import {
  type Directories,
  directories,
  loadConfiguration,
  processEnvironment,
  readSecretFile,
  thisUser,
} from '../config/index.ts';
import { type Role, roles, tokenRights } from '../http/askers.ts';
import { withWorkspace, workspacePath } from '../workspace/workspace.ts';
import { formatPlace, openTokens } from './open-tokens.ts';
import { createFrontPlace, workspacePlace } from './place.ts';
import { removeSavedToken } from './saved-token.ts';
import { isSamePlace, type Token, type TokenPlace, type Tokens } from './tokens.ts';

/** What a token gives access to, as chosen by flags. */
export interface PlaceFlags {
  readonly workspace?: string;
  readonly alerts?: true;
}

export interface AddFlags extends PlaceFlags {
  readonly allow?: string;
  readonly author?: true;
  readonly sender?: string;
  readonly hmacSecretFile?: string;
  /** A role of the HTTP interface. It decides the set, and whether the token is the author's. */
  readonly role?: string;
}

/** A token as it is listed, without the token itself. */
export interface ListedToken {
  readonly name: string;
  readonly workspace: string | null;
  readonly alerts: boolean;
  readonly allow: CapabilitySetName | null;
  readonly author: boolean;
  /** For alerts: the only sender that it accepts. */
  readonly sender: string | null;
  /** The file with the secret of this sender. */
  readonly hmac_secret_file: string | null;
  readonly created: string;
}

export function listToken(token: Token): ListedToken {
  const { name, place, allow, author, created, sender, secretFile } = token;
  const workspace = place.kind === 'workspace' ? place.workspace : null;
  const alerts = place.kind === 'alerts';
  const createdAt = new Date(created).toISOString();
  return { name, workspace, alerts, allow, author, sender, hmac_secret_file: secretFile, created: createdAt };
}

const readDirectories = (): Directories => directories(processEnvironment());

function withTokens<Value>(work: (tokens: Tokens) => Value): Value {
  const tokens = openTokens(readDirectories());
  try {
    return work(tokens);
  } finally {
    tokens.close();
  }
}

/** Throws `bad_argument` unless exactly one of workspace and alerts is given. */
function requireOnePlace({ workspace, alerts }: PlaceFlags): void {
  if ((workspace !== undefined) !== (alerts === true)) return;
  throw new SondeError('bad_argument', {
    message: 'A token is for one workspace or for alerts',
    remedy: 'Give --workspace W, or --alerts.',
  });
}

async function readPlace({ workspace }: PlaceFlags): Promise<TokenPlace> {
  if (workspace === undefined) return { kind: 'alerts' };
  const { values } = loadConfiguration({ environment: processEnvironment() });
  if (values.store === 'postgres') return createFrontPlace(workspace);
  return withWorkspace(workspace, ({ path, world }) =>
    workspacePlace(readDirectories(), { path, id: world.workspace.id }),
  );
}

/**
 * The token is null for a sender that signs its messages. Without a name, the token gets the name of its sender. Throws
 * `bad_argument` for flags that don't fit together or a name that is taken, `not_found` for a missing workspace, and
 * `bad_config` for an unreadable secret.
 */
export async function addToken(
  givenName: string | undefined,
  addFlags: AddFlags,
): Promise<ListedToken & { readonly token: string | null }> {
  const senderFields = await readSender(addFlags);
  const flags: AddFlags =
    senderFields.sender === null || addFlags.workspace !== undefined
      ? addFlags
      : { ...addFlags, alerts: true };
  requireOnePlace(flags);
  const name = givenName ?? senderFields.sender;
  if (name === null)
    throw new SondeError('bad_argument', {
      message: 'A token needs a name',
      remedy: 'Give one: sonde token add NAME.',
    });
  const role = readRole(flags);
  const author = flags.author === true || role === 'author';
  const allow = await readCapabilitySet({
    ...flags,
    ...(author && { author }),
    ...(role !== null && { allow: tokenRights[role].allow }),
  });
  const place = await readPlace(flags);
  return withTokens((tokens) => {
    const token = tokens.add({ ...{ name, place, allow, author, kept: false }, ...senderFields }, thisUser());
    const addedToken = tokens.list().find((token) => token.name === name && isSamePlace(token.place, place))!;
    // A sender that signs its messages needs no token.
    return { ...listToken(addedToken), token: senderFields.secretFile === null ? token : null };
  });
}

/** A known sender, and the file with its secret, which must be readable. */
async function readSender({
  sender,
  hmacSecretFile,
  workspace,
}: AddFlags): Promise<Pick<Token, 'sender' | 'secretFile'>> {
  if (sender === undefined && hmacSecretFile === undefined) return { sender: null, secretFile: null };
  if (workspace !== undefined || sender === undefined)
    throw new SondeError('bad_argument', {
      message:
        sender === undefined
          ? '--hmac-secret-file is for one sender'
          : '--sender is for alerts, not a workspace',
      remedy: sender === undefined ? 'Give --sender NAME, too.' : 'Leave --workspace out.',
    });
  const { senders } = await import('../../tasks/incident/index.ts');
  if (!senders.some((known) => known === sender))
    throw new SondeError('bad_argument', {
      message: `There is no sender ${JSON.stringify(sender)}`,
      remedy: `It may be ${senders.join(', ')}.`,
    });
  if (hmacSecretFile === undefined) return { sender, secretFile: null };
  const { signatureForms: signing } = await import('../alerts/signatures.ts');
  if (!signing.has(sender))
    throw new SondeError('bad_argument', {
      message: `${sender} signs nothing with a secret`,
      remedy: `${[...signing.keys()].join(', ')} do; others show the token.`,
    });
  const secretFile = resolve(hmacSecretFile);
  readSecretFile(secretFile, '--hmac-secret-file');
  return { sender, secretFile };
}

/** Null if no role was given. Throws `bad_argument` for an unknown role, or for flags that contradict the role. */
function readRole({ role, allow, author, alerts }: AddFlags): Role | null {
  if (role === undefined) return null;
  const knownRole = roles.find((each) => each === role);
  if (knownRole === undefined)
    throw new SondeError('bad_argument', {
      message: `--role is ${JSON.stringify(role)}`,
      remedy: `Allowed: ${roles.join(', ')}.`,
    });
  if (allow === undefined && author === undefined && alerts === undefined) return knownRole;
  throw new SondeError('bad_argument', {
    message: '--role says what a token may do by itself',
    remedy: 'Give it with --workspace, and without --allow, --author and --alerts.',
  });
}

/** The default set: the author may do everything, a program what the set `external` allows. */
async function readCapabilitySet({ alerts, allow, author }: AddFlags): Promise<CapabilitySetName | null> {
  if (alerts === true) {
    if (allow === undefined && author === undefined) return null;
    throw new SondeError('bad_argument', {
      message: `${allow === undefined ? '--author' : '--allow'} is for a workspace; alerts have no tools`,
      remedy: 'Leave it out, or name a workspace with --workspace.',
    });
  }
  const { parseSetName } = await import('../../tools/index.ts');
  return parseSetName(allow ?? (author === true ? 'owner' : 'external'));
}

export const listTokens = (): readonly ListedToken[] => withTokens((tokens) => tokens.list().map(listToken));

/** Throws `not_found`, and `bad_argument` if several places have a token of that name. */
export function removeToken(name: string, flags: PlaceFlags): ListedToken {
  if (flags.workspace !== undefined && flags.alerts === true) requireOnePlace(flags);
  return withTokens((tokens) => {
    const sameNameTokens = tokens.list().filter((token) => token.name === name);
    const matchingTokens = sameNameTokens.filter((token) => isMatch(token, flags));
    const [token, other] = matchingTokens;
    if (token === undefined)
      throw new SondeError('not_found', {
        message: `There is no token ${JSON.stringify(name)}${sameNameTokens.length > 0 ? ' there' : ''}`,
        remedy: 'sonde token ls lists the existing tokens.',
      });
    if (other !== undefined)
      throw new SondeError('bad_argument', {
        message: `There are tokens ${name} for ${matchingTokens.map(({ place }) => formatPlace(place)).join(', ')}`,
        remedy: 'Say which with --workspace W, or --alerts.',
      });
    tokens.remove(token.place, name, thisUser());
    removeSavedToken(readDirectories(), token.place, name);
    return listToken(token);
  });
}

/** By the name of the file, since a workspace that is gone may still have tokens. */
function isMatch({ place }: Token, { workspace, alerts }: PlaceFlags): boolean {
  if (alerts === true) return place.kind === 'alerts';
  if (workspace === undefined) return true;
  if (place.kind === 'alerts') return false;
  const tokenPlace = workspacePlace(readDirectories(), { path: workspacePath(workspace), id: place.id });
  return tokenPlace.kind === 'workspace' && tokenPlace.workspace === place.workspace;
}
