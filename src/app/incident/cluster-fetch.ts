/**
 * A `fetch` that trusts the certificate authority of one cluster and presents a client certificate if one is
 * configured. The rest of the process does not trust that authority.
 */
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { ClusterTrust } from '../../signals/index.ts';

/** Supports what signals use: address, method, headers, text body, abort signal. Redirects are not followed. */
export function clusterFetch(trust: ClusterTrust): typeof globalThis.fetch {
  if (Object.keys(trust).length === 0) return globalThis.fetch;
  return (address, init = {}) => {
    const url = new URL(address instanceof Request ? address.url : address);
    if (url.protocol !== 'https:') return globalThis.fetch(address, init);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          ...trust,
          method: init.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(init.signal != null && { signal: init.signal }),
        },
        (incoming) => {
          const status = incoming.statusCode ?? 0;
          const headers = new Headers();
          for (const [name, value] of Object.entries(incoming.headersDistinct))
            for (const item of value ?? []) headers.append(name, item);
          const hasNoBody = status === 204 || status === 304;
          if (hasNoBody) incoming.resume();
          resolve(
            new Response(hasNoBody ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), {
              status,
              headers,
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(typeof init.body === 'string' ? init.body : undefined);
    });
  };
}
