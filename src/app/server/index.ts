/** The one port of `sonde serve`. */
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { type Reach, type ReachRequest, reachOf } from './reach.ts';

export type { Face } from './face.ts';
export { openServer } from './server.ts';

/** By the flags of the command and the settings of this user. Throws `bad_config` as `reachOf` does. */
export function reachFrom({
  bind = '127.0.0.1',
  ...flags
}: Pick<ReachRequest, 'port' | 'publicUrl'> & { readonly bind?: string }): Reach {
  const { values } = loadConfiguration({ environment: processEnvironment(), flags: {} });
  const { serve_tls_cert_file: certFile, serve_tls_key_file: keyFile } = values;
  return reachOf({
    bind,
    ...flags,
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
    proxies: values.serve_proxy,
    hosts: values.serve_hosts,
  });
}
