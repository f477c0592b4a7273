/** The one port of `sonde serve`. */
import { loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';
import { createServerAddress, type ServerAddress } from './server-address.ts';

export { openServer, type RunningServer } from './server.ts';
export type { ServerPart } from './server-part.ts';

/** The address that flags and the user's settings ask for. Throws `bad_config` as `createServerAddress` does. */
export function readServerAddress(flags: Readonly<Partial<Record<SettingKey, unknown>>>): ServerAddress {
  const { values } = loadConfiguration({ environment: processEnvironment(), flags });
  const { serve_tls_cert_file: certFile, serve_tls_key_file: keyFile, serve_public_url: publicUrl } = values;
  return createServerAddress({
    bind: values.serve_bind,
    port: values.serve_port,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
    proxies: values.serve_proxy,
    hosts: values.serve_hosts,
  });
}
