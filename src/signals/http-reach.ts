/**
 * Access to a system that needs more than a token: a user with a password, a tenant, a private certificate authority, a
 * client certificate. The settings are the same for each system, with its name as prefix.
 */
import { SondeError } from '../core/index.ts';
import { type DeclaredSetting, declareSetting, type HiddenKey, keySetting } from '../core/setting.ts';
import type { Authorization } from './http-credentials.ts';
import type { ClusterTrust } from './kubernetes/kubeconfig.ts';
import type { SystemPorts } from './system.ts';

type SettingsOf<Name extends string, Suffix extends string, Form extends 'text' | 'path' | 'key'> = {
  readonly [Key in `${Name}_${Suffix}`]: DeclaredSetting<Form>;
};

export type TlsSettings<Name extends string> = SettingsOf<Name, 'ca_file' | 'cert_file' | 'key_file', 'path'>;
export type LoginSettings<Name extends string> = SettingsOf<Name, 'user', 'text'> &
  SettingsOf<Name, 'password', 'key'>;
export type TenantSettings<Name extends string> = SettingsOf<Name, 'tenant', 'text'>;

const environmentName = (name: string, suffix: string): string => `${name}_${suffix}`.toUpperCase();
const pemFile = 'the path of a file in the form PEM';

/** `title`: the name of the system for people. */
export const tlsSettings = <Name extends string>(name: Name, title: string): TlsSettings<Name> =>
  ({
    [`${name}_ca_file`]: declareSetting(
      'path',
      `Certificate authority of ${title}, if it is a private one.`,
      pemFile,
      environmentName(name, 'ca_file'),
    ),
    [`${name}_cert_file`]: declareSetting(
      'path',
      `Client certificate for ${title}.`,
      pemFile,
      environmentName(name, 'cert_file'),
    ),
    [`${name}_key_file`]: declareSetting(
      'path',
      `Key of the client certificate.`,
      pemFile,
      environmentName(name, 'key_file'),
    ),
  }) as TlsSettings<Name>;

export const loginSettings = <Name extends string>(name: Name, title: string): LoginSettings<Name> =>
  ({
    [`${name}_user`]: declareSetting(
      'text',
      `User of ${title}, instead of a token.`,
      'the name of a user',
      environmentName(name, 'user'),
    ),
    [`${name}_password`]: keySetting(`${title}: the password of its user`, environmentName(name, 'password')),
  }) as LoginSettings<Name>;

/** `header`: the HTTP header that carries the tenant. */
export const tenantSettings = <Name extends string>(
  name: Name,
  title: string,
  header: string,
): TenantSettings<Name> =>
  ({
    [`${name}_tenant`]: declareSetting(
      'text',
      `Tenant of ${title}, sent as ${header}.`,
      'the id of the tenant',
      environmentName(name, 'tenant'),
    ),
  }) as TenantSettings<Name>;

/** The HTTP options that the settings of a system give. */
export interface HttpReach {
  readonly fetch: typeof globalThis.fetch;
  readonly authorization?: Authorization;
}

/**
 * Reads the settings of the system, including its token. Throws `bad_config` if two of them contradict each other, if
 * one of a pair is missing, or if a file can't be read.
 */
export function readHttpReach(
  name: string,
  values: object,
  ports: SystemPorts,
  tenantHeader?: string,
): HttpReach {
  const settingFor = (suffix: string): unknown => (values as Record<string, unknown>)[`${name}_${suffix}`];
  const token = settingFor('token') as HiddenKey | undefined;
  const password = settingFor('password') as HiddenKey | undefined;
  const user = settingFor('user') as string | undefined;
  const tenant = settingFor('tenant') as string | undefined;
  if ((user === undefined) !== (password === undefined))
    refuse(
      `${name}_${user === undefined ? 'user' : 'password'} is missing`,
      `Set ${name}_user and ${name}_password_file together.`,
    );
  if (user !== undefined && token !== undefined)
    refuse(`${name} has a token and a user`, `Set ${name}_token or ${name}_user, not both.`);
  const fetch = fetchWithTrust(name, values, ports);
  const credential =
    token !== undefined
      ? ({ kind: 'bearer', token: ports.credential(token) } as const)
      : user !== undefined && password !== undefined
        ? ({ kind: 'basic', user, password: ports.credential(password) } as const)
        : undefined;
  return {
    fetch:
      tenant === undefined || tenantHeader === undefined ? fetch : withHeader(fetch, tenantHeader, tenant),
    ...(credential !== undefined && { authorization: credential }),
  };
}

const refuse = (message: string, remedy: string): never => {
  throw new SondeError('bad_config', { message, remedy });
};

/** Reads the certificate files. Throws `bad_config` if one of a pair is missing, or can't be read. */
export function readTrust(name: string, values: object, ports: Pick<SystemPorts, 'readFile'>): ClusterTrust {
  const read = (suffix: string): string | undefined => {
    const path = (values as Record<string, unknown>)[`${name}_${suffix}`] as string | undefined;
    return path === undefined ? undefined : ports.readFile(path, `${name}_${suffix}`);
  };
  const [ca, cert, key] = [read('ca_file'), read('cert_file'), read('key_file')];
  if ((cert === undefined) !== (key === undefined))
    refuse(
      `${name}_${cert === undefined ? 'cert' : 'key'}_file is missing`,
      `Set ${name}_cert_file and ${name}_key_file together.`,
    );
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function fetchWithTrust(name: string, values: object, ports: SystemPorts): typeof globalThis.fetch {
  const trust = readTrust(name, values, ports);
  if (Object.keys(trust).length === 0) return ports.fetch;
  const base = (values as Record<string, unknown>)[`${name}_url`] as string | undefined;
  if (base?.startsWith('http:'))
    refuse(
      `${name}_url is not https, but a certificate is set`,
      `Write ${name}_url with https, or leave the certificates out.`,
    );
  return ports.clusterFetch(trust);
}

const withHeader =
  (fetch: typeof globalThis.fetch, header: string, value: string): typeof globalThis.fetch =>
  (address, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set(header, value);
    return fetch(address, { ...init, headers });
  };
