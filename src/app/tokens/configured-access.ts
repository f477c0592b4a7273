/** Access tokens as configured, and the rights of their holders' teams at this server. */
import { SondeError } from '../../core/index.ts';
import type { TeamRole, TeamRow } from '../../store/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { roles, tokenRights } from '../http/askers.ts';
import type { AccessTokens, Rights } from './access-tokens.ts';
import type { TokenCheck } from './token-check.ts';
import type { TokenPlace } from './tokens.ts';

export interface ConfiguredAccess {
  readonly tokenCheck: Pick<TokenCheck, 'check'>;
  /** The place that local tokens give access to. */
  readonly place: TokenPlace;
  /** The name of a workspace in a shared store, which says what its teams may do; null: the scopes of a token do. */
  readonly workspace: string | null;
}

/** How long the grants of teams are cached. Milliseconds. */
const teamsMs = 1_000;

/** Null: no provider is configured. Throws `bad_config`. */
export async function openConfiguredAccess(
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
  requireSafeIssuer(issuer);
  const { openAccessTokens } = await import('./access-tokens.ts');
  const teamRights = workspace === null ? null : await openTeamRights(storeAddress(values), workspace);
  const publicUrl = values.serve_public_url ?? null;
  const accessTokens = openAccessTokens(tokenCheck, {
    ...{ issuer, audience, teamClaim, place, publicUrl },
    rightsFor: teamRights?.rightsFor ?? (async (teams, scopes) => rightsByScope(teams, scopes)),
  });
  return { ...accessTokens, close: async () => teamRights?.close() };
}

/** Without TLS, anybody on the network could replace the provider's keys. */
function requireSafeIssuer(issuer: string): void {
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return;
  throw new SondeError('bad_config', {
    message: `oidc_issuer is ${issuer}, whose keys would come over an unprotected connection`,
    remedy: 'Give an https address.',
  });
}

const findHighestRole = (among: readonly TeamRole[]): TeamRole | undefined =>
  roles.findLast((role) => among.includes(role));

/** Derives the rights from the scopes `sonde.reader`, `sonde.operator` and `sonde.author`. */
function rightsByScope(teams: readonly string[], scopes: readonly string[]): Rights | null {
  const role = findHighestRole(roles.filter((each) => scopes.includes(`sonde.${each}`)));
  return role === undefined ? null : { ...tokenRights[role], team: teams[0] ?? '' };
}

async function openTeamRights(url: string, workspace: string) {
  const { openPostgresTeams } = await import('../../store/postgres/index.ts');
  const teams = openPostgresTeams({ url, team: '' });
  let cachedRows: { readonly at: number; readonly rows: Promise<readonly TeamRow[]> } | null = null;
  function rows(): Promise<readonly TeamRow[]> {
    if (cachedRows === null || performance.now() - cachedRows.at > teamsMs) {
      const loadingTeams = teams.list();
      cachedRows = { at: performance.now(), rows: loadingTeams };
      loadingTeams.catch(() => {
        cachedRows = null;
      });
    }
    return cachedRows.rows;
  }
  return {
    /** If the holder is in several teams, the team with the highest role counts. */
    async rightsFor(teamNames: readonly string[]): Promise<Rights | null> {
      const grants = (await rows())
        .filter(({ name }) => teamNames.includes(name))
        .flatMap(({ name, grants }) =>
          grants
            .filter((grant) => grant.kind === 'workspace' && grant.name === workspace)
            .map(({ role }) => ({ team: name, role })),
        );
      const role = findHighestRole(grants.map((each) => each.role));
      const grant = grants.find((each) => each.role === role);
      return role === undefined || grant === undefined ? null : { ...tokenRights[role], team: grant.team };
    },
    close: () => teams.close(),
  };
}
