/** Access tokens as the settings say, and what the teams of their holders may do at this server. */
import { SondeError } from '../../core/index.ts';
import type { TeamRole, TeamRow } from '../../store/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { rightsOf, roles } from '../http/askers.ts';
import type { AccessTokens, Rights } from './access-tokens.ts';
import type { TokenCheck } from './token-check.ts';
import type { TokenPlace } from './tokens.ts';

export interface ConfiguredAccess {
  readonly tokenCheck: Pick<TokenCheck, 'check'>;
  /** For local tokens. */
  readonly place: TokenPlace;
  /** The name of a workspace in a shared store, which says what its teams may do; null: the scopes of a token do. */
  readonly workspace: string | null;
}

/** What teams may do is read again after so long. Milliseconds. */
const teamsMs = 1_000;

/** Null: no provider is configured. Throws `bad_config`. */
export async function accessTokensOf(
  { values }: Pick<Configuration, 'values'>,
  { tokenCheck, place, workspace }: ConfiguredAccess,
): Promise<(AccessTokens & { close(): Promise<void> }) | null> {
  const { oidc_issuer: issuer, oidc_audience: audience, oidc_team_claim: teamClaim } = values;
  if (issuer === undefined && audience === undefined) return null;
  if (issuer === undefined || audience === undefined)
    throw new SondeError('bad_config', {
      message: `oidc_${issuer === undefined ? 'issuer' : 'audience'} is not set, and oidc_${issuer === undefined ? 'audience' : 'issuer'} is`,
      remedy: 'Set both: SONDE_OIDC_ISSUER and SONDE_OIDC_AUDIENCE; or neither.',
    });
  requireSafe(issuer);
  const { openAccessTokens } = await import('./access-tokens.ts');
  const byTeam = workspace === null ? null : await openTeamRights(storeAddress(values), workspace);
  const publicUrl = values.serve_public_url ?? null;
  const access = openAccessTokens(tokenCheck, {
    ...{ issuer, audience, teamClaim, place, publicUrl },
    rightsFor: byTeam?.rightsFor ?? (async (teams, scopes) => rightsByScope(teams, scopes)),
  });
  return { ...access, close: async () => byTeam?.close() };
}

/** What goes over a network unprotected could be keys of anybody. */
function requireSafe(issuer: string): void {
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return;
  throw new SondeError('bad_config', {
    message: `oidc_issuer is ${issuer}, whose keys would come over an unprotected connection`,
    remedy: 'Give an https address.',
  });
}

const highest = (among: readonly TeamRole[]): TeamRole | undefined =>
  roles.findLast((role) => among.includes(role));

/** Scopes `sonde.reader`, `sonde.operator` and `sonde.author`. */
function rightsByScope(teams: readonly string[], scopes: readonly string[]): Rights | null {
  const role = highest(roles.filter((each) => scopes.includes(`sonde.${each}`)));
  return role === undefined ? null : { ...rightsOf[role], team: teams[0] ?? '' };
}

async function openTeamRights(url: string, workspace: string) {
  const { openPostgresTeams } = await import('../../store/postgres/index.ts');
  const teams = openPostgresTeams({ url, team: '' });
  let read: { readonly at: number; readonly rows: Promise<readonly TeamRow[]> } | null = null;
  function rows(): Promise<readonly TeamRow[]> {
    if (read === null || performance.now() - read.at > teamsMs) {
      const asked = teams.list();
      read = { at: performance.now(), rows: asked };
      asked.catch(() => {
        read = null;
      });
    }
    return read.rows;
  }
  return {
    /** Of several teams the one that may do most here counts. */
    async rightsFor(named: readonly string[]): Promise<Rights | null> {
      const all = (await rows())
        .filter(({ name }) => named.includes(name))
        .flatMap(({ name, grants }) =>
          grants
            .filter((grant) => grant.kind === 'workspace' && grant.name === workspace)
            .map(({ role }) => ({ team: name, role })),
        );
      const role = highest(all.map((each) => each.role));
      const found = all.find((each) => each.role === role);
      return role === undefined || found === undefined ? null : { ...rightsOf[role], team: found.team };
    },
    close: () => teams.close(),
  };
}
