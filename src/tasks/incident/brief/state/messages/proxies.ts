/** nginx and HAProxy, by the texts of their error logs. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const proxies = [
  ...createRules('nginx', [
    [/worker_connections are not enough/i, conditions.connections],
    [/client intended to send too large body|client sent too (large|long)/i, conditions.queueLimit],
    [/upstream sent too big header/i, conditions.headers],
    [/host not found in upstream/i, conditions.names],
    [/\[emerg\]/, conditions.config],
    [/rewrite or internal redirection cycle|directory index of .* is forbidden/i, conditions.config],
    [/could not allocate node in cache keys zone|ngx_slab_alloc\(\) failed: no memory/i, conditions.memory],
    [/limiting (requests|connections), (excess|by)/i, conditions.throttled],
    [/\(13: permission denied\)/i, conditions.forbidden],
    [/SSL_do_handshake\(\) failed.*certificate (has )?expired/i, conditions.certificate],
    [/upstream SSL certificate verify error|SSL_do_handshake\(\) failed/i, conditions.untrusted],
    [
      /no live upstreams|upstream timed out|upstream prematurely closed|while connecting to upstream/i,
      conditions.upstreamAway,
    ],
  ]),
  ...createRules('HAProxy', [
    [/proxy \S+ reached (process )?(FD|conn\w*|memory) limit/i, conditions.connections],
    [/(backend|proxy) '?\S+ has no server available/i, conditions.upstreamAway],
  ]),
];
