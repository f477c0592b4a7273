/**
 * Reads a kubeconfig, the file from which `kubectl` knows how to reach a cluster (`aws eks update-kubeconfig` and the
 * like write it). If it names a program that gives a token (`aws eks get-token`), `options.program` runs it, and the
 * token is used until shortly before it expires.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Clock, SondeError, shortLine } from '../../core/index.ts';
import type { RunCommand } from '../command.ts';
import type { Authorization, Credential } from '../http-credentials.ts';

export interface KubeconfigOptions {
  readonly file: string;
  /** Default: `current-context` of the file. */
  readonly context?: string;
  readonly clock: Clock;
  /** Runs one program, with these environment variables in addition. */
  readonly program: (name: string, variables: Readonly<Record<string, string>>) => RunCommand;
}

export interface ClusterAccess {
  readonly base: string;
  readonly namespace: string | undefined;
  readonly authorization: Authorization | undefined;
  readonly trust: ClusterTrust;
}

/** Certificates and the key for TLS, as PEM texts. */
export interface ClusterTrust {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name in the server's certificate, if it differs from the host in the address. */
  readonly servername?: string;
}

const createEntriesSchema = <Value>(name: string, value: z.ZodType<Value>) =>
  z.array(z.object({ name: z.string(), [name]: value })).nullish();

const cluster = z.object({
  server: z.string(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'tls-server-name': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': z.string().optional(),
});
const exec = z.object({
  apiVersion: z.string(),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  provideClusterInfo: z.boolean().optional(),
});
const user = z.object({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  exec: exec.nullish(),
  as: z.string().optional(),
  'auth-provider': z.unknown().optional(),
});
const context = z.object({ cluster: z.string(), user: z.string(), namespace: z.string().optional() });
const kubeconfig = z.object({
  'current-context': z.string().optional(),
  clusters: createEntriesSchema('cluster', cluster),
  users: createEntriesSchema('user', user),
  contexts: createEntriesSchema('context', context),
});

/** The output of a credential program. */
const credentialReply = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({ token: z.string().min(1), expirationTimestamp: z.string().nullish() }),
});

/** A token that expires sooner than this is replaced. Milliseconds. */
const renewalMs = 60_000;
const maxOutputBytes = 1024 * 1024;

/** Throws `bad_config` with the reason if the file is not usable. */
export function readKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const { file } = options;
  const configError = (what: string, remedy: string): SondeError =>
    new SondeError('bad_config', { message: `${file}: ${what}.`, remedy });
  const config = parseKubeconfig(file, configError);
  const name = options.context ?? config['current-context'];
  const pickEntry = <Value>(list: unknown, kind: string, wantedName: string | undefined): Value => {
    const all = (list ?? []) as readonly Readonly<Record<string, unknown>>[];
    const found = all.find((one) => one['name'] === wantedName)?.[kind];
    if (found !== undefined) return found as Value;
    const names = all.map((one) => one['name']).join(', ');
    throw configError(
      wantedName === undefined ? `it names no ${kind}` : `it has no ${kind} ${wantedName}`,
      names === '' ? `Add a ${kind} to it.` : `Name one of: ${names}.`,
    );
  };
  const contextEntry = pickEntry<z.infer<typeof context>>(config.contexts, 'context', name);
  const clusterEntry = pickEntry<z.infer<typeof cluster>>(config.clusters, 'cluster', contextEntry.cluster);
  const userEntry = pickEntry<z.infer<typeof user>>(config.users, 'user', contextEntry.user);
  const unsupported: readonly (readonly [unknown, string, string])[] = [
    [
      clusterEntry['insecure-skip-tls-verify'],
      'insecure-skip-tls-verify is not supported',
      'Name the certificate with certificate-authority.',
    ],
    [
      clusterEntry['proxy-url'],
      'proxy-url is not supported',
      'Use an address that can be reached without a proxy.',
    ],
    [userEntry.as, 'impersonation is not supported', 'Name a separate user that may only read.'],
    [
      userEntry['auth-provider'],
      'auth-provider is gone from Kubernetes',
      'Use exec, as the provider of your cluster describes.',
    ],
  ];
  for (const [value, what, remedy] of unsupported) if (value) throw configError(what, remedy);

  const resolvePath = (path: string): string => resolve(dirname(file), path);
  const pemText = (path: string | undefined, data: string | undefined): string | undefined =>
    data !== undefined
      ? Buffer.from(data, 'base64').toString()
      : path === undefined
        ? undefined
        : readText(resolvePath(path), configError);
  const trust = {
    ca: pemText(clusterEntry['certificate-authority'], clusterEntry['certificate-authority-data']),
    cert: pemText(userEntry['client-certificate'], userEntry['client-certificate-data']),
    key: pemText(userEntry['client-key'], userEntry['client-key-data']),
    servername: clusterEntry['tls-server-name'],
  };
  return Object.freeze({
    base: clusterEntry.server,
    namespace: contextEntry.namespace,
    authorization: authorizationOf(userEntry, clusterEntry, resolvePath, options, configError),
    trust: Object.fromEntries(Object.entries(trust).filter(([, value]) => value !== undefined)),
  });
}

type MakeConfigError = (what: string, remedy: string) => SondeError;

function readText(path: string, configError: MakeConfigError, what = path): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw configError(`${what} can't be read`, 'Check the path, and who may read it.');
  }
}

function parseKubeconfig(file: string, configError: MakeConfigError): z.infer<typeof kubeconfig> {
  const text = readText(file, configError, 'it');
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw configError('it is no YAML', 'Write it with `kubectl config` or `aws eks update-kubeconfig`.');
  }
  const parsed = kubeconfig.safeParse(value);
  if (parsed.success) return parsed.data;
  const errorPath = parsed.error.issues[0]?.path.join('.') ?? '';
  throw configError(`it is no kubeconfig, at ${errorPath || 'its beginning'}`, 'See `kubectl config view`.');
}

function authorizationOf(
  userEntry: z.infer<typeof user>,
  clusterEntry: z.infer<typeof cluster>,
  resolvePath: (path: string) => string,
  { program, clock }: KubeconfigOptions,
  configError: MakeConfigError,
): Authorization | undefined {
  if (userEntry.tokenFile !== undefined) {
    const path = resolvePath(userEntry.tokenFile);
    // Read for each request, since the cluster replaces the token in the file before it expires.
    return { kind: 'bearer', token: { reveal: () => readText(path, configError).trim() } };
  }
  if (userEntry.token !== undefined) return { kind: 'bearer', token: credentialOf(userEntry.token) };
  if (userEntry.username !== undefined)
    return { kind: 'basic', user: userEntry.username, password: credentialOf(userEntry.password ?? '') };
  if (userEntry.exec == null) return undefined;
  const { apiVersion, command, args, env, provideClusterInfo } = userEntry.exec;
  const execInfo = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo === true && { cluster: clusterEntry }) },
  };
  const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const run = program(command.includes('/') ? resolvePath(command) : command, {
    ...variables,
    KUBERNETES_EXEC_INFO: JSON.stringify(execInfo),
  });
  return leasedAuthorization({ name: command, args: args ?? [], run, clock });
}

/** Keeps the token of a program until it expires. Concurrent callers share one run of the program. */
function leasedAuthorization({
  name,
  args,
  run,
  clock,
}: {
  readonly name: string;
  readonly args: readonly string[];
  readonly run: RunCommand;
  readonly clock: Clock;
}): Authorization {
  let currentToken: { readonly token: Credential; readonly until: number } | null = null;
  let pendingRun: Promise<Credential> | null = null;
  const runProgram = async (signal: AbortSignal): Promise<Credential> => {
    const { code, stdout, stderr, ended } = await run({ args, signal, maxBytes: maxOutputBytes });
    if (ended !== 'exit' || code !== 0)
      throw new Error(`${name} ended with ${ended === 'exit' ? code : ended}: ${shortLine(stderr, 200)}`);
    const reply = credentialReply.safeParse(jsonOf(stdout.toString('utf8')));
    if (!reply.success) throw new Error(`${name} gave no token`);
    const { token, expirationTimestamp } = reply.data.status;
    const expiresAt =
      expirationTimestamp == null ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp);
    currentToken = { token: credentialOf(token), until: expiresAt };
    return currentToken.token;
  };
  return {
    kind: 'leased',
    lease(signal) {
      if (currentToken !== null && clock.now() < currentToken.until - renewalMs)
        return Promise.resolve(currentToken.token);
      pendingRun ??= runProgram(signal).finally(() => {
        pendingRun = null;
      });
      return pendingRun;
    },
  };
}

function credentialOf(text: string): Credential {
  return { reveal: () => text };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
