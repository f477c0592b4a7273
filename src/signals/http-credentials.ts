/** What a request proves itself with: as headers, and as the texts that must never come back out. */

/** A secret that shows itself only when asked to. */
export interface Credential {
  reveal(): string;
}

export type Authorization =
  | { readonly kind: 'bearer'; readonly token: Credential }
  | { readonly kind: 'basic'; readonly user: string; readonly password: Credential }
  /** Headers of a system's own, such as `DD-API-KEY`. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, Credential>> }
  /** A bearer token that runs out. Asked for before each request; who lends it keeps it as long as it holds. */
  | { readonly kind: 'leased'; lease(signal: AbortSignal): Promise<Credential> };

export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Read anew for each request: a file may hold another token by then. Throws what a lender throws. */
export async function proofOf(authorization: Authorization | undefined, signal: AbortSignal): Promise<Proof> {
  switch (authorization?.kind) {
    case undefined:
      return { headers: {}, secrets: [] };
    case 'bearer':
      return bearer(authorization.token);
    case 'leased':
      return bearer(await authorization.lease(signal));
    case 'basic': {
      const password = authorization.password.reveal();
      const both = Buffer.from(`${authorization.user}:${password}`).toString('base64');
      return { headers: { authorization: `Basic ${both}` }, secrets: [password, both] };
    }
    case 'headers': {
      const headers = Object.fromEntries(
        Object.entries(authorization.headers).map(([name, credential]) => [name, credential.reveal()]),
      );
      return { headers, secrets: Object.values(headers) };
    }
  }
}

function bearer(token: Credential): Proof {
  const text = token.reveal();
  return { headers: { authorization: `Bearer ${text}` }, secrets: [text] };
}
