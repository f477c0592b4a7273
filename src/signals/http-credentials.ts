/** The credentials of a request: its headers, and the texts that must be masked in everything that is shown. */
import { removeKnownSecrets, secretMark } from '../core/index.ts';

/** A secret that is shown only by an explicit call. */
export interface Credential {
  reveal(): string;
  /** The mark that replaces the secret in texts; `[secret]` by default. */
  readonly mark?: string;
}

/** Masks the credentials in a text of a system, also where they are encoded. */
export function withoutCredentials(text: string, credentials: readonly Credential[]): string {
  const marks = new Map(
    credentials.map((credential) => [credential.reveal(), credential.mark ?? secretMark]),
  );
  return removeKnownSecrets(text, [...marks.keys()], (secret) => marks.get(secret) ?? secretMark);
}

export type Authorization =
  /** The scheme of the header, where it is not `Bearer`. */
  | { readonly kind: 'bearer'; readonly token: Credential; readonly scheme?: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: Credential }
  /** Headers of a system's own, such as `DD-API-KEY`. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, Credential>> }
  /** A bearer token that expires. `lease` is called before each request, and caches the token itself. */
  | { readonly kind: 'leased'; lease(signal: AbortSignal): Promise<Credential> };

export interface RequestCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly Credential[];
}

/** Read for each request: a file may hold another token by then. Throws what a lender throws. */
export async function resolveAuthorization(
  authorization: Authorization | undefined,
  signal: AbortSignal,
): Promise<RequestCredentials> {
  switch (authorization?.kind) {
    case undefined:
      return { headers: {}, secrets: [] };
    case 'bearer':
      return bearer(authorization.token, authorization.scheme);
    case 'leased':
      return bearer(await authorization.lease(signal));
    case 'basic': {
      const password = authorization.password.reveal();
      const both = Buffer.from(`${authorization.user}:${password}`).toString('base64');
      return {
        headers: { authorization: `Basic ${both}` },
        secrets: [authorization.password, deriveCredential(both, authorization.password)],
      };
    }
    case 'headers': {
      const headers = Object.fromEntries(
        Object.entries(authorization.headers).map(([name, credential]) => [name, credential.reveal()]),
      );
      return { headers, secrets: Object.values(authorization.headers) };
    }
  }
}

/** Texts derived from a secret are replaced by the same mark. */
const deriveCredential = (text: string, { mark }: Credential): Credential => ({
  reveal: () => text,
  ...(mark !== undefined && { mark }),
});

function bearer(token: Credential, scheme = 'Bearer'): RequestCredentials {
  const text = token.reveal();
  return { headers: { authorization: `${scheme} ${text}` }, secrets: [token] };
}
