/**
 * How to reach a cluster, as `kubectl` reads it: the file that `aws eks update-kubeconfig` and the like write. The
 * program that it names for a token (`aws eks get-token`) is run by `options.program`, and its token is used
 * until shortly before it expires.
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

/** Texts in PEM. */
export interface ClusterTrust {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name in the server's certificate, if it differs from the host in the address. */
  readonly servername?: string;
}

const namedEntries = <Value>(name: string, value: z.ZodType<Value>) =>
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
  clusters: namedEntries('cluster', cluster),
  users: namedEntries('user', user),
  contexts: namedEntries('context', context),
});

/** The output of a credential program. */
const credentialReply = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({ token: z.string().min(1), expirationTimestamp: z.string().nullish() }),
});

/** A token that expires sooner than this is replaced. Milliseconds. */
const spareMs = 60_000;
const maxBytes = 1024 * 1024;

/** Throws `bad_config` with the reason if the file is not usable. */
export function readKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const { file } = options;
  const wrong = (what: string, remedy: string): SondeError =>
    new SondeError('bad_config', { message: `${file}: ${what}.`, remedy });
  const config = parseKubeconfig(file, wrong);
  const name = options.context ?? config['current-context'];
  const pick = <Value>(list: unknown, kind: string, wanted: string | undefined): Value => {
    const all = (list ?? []) as readonly Readonly<Record<string, unknown>>[];
    const found = all.find((one) => one['name'] === wanted)?.[kind];
    if (found !== undefined) return found as Value;
    const names = all.map((one) => one['name']).join(', ');
    throw wrong(
      wanted === undefined ? `it names no ${kind}` : `it has no ${kind} ${wanted}`,
      names === '' ? `Add a ${kind} to it.` : `Name one of: ${names}.`,
    );
  };
  const chosen = pick<z.infer<typeof context>>(config.contexts, 'context', name);
  const place = pick<z.infer<typeof cluster>>(config.clusters, 'cluster', chosen.cluster);
  const who = pick<z.infer<typeof user>>(config.users, 'user', chosen.user);
  const refused: readonly (readonly [unknown, string, string])[] = [
    [
      place['insecure-skip-tls-verify'],
      'insecure-skip-tls-verify is not supported',
      'Name the certificate with certificate-authority.',
    ],
    [place['proxy-url'], 'proxy-url is not supported', 'Use an address that can be reached without a proxy.'],
    [who.as, 'impersonation is not supported', 'Name a separate user that may only read.'],
    [
      who['auth-provider'],
      'auth-provider is gone from Kubernetes',
      'Use exec, as the provider of your cluster describes.',
    ],
  ];
  for (const [set, what, remedy] of refused) if (set) throw wrong(what, remedy);

  const near = (path: string): string => resolve(dirname(file), path);
  const pem = (path: string | undefined, data: string | undefined): string | undefined =>
    data !== undefined
      ? Buffer.from(data, 'base64').toString()
      : path === undefined
        ? undefined
        : read(near(path), wrong);
  const trust = {
    ca: pem(place['certificate-authority'], place['certificate-authority-data']),
    cert: pem(who['client-certificate'], who['client-certificate-data']),
    key: pem(who['client-key'], who['client-key-data']),
    servername: place['tls-server-name'],
  };
  return Object.freeze({
    base: place.server,
    namespace: chosen.namespace,
    authorization: authorizationOf(who, place, near, options, wrong),
    trust: Object.fromEntries(Object.entries(trust).filter(([, value]) => value !== undefined)),
  });
}

type Wrong = (what: string, remedy: string) => SondeError;

function read(path: string, wrong: Wrong, what = path): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw wrong(`${what} can't be read`, 'Check the path, and who may read it.');
  }
}

function parseKubeconfig(file: string, wrong: Wrong): z.infer<typeof kubeconfig> {
  const text = read(file, wrong, 'it');
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw wrong('it is no YAML', 'Write it with `kubectl config` or `aws eks update-kubeconfig`.');
  }
  const checked = kubeconfig.safeParse(value);
  if (checked.success) return checked.data;
  const where = checked.error.issues[0]?.path.join('.') ?? '';
  throw wrong(`it is no kubeconfig, at ${where || 'its beginning'}`, 'See `kubectl config view`.');
}

function authorizationOf(
  who: z.infer<typeof user>,
  place: z.infer<typeof cluster>,
  near: (path: string) => string,
  { program, clock }: KubeconfigOptions,
  wrong: Wrong,
): Authorization | undefined {
  if (who.tokenFile !== undefined) {
    const path = near(who.tokenFile);
    // Read for each request: a cluster writes another one before it runs out.
    return { kind: 'bearer', token: { reveal: () => read(path, wrong).trim() } };
  }
  if (who.token !== undefined) return { kind: 'bearer', token: hide(who.token) };
  if (who.username !== undefined)
    return { kind: 'basic', user: who.username, password: hide(who.password ?? '') };
  if (who.exec == null) return undefined;
  const { apiVersion, command, args, env, provideClusterInfo } = who.exec;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo === true && { cluster: place }) },
  };
  const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const run = program(command.includes('/') ? near(command) : command, {
    ...variables,
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  });
  return lease({ name: command, args: args ?? [], run, clock });
}

/** Keeps the token of a program until it expires; callers at the same time share one run of it. */
function lease({
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
  let held: { readonly token: Credential; readonly until: number } | null = null;
  let asking: Promise<Credential> | null = null;
  const ask = async (signal: AbortSignal): Promise<Credential> => {
    const { code, stdout, stderr, ended } = await run({ args, signal, maxBytes: maxBytes });
    if (ended !== 'exit' || code !== 0)
      throw new Error(`${name} ended with ${ended === 'exit' ? code : ended}: ${shortLine(stderr, 200)}`);
    const reply = credentialReply.safeParse(jsonOf(stdout.toString('utf8')));
    if (!reply.success) throw new Error(`${name} gave no token`);
    const { token, expirationTimestamp } = reply.data.status;
    const until = expirationTimestamp == null ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp);
    held = { token: hide(token), until };
    return held.token;
  };
  return {
    kind: 'leased',
    lease(signal) {
      if (held !== null && clock.now() < held.until - spareMs) return Promise.resolve(held.token);
      asking ??= ask(signal).finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}

function hide(text: string): Credential {
  return { reveal: () => text };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
