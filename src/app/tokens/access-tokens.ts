/**
 * Access tokens of an OpenID provider, in addition to those of `sonde token add`. This server is a resource server
 * (RFC 9728): it checks tokens with the provider's keys, and has no sign-in of its own. It refuses ID tokens, tokens
 * for another audience, and expired or unsigned tokens.
 */
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  type OAuthMetadata,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { isSondeError, messageOf, SondeError, sha256 } from '../../core/index.ts';
import { statusOf, toErrorBody } from '../http/statuses.ts';
import { readBearer, type ServerPart } from '../server/server-part.ts';
import type { TokenCheck } from './token-check.ts';
import type { Token } from './tokens.ts';

/** What the holder of an access token may do here. */
export type Rights = Pick<Token, 'allow' | 'author'> & { readonly team: string };

export interface AccessTokenOptions {
  /** Settings `oidc_issuer`, `oidc_audience` and `oidc_team_claim`. */
  readonly issuer: string;
  readonly audience: string;
  readonly teamClaim: string;
  readonly place: Token['place'];
  /** The rights of a holder; null: members of these teams have none here. `scopes`: the scopes of the token. */
  readonly rightsFor: (teams: readonly string[], scopes: readonly string[]) => Promise<Rights | null>;
  /** The public address of this server; null: the address of each request. */
  readonly publicUrl: string | null;
  readonly now?: () => number;
}

export interface AccessTokens {
  /** Checks the token of each request before other parts of the server handle it. */
  readonly part: ServerPart;
  /** Sonde's own tokens, and access tokens that were checked with this request. */
  readonly tokenCheck: Pick<TokenCheck, 'check'>;
}

/** Only asymmetric algorithms: HMAC would accept the provider's public key as a secret, and `none` has no signature. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
/** How long a signature check is reused. Rights are read again for each request. Milliseconds. */
const recheckMs = 60_000;
/** Maximum tolerated difference between the clocks of this server and the provider. Seconds. */
const toleranceSeconds = 5;
/** Minimum interval between look-ups of unknown keys, so that forged tokens don't flood the provider. Milliseconds. */
const keysMs = 2_000;
/** How long the provider's keys are cached. Milliseconds. */
const keyCacheMs = 60_000;
const providerTimeoutMs = 5_000;
const maxChecked = 10_000;

/** The claims of a token about its holder. */
interface TokenHolder {
  readonly name: string;
  readonly teams: readonly string[];
  readonly scopes: readonly string[];
}

interface CachedCheck {
  readonly holder: TokenHolder;
  readonly token: Token | 'wrong_place';
  /** When it expires. Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** The signature is not checked again before this time. Milliseconds since the Unix epoch. */
  readonly recheckAt: number;
}

const isJwt = (bearerToken: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearerToken);

/** `tokenCheck` checks Sonde's own tokens. */
export function openAccessTokens(
  tokenCheck: Pick<TokenCheck, 'check'>,
  options: AccessTokenOptions,
): AccessTokens {
  const { place, rightsFor, publicUrl, now = Date.now } = options;
  const oidcProvider = openProvider(options);
  const cachedChecks = new Map<string, CachedCheck>();
  /** Hashes of the tokens that are being checked again. */
  const renewingKeys = new Set<string>();

  async function createToken({ name, teams, scopes }: TokenHolder): Promise<CachedCheck['token']> {
    const rights = await rightsFor(teams, scopes);
    if (rights === null) return 'wrong_place';
    return Object.freeze({
      ...{ name, place, ...rights },
      ...{ kept: false, sender: null, secretFile: null, created: 0 },
    });
  }

  const verifier: OAuthTokenVerifier = {
    async verifyAccessToken(bearerToken) {
      const claims = await oidcProvider.check(bearerToken);
      const scopes = String(claims['scope'] ?? '')
        .split(' ')
        .filter(Boolean);
      const holder = { name: toClientName(claims.sub), teams: readTeams(claims, options.teamClaim), scopes };
      const token = await createToken(holder);
      const expires = claims.exp;
      cacheCheck(sha256(bearerToken), {
        holder,
        token,
        expiresAt: expires * 1000,
        recheckAt: now() + recheckMs,
      });
      return {
        token: bearerToken,
        clientId: String(claims['client_id'] ?? claims.sub),
        scopes,
        expiresAt: expires,
      };
    },
  };

  function cacheCheck(key: string, cachedCheck: CachedCheck): void {
    cachedChecks.delete(key);
    cachedChecks.set(key, cachedCheck);
    for (const [oldKey, { expiresAt }] of cachedChecks)
      if (expiresAt <= now() || cachedChecks.size > maxChecked) cachedChecks.delete(oldKey);
  }

  function findChecked(bearerToken: string): CachedCheck | null {
    const cachedCheck = cachedChecks.get(sha256(bearerToken));
    return cachedCheck !== undefined && cachedCheck.expiresAt > now() ? cachedCheck : null;
  }

  const isFresh = (bearerToken: string): boolean => (findChecked(bearerToken)?.recheckAt ?? 0) > now();

  /** Updates the rights of a token whose signature was checked recently. */
  async function renewRights(bearerToken: string): Promise<void> {
    const earlierCheck = findChecked(bearerToken);
    if (earlierCheck === null) return;
    const token = await createToken(earlierCheck.holder);
    const key = sha256(bearerToken);
    if (cachedChecks.get(key) === earlierCheck) cachedChecks.set(key, { ...earlierCheck, token });
  }

  /** Checks a token again in the background, for the next request. Without an answer the last result stays valid. */
  function renewSoon(bearerToken: string): void {
    const key = sha256(bearerToken);
    if (renewingKeys.has(key)) return;
    renewingKeys.add(key);
    const renewal = isFresh(bearerToken) ? renewRights(bearerToken) : verifier.verifyAccessToken(bearerToken);
    void renewal
      .catch((thrown: unknown) => {
        if (thrown instanceof OAuthError) cachedChecks.delete(key);
      })
      .finally(() => renewingKeys.delete(key));
  }

  return {
    part: {
      name: 'access tokens',
      mount(app) {
        app.use(async (context, next) => {
          const { req } = context;
          const { pathname, origin } = new URL(req.url);
          const resource = new URL('/mcp', publicUrl ?? origin);
          const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
          try {
            if (pathname.startsWith('/.well-known/oauth-')) {
              const metadataResponse = await oidcProvider.describe(req.raw, resource);
              if (metadataResponse !== undefined) return metadataResponse;
            }
            const bearer = readBearer(req.raw.headers);
            if (bearer !== null && isJwt(bearer)) {
              if (isFresh(bearer)) await renewRights(bearer);
              else await verifyBearerToken(req.header('authorization'), { verifier, resourceMetadataUrl });
            }
          } catch (thrown) {
            const bearerToken = readBearer(req.raw.headers);
            if (bearerToken !== null) cachedChecks.delete(sha256(bearerToken));
            if (isSondeError(thrown)) return refusalResponse(thrown);
            return bearerAuthChallengeResponse(thrown, { resourceMetadataUrl });
          }
          await next();
          // Clients find the provider by this header.
          if (context.res.status === 401)
            context.res.headers.set('www-authenticate', `Bearer resource_metadata="${resourceMetadataUrl}"`);
          return undefined;
        });
      },
    },
    tokenCheck: {
      check(bearerToken) {
        const cachedCheck = bearerToken === null || !isJwt(bearerToken) ? null : findChecked(bearerToken);
        if (cachedCheck === null) return tokenCheck.check(bearerToken);
        renewSoon(bearerToken!);
        return cachedCheck.token === 'wrong_place'
          ? { kind: 'wrong_place' }
          : { kind: 'holder', token: cachedCheck.token };
      },
    },
  };
}

const refusalResponse = (error: SondeError): Response =>
  Response.json(toErrorBody(error), { status: statusOf(error.code), headers: { 'retry-after': '5' } });

/** The name of the client in history and audit: one word, different for each subject. */
function toClientName(subject: string): string {
  const safeName = subject.replace(/[^\w.-]/g, '_').slice(0, 40);
  return safeName === subject ? `oidc.${safeName}` : `oidc.${safeName}-${sha256(subject).slice(0, 8)}`;
}

function readTeams(claims: JWTPayload, claim: string): readonly string[] {
  const value = claims[claim];
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}

interface IssuerData {
  readonly metadata: OAuthMetadata;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** The provider, whose keys and addresses are read when they are first needed. */
function openProvider({ issuer, audience }: Pick<AccessTokenOptions, 'issuer' | 'audience'>) {
  let discovery: Promise<IssuerData> | null = null;

  async function discover(): Promise<IssuerData> {
    const configurationUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(configurationUrl, {
      signal: AbortSignal.timeout(providerTimeoutMs),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`${configurationUrl} answered ${response.status}`);
    const metadata = (await response.json()) as OAuthMetadata & { readonly jwks_uri?: string };
    if (metadata.issuer !== issuer)
      throw new Error(`${configurationUrl} is of the issuer ${metadata.issuer}`);
    if (metadata.jwks_uri === undefined) throw new Error(`${configurationUrl} names no keys`);
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      timeoutDuration: providerTimeoutMs,
      cooldownDuration: keysMs,
      cacheMaxAge: keyCacheMs,
    });
    return { metadata, keys };
  }

  /** Throws `tool_failed` while the provider does not answer. */
  function issuerData(): Promise<IssuerData> {
    discovery ??= discover().catch((thrown: unknown) => {
      discovery = null;
      throw issuerUnreachableError(issuer, thrown);
    });
    return discovery;
  }

  return {
    /** Throws `OAuthError` if it is no valid access token for this server, and as `issuerData` does. */
    async check(bearerToken: string): Promise<CheckedClaims> {
      const { keys } = await issuerData();
      let payload: JWTPayload;
      try {
        ({ payload } = await jwtVerify(bearerToken, keys, {
          ...{ issuer, audience, algorithms },
          // The type of access tokens (RFC 9068), which ID tokens don't have.
          typ: 'at+jwt',
          requiredClaims: ['exp', 'sub'],
          clockTolerance: toleranceSeconds,
        }));
      } catch (thrown) {
        const isToken =
          thrown instanceof errors.JOSEError &&
          !(thrown instanceof errors.JWKSTimeout) &&
          !(thrown.code === 'ERR_JOSE_GENERIC');
        if (isToken) throw new OAuthError(OAuthErrorCode.InvalidToken, describeFailure(thrown, audience));
        throw issuerUnreachableError(issuer, thrown);
      }
      const claim = findWrongClaim(payload);
      if (claim !== null) throw new OAuthError(OAuthErrorCode.InvalidToken, describeWrongClaim(claim));
      return payload as CheckedClaims;
    },
    /** The documents of RFC 9728 and RFC 8414; undefined for another address. */
    async describe(request: Request, resourceServerUrl: URL): Promise<Response | undefined> {
      const { metadata } = await issuerData();
      return oauthMetadataResponse(request, {
        oauthMetadata: metadata,
        resourceServerUrl,
        resourceName: 'Sonde',
      });
    },
  };
}

type CheckedClaims = JWTPayload & { readonly sub: string; readonly exp: number };

const describeWrongClaim = (claim: string): string => `the claim ${claim} is not as it must be`;

/** The latest time that a `Date` can hold. Seconds since the Unix epoch. */
const lastSecond = 8_640_000_000_000;

/** Finds a malformed claim, which the signature check does not refuse: a subject that is no text, an impossible date. */
function findWrongClaim({ sub, exp, iat }: JWTPayload): string | null {
  if (typeof sub !== 'string' || sub === '') return 'sub';
  if (typeof exp !== 'number' || exp > lastSecond) return 'exp';
  return iat !== undefined && iat > Date.now() / 1000 + toleranceSeconds ? 'iat' : null;
}

/** Says what is wrong without showing any content of the token. */
function describeFailure(error: errors.JOSEError, audience: string): string {
  switch (error.code) {
    case 'ERR_JWT_EXPIRED':
      return 'the token has expired: ask the provider for a new one';
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED': {
      const { claim } = error as errors.JWTClaimValidationFailed;
      if (claim === 'aud') return `the token is for another audience: ask for one for ${audience}`;
      if (claim === 'typ') return 'this is no access token: an ID token, or one of another kind';
      return describeWrongClaim(claim);
    }
    case 'ERR_JWKS_NO_MATCHING_KEY':
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return 'no key of the provider has signed this token: ask for a new one';
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return 'the token is signed in a way that is not accepted, or not at all';
    default:
      return 'this is no access token';
  }
}

const issuerUnreachableError = (issuer: string, cause: unknown): SondeError =>
  new SondeError('tool_failed', {
    message: `The issuer of access tokens at ${issuer} does not answer: ${messageOf(cause)}`.slice(0, 300),
    remedy:
      'See that oidc_issuer is right and can be reached from this server, and try again. Tokens of sonde token add work without it.',
    cause,
  });
