/**
 * A `fetch` that trusts a cluster's own certificate authority, and shows a client's certificate where there is one:
 * for that cluster only, which is why it is not the trust of the whole process.
 */
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { ClusterTrust } from '../../signals/index.ts';

/** As far as signals use `fetch`: an address, a verb, headers, a text as body, a signal. It follows nothing. */
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
            for (const one of value ?? []) headers.append(name, one);
          const empty = status === 204 || status === 304;
          if (empty) incoming.resume();
          resolve(
            new Response(empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), {
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
