/**
 * Access tokens of an OpenID provider, beside those that `sonde token add` makes. This server is a resource server
 * (RFC 9728): it checks a token by the provider's keys and asks nobody to sign in. What may be in a token that is no
 * access token for this server is refused: an ID token, one for another audience, an expired one, one that is unsigned.
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
import { bodyOfError, statusOf } from '../http/statuses.ts';
import { bearerIn, type ServerPart } from '../server/server-part.ts';
import type { TokenCheck } from './token-check.ts';
import type { Token } from './tokens.ts';

/** What a person of these teams may do here. */
export type Rights = Pick<Token, 'allow' | 'author'> & { readonly team: string };

export interface AccessTokenOptions {
  /** Settings `oidc_issuer`, `oidc_audience` and `oidc_team_claim`. */
  readonly issuer: string;
  readonly audience: string;
  readonly teamClaim: string;
  readonly place: Token['place'];
  /** Null: they may do nothing here. `scopes`: of the token. */
  readonly rightsFor: (teams: readonly string[], scopes: readonly string[]) => Promise<Rights | null>;
  /** The address under which clients know this server; null: the one that they asked. */
  readonly publicUrl: string | null;
  readonly now?: () => number;
}

export interface AccessTokens {
  /** Checks what is shown, before any other part of the server is asked. */
  readonly part: ServerPart;
  /** Sonde's own tokens, and access tokens that were checked with this request. */
  readonly tokenCheck: Pick<TokenCheck, 'check'>;
}

/** Only these: a key of the provider must not be taken as the secret of an HMAC, and `none` is no signature. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
/** The keys of the provider check a token again after so long; what it may do is looked at each time. Milliseconds. */
const checkedMs = 60_000;
/** A token that is valid from a later time than this is refused. Seconds. */
const toleranceSeconds = 5;
/** An unknown key is looked up again no sooner, so that forged ones don't flood the provider. Milliseconds. */
const keysMs = 2_000;
/** A key that the provider has withdrawn counts no longer than this. Milliseconds. */
const keptKeysMs = 60_000;
const answerMs = 5_000;
const maxChecked = 10_000;

/** What a token says of its holder. */
interface Holder {
  readonly name: string;
  readonly teams: readonly string[];
  readonly scopes: readonly string[];
}

interface CachedCheck {
  readonly holder: Holder;
  readonly token: Token | 'wrong_place';
  /** When it expires. Milliseconds since the Unix epoch. */
  readonly until: number;
  /** Until then nobody is asked again. */
  readonly fresh: number;
}

const isJwt = (shown: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(shown);

/** `tokenCheck`: for Sonde's own tokens. */
export function openAccessTokens(
  tokenCheck: Pick<TokenCheck, 'check'>,
  options: AccessTokenOptions,
): AccessTokens {
  const { place, rightsFor, publicUrl, now = Date.now } = options;
  const provider = openProvider(options);
  const checked = new Map<string, CachedCheck>();
  /** Those that are being looked at again. */
  const renewing = new Set<string>();

  async function tokenOf({ name, teams, scopes }: Holder): Promise<CachedCheck['token']> {
    const rights = await rightsFor(teams, scopes);
    if (rights === null) return 'wrong_place';
    return Object.freeze({
      ...{ name, place, ...rights },
      ...{ kept: false, sender: null, secretFile: null, created: 0 },
    });
  }

  const verifier: OAuthTokenVerifier = {
    async verifyAccessToken(shown) {
      const claims = await provider.check(shown);
      const scopes = String(claims['scope'] ?? '')
        .split(' ')
        .filter(Boolean);
      const holder = { name: nameOf(claims.sub), teams: teamsIn(claims, options.teamClaim), scopes };
      const token = await tokenOf(holder);
      const expires = claims.exp;
      remember(sha256(shown), { holder, token, until: expires * 1000, fresh: now() + checkedMs });
      return {
        token: shown,
        clientId: String(claims['client_id'] ?? claims.sub),
        scopes,
        expiresAt: expires,
      };
    },
  };

  function remember(key: string, cachedCheck: CachedCheck): void {
    checked.delete(key);
    checked.set(key, cachedCheck);
    for (const [old, { until }] of checked)
      if (until <= now() || checked.size > maxChecked) checked.delete(old);
  }

  function findChecked(shown: string): CachedCheck | null {
    const cachedCheck = checked.get(sha256(shown));
    return cachedCheck !== undefined && cachedCheck.until > now() ? cachedCheck : null;
  }

  const isFresh = (shown: string): boolean => (findChecked(shown)?.fresh ?? 0) > now();

  /** What the holder of a fresh token may do now. */
  async function renewRights(shown: string): Promise<void> {
    const before = findChecked(shown);
    if (before === null) return;
    const token = await tokenOf(before.holder);
    const key = sha256(shown);
    if (checked.get(key) === before) checked.set(key, { ...before, token });
  }

  /** For streams, which no request renews: the next look has the result. While nobody answers, the last one stands. */
  function renewSoon(shown: string): void {
    const key = sha256(shown);
    if (renewing.has(key)) return;
    renewing.add(key);
    const renewed = isFresh(shown) ? renewRights(shown) : verifier.verifyAccessToken(shown);
    void renewed
      .catch((thrown: unknown) => {
        if (thrown instanceof OAuthError) checked.delete(key);
      })
      .finally(() => renewing.delete(key));
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
              const described = await provider.describe(req.raw, resource);
              if (described !== undefined) return described;
            }
            const bearer = bearerIn(req.raw.headers);
            if (bearer !== null && isJwt(bearer)) {
              if (isFresh(bearer)) await renewRights(bearer);
              else await verifyBearerToken(req.header('authorization'), { verifier, resourceMetadataUrl });
            }
          } catch (thrown) {
            const shown = bearerIn(req.raw.headers);
            if (shown !== null) checked.delete(sha256(shown));
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
      check(shown) {
        const cachedCheck = shown === null || !isJwt(shown) ? null : findChecked(shown);
        if (cachedCheck === null) return tokenCheck.check(shown);
        renewSoon(shown!);
        return cachedCheck.token === 'wrong_place'
          ? { kind: 'wrong_place' }
          : { kind: 'holder', token: cachedCheck.token };
      },
    },
  };
}

const refusalResponse = (error: SondeError): Response =>
  Response.json(bodyOfError(error), { status: statusOf(error.code), headers: { 'retry-after': '5' } });

/** The name of the client, as history and the audit show it: a word, and not two people's. */
function nameOf(subject: string): string {
  const word = subject.replace(/[^\w.-]/g, '_').slice(0, 40);
  return word === subject ? `oidc.${word}` : `oidc.${word}-${sha256(subject).slice(0, 8)}`;
}

function teamsIn(claims: JWTPayload, claim: string): readonly string[] {
  const value = claims[claim];
  const all = Array.isArray(value) ? value : [value];
  return all.filter((each): each is string => typeof each === 'string' && each !== '');
}

interface IssuerFacts {
  readonly metadata: OAuthMetadata;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** The provider, whose keys and addresses are read when they are first needed. */
function openProvider({ issuer, audience }: Pick<AccessTokenOptions, 'issuer' | 'audience'>) {
  let found: Promise<IssuerFacts> | null = null;

  async function discover(): Promise<IssuerFacts> {
    const at = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(at, { signal: AbortSignal.timeout(answerMs), redirect: 'error' });
    if (!response.ok) throw new Error(`${at} answered ${response.status}`);
    const metadata = (await response.json()) as OAuthMetadata & { readonly jwks_uri?: string };
    if (metadata.issuer !== issuer) throw new Error(`${at} is of the issuer ${metadata.issuer}`);
    if (metadata.jwks_uri === undefined) throw new Error(`${at} names no keys`);
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      timeoutDuration: answerMs,
      cooldownDuration: keysMs,
      cacheMaxAge: keptKeysMs,
    });
    return { metadata, keys };
  }

  /** Throws `tool_failed` while the provider does not answer. */
  function provider(): Promise<IssuerFacts> {
    found ??= discover().catch((thrown: unknown) => {
      found = null;
      throw issuerAway(issuer, thrown);
    });
    return found;
  }

  return {
    /** Throws `OAuthError` for what is no access token for here, and as `provider` does. */
    async check(shown: string): Promise<CheckedClaims> {
      const { keys } = await provider();
      let payload: JWTPayload;
      try {
        ({ payload } = await jwtVerify(shown, keys, {
          ...{ issuer, audience, algorithms },
          // RFC 9068: an ID token is of another type.
          typ: 'at+jwt',
          requiredClaims: ['exp', 'sub'],
          clockTolerance: toleranceSeconds,
        }));
      } catch (thrown) {
        const isToken =
          thrown instanceof errors.JOSEError &&
          !(thrown instanceof errors.JWKSTimeout) &&
          !(thrown.code === 'ERR_JOSE_GENERIC');
        if (isToken) throw new OAuthError(OAuthErrorCode.InvalidToken, whyNot(thrown, audience));
        throw issuerAway(issuer, thrown);
      }
      const claim = wrongClaimIn(payload);
      if (claim !== null) throw new OAuthError(OAuthErrorCode.InvalidToken, wrongClaim(claim));
      return payload as CheckedClaims;
    },
    /** The documents of RFC 9728 and RFC 8414; undefined for another address. */
    async describe(request: Request, resourceServerUrl: URL): Promise<Response | undefined> {
      const { metadata } = await provider();
      return oauthMetadataResponse(request, {
        oauthMetadata: metadata,
        resourceServerUrl,
        resourceName: 'Sonde',
      });
    },
  };
}

type CheckedClaims = JWTPayload & { readonly sub: string; readonly exp: number };

const wrongClaim = (claim: string): string => `the claim ${claim} is not as it must be`;

/** The last moment that a date can have. Seconds since the Unix epoch. */
const lastSecond = 8_640_000_000_000;

/** What a check of the signature lets pass: a subject that is no text, an end beyond all dates, a beginning to come. */
function wrongClaimIn({ sub, exp, iat }: JWTPayload): string | null {
  if (typeof sub !== 'string' || sub === '') return 'sub';
  if (typeof exp !== 'number' || exp > lastSecond) return 'exp';
  return iat !== undefined && iat > Date.now() / 1000 + toleranceSeconds ? 'iat' : null;
}

/** Says what is wrong, and nothing of what is in the token. */
function whyNot(error: errors.JOSEError, audience: string): string {
  switch (error.code) {
    case 'ERR_JWT_EXPIRED':
      return 'the token has expired: ask the provider for a new one';
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED': {
      const { claim } = error as errors.JWTClaimValidationFailed;
      if (claim === 'aud') return `the token is for another audience: ask for one for ${audience}`;
      if (claim === 'typ') return 'this is no access token: an ID token, or one of another kind';
      return wrongClaim(claim);
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

const issuerAway = (issuer: string, cause: unknown): SondeError =>
  new SondeError('tool_failed', {
    message: `The issuer of access tokens at ${issuer} does not answer: ${messageOf(cause)}`.slice(0, 300),
    remedy:
      'See that oidc_issuer is right and can be reached from this server, and try again. Tokens of sonde token add work without it.',
    cause,
  });
