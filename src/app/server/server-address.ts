/**
 * Decides from flags and settings, before the server listens, which machines may reach it. Beyond this machine TLS is
 * required, or a proxy that does TLS.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { SondeError } from '../../core/index.ts';

export interface ServerAddressRequest {
  /** The address to listen at. */
  readonly bind: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The address for clients on other machines. */
  readonly publicUrl?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Addresses, or networks such as 10.0.0.0/8, of proxies that end TLS. */
  readonly proxies: readonly string[];
  /** Host names that requests may use, besides those that follow from the other settings. */
  readonly hosts: readonly string[];
}

/** Where the server listens, under which names, and whose requests it accepts. */
export interface ServerAddress {
  readonly bind: string;
  readonly port: number;
  readonly publicUrl: URL | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Lower case, without a port. */
  readonly hosts: ReadonlySet<string>;
  /** Whether a request may come from this address. */
  isPeer(address: string): boolean;
  /** Whether forwarding headers from this address are trusted. */
  isProxy(address: string): boolean;
}

const loopbackNames = ['127.0.0.1', 'localhost', '::1'];
/** The addresses that stand for all interfaces of the machine. */
const wildcardAddresses = ['0.0.0.0', '::'];

export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);

/** Throws `bad_config` if it would be open to others without TLS, and for settings that make no sense. */
export function createServerAddress(request: ServerAddressRequest): ServerAddress {
  const { bind, port, certFile, keyFile } = request;
  if (isIP(bind) === 0 && bind !== 'localhost')
    throw badSettingError(
      `--bind is ${bind}`,
      'Give an address of this machine, such as 0.0.0.0, 10.0.0.5 or ::.',
    );
  const publicUrl = parsePublicUrl(request.publicUrl);
  if ((certFile === undefined) !== (keyFile === undefined))
    throw badSettingError(
      `serve_tls_${certFile === undefined ? 'cert' : 'key'}_file is missing`,
      'Set both serve_tls_cert_file and serve_tls_key_file.',
    );
  const tls = certFile === undefined || keyFile === undefined ? null : { certFile, keyFile };
  const proxies = parseNetworks(request.proxies);
  const isOutside = !isLoopback(bind);
  if (isOutside && tls === null && proxies === null)
    throw badSettingError(
      `${bind} can be reached from other machines, and nothing keeps tokens from being read on the way`,
      'Set serve_tls_cert_file and serve_tls_key_file, or serve_proxy to the addresses of a proxy that ends TLS; or leave --bind out.',
    );
  if (publicUrl !== null && publicUrl.protocol === 'http:' && !isLoopback(parseHost(publicUrl.host)))
    throw badSettingError(
      `--public-url is ${publicUrl.origin}`,
      'Give an https address: tokens are sent to it.',
    );
  const isProxy = (address: string): boolean => proxies?.has(address) === true;
  return Object.freeze({
    ...{ bind, port, publicUrl, tls, isProxy },
    hosts: new Set([
      ...loopbackNames,
      ...(wildcardAddresses.includes(bind) ? [] : [bind]),
      ...(publicUrl === null ? [] : [parseHost(publicUrl.host)]),
      ...request.hosts.map((name) => parseHost(name.trim().toLowerCase())),
    ]),
    // Behind a proxy alone, nobody passes it by; on this machine its own programs may.
    isPeer: (address: string) => tls !== null || isLoopback(address) || isProxy(address),
  });
}

const badSettingError = (message: string, remedy: string): SondeError =>
  new SondeError('bad_config', { message, remedy });

function parsePublicUrl(value: string | undefined): URL | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw badSettingError(
      `--public-url is ${value}`,
      'Give scheme, name and port alone, such as https://sonde.example.com.',
    );
  return url;
}

/** Null: none is named. */
function parseNetworks(entries: readonly string[]): { has(address: string): boolean } | null {
  if (entries.length === 0) return null;
  const list = new BlockList();
  for (const text of entries.map((entry) => entry.trim())) {
    const [address = '', bits] = text.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const max = family === 'ipv6' ? 128 : 32;
    const prefix = bits === undefined ? max : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(address) === 0 || prefix < 0 || prefix > max)
      throw badSettingError(
        `serve_proxy has ${text}`,
        'Give addresses or networks, such as 10.0.0.7 or 10.0.0.0/8.',
      );
    if (prefix === 0)
      throw badSettingError(
        `serve_proxy has ${text}, which is everybody`,
        'Name the addresses of the proxies alone.',
      );
    list.addSubnet(address, prefix, family);
  }
  return {
    has(address) {
      const normalized = normalizeAddress(address);
      return isIP(normalized) !== 0 && list.check(normalized, isIPv6(normalized) ? 'ipv6' : 'ipv4');
    },
  };
}

/** Dual-stack sockets report IPv4 addresses as IPv4-mapped IPv6 addresses. */
const normalizeAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');

/** Without port and brackets. */
export const parseHost = (header: string): string =>
  header
    .toLowerCase()
    .replace(/:\d*$/, (port) => (/^\[.*\]|^[^:]*$/.test(header.slice(0, -port.length)) ? '' : port))
    .replace(/^\[(.*)\]$/, '$1');
