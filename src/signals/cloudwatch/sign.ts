/**
 * Signs requests with Signature Version 4, by the library of AWS. AWS answers nearly every refusal with status 400 and
 * an error code. The code is converted to the usual status: 429 for throttling, 403 for a missing right.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../core/index.ts';
import type { AwsCredentials } from './credentials.ts';

export interface SigningOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly region: string;
  /** The service name in the signature: `monitoring`, `logs`, `rds`. */
  readonly service: string;
  readonly credentials: () => AwsCredentials;
  /** The wait after AWS throttles a request without saying for how long. Seconds. Default: 1. */
  readonly throttledSeconds?: number;
  /** Whether to send a header with the hash of the body; the signature covers that hash in any case. Default: true. */
  readonly bodyHeader?: boolean;
}

type HashInput = string | ArrayBuffer | ArrayBufferView;

/** A hash in the form that the library expects. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: HashInput) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: HashInput): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('a hash is taken once');
  }
}

function bytesOf(data: HashInput): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Maximum bytes that are read of a refusal. */
const maxRefusalBytes = 64 * 1024;

export function signingFetch(options: SigningOptions): typeof globalThis.fetch {
  const { fetch, clock, region, service, credentials, throttledSeconds = 1, bodyHeader = true } = options;
  return async (address, init = {}) => {
    const url = new URL(String(address));
    const { accessKeyId, secret, session } = credentials();
    const signer = new SignatureV4({
      service,
      region,
      credentials: { accessKeyId, secretAccessKey: secret.reveal() },
      sha256: Sha256,
      applyChecksum: bodyHeader,
    });
    const headers = Object.fromEntries(new Headers(init.headers));
    const signed = await signer.sign(
      {
        method: init.method ?? 'GET',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: queryOf(url),
        headers: {
          ...headers,
          host: url.host,
          ...(session !== null && { 'x-amz-security-token': session.reveal() }),
        },
        ...(typeof init.body === 'string' && { body: init.body }),
      },
      { signingDate: new Date(clock.now()) },
    );
    const { host: _, ...sentHeaders } = signed.headers;
    const response = await fetch(url, { ...init, headers: sentHeaders });
    return response.ok ? response : refusalOf(response, throttledSeconds);
  };
}

function queryOf(url: URL): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    parameters[name] = values.length === 1 ? values[0]! : values;
  }
  return parameters;
}

const statusesByCode: readonly (readonly [code: RegExp, status: number])[] = [
  [/Throttl|TooManyRequests|RequestLimitExceeded|LimitExceeded|SlowDown|PriorRequestNotComplete/, 429],
  [/AccessDenied|NotAuthorized|UnauthorizedOperation|OptInRequired|Forbidden/, 403],
  [
    /Token|Credential|Signature|InvalidAccessKey|AuthFailure|MissingAuthentication|TimeTooSkewed|AuthParams/,
    401,
  ],
  [/NotFound/, 404],
  [/Unavailable|InternalFailure|InternalError|InternalService/, 503],
];

async function refusalOf(response: Response, throttledSeconds: number): Promise<Response> {
  const text = await readRefusalText(response);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  headers.delete('content-encoding');
  const code = codeOf(text, headers);
  const status =
    (code !== null && statusesByCode.find(([shape]) => shape.test(code))?.[1]) || response.status;
  if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', String(throttledSeconds));
  return new Response(text, { status, headers });
}

/** `com.amazon.coral.service#AccessDeniedException` in JSON, `<Code>AccessDenied</Code>` in XML. */
function codeOf(text: string, headers: Headers): string | null {
  const [, foundCode] = /"__type"\s*:\s*"([^"]+)"/.exec(text) ?? /<Code>([^<]+)<\/Code>/.exec(text) ?? [];
  const code = foundCode ?? headers.get('x-amzn-errortype')?.split(':')[0];
  return code === undefined ? null : code.slice(code.lastIndexOf('#') + 1);
}

async function readRefusalText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.byteLength;
    // Leaving the loop cancels the body.
    if (size > maxRefusalBytes) break;
  }
  return Buffer.concat(parts).toString('utf8').slice(0, maxRefusalBytes);
}
