/** nginx and HAProxy, by the texts of their error logs. */
import * as to from '../conditions.ts';
import { createRules } from './rule.ts';

export const proxies = [
  ...createRules('nginx', [
    [/worker_connections are not enough/i, to.connections],
    [/client intended to send too large body|client sent too (large|long)/i, to.queueLimit],
    [/upstream sent too big header/i, to.headers],
    [/host not found in upstream/i, to.names],
    [/\[emerg\]/, to.config],
    [/rewrite or internal redirection cycle|directory index of .* is forbidden/i, to.config],
    [/could not allocate node in cache keys zone|ngx_slab_alloc\(\) failed: no memory/i, to.memory],
    [/limiting (requests|connections), (excess|by)/i, to.throttled],
    [/\(13: permission denied\)/i, to.forbidden],
    [/SSL_do_handshake\(\) failed.*certificate (has )?expired/i, to.certificate],
    [/upstream SSL certificate verify error|SSL_do_handshake\(\) failed/i, to.untrusted],
    [
      /no live upstreams|upstream timed out|upstream prematurely closed|while connecting to upstream/i,
      to.upstreamAway,
    ],
  ]),
  ...createRules('HAProxy', [
    [/proxy \S+ reached (process )?(FD|conn\w*|memory) limit/i, to.connections],
    [/(backend|proxy) '?\S+ has no server available/i, to.upstreamAway],
  ]),
];
