/** What deploy/ holds, against what its makers publish and what Sonde reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingKeys, specOf } from '../src/app/config/index.ts';
import { rightsOf } from '../src/signals/kubernetes/rights.ts';
import { mismatches } from '../src/signals/type-oracle.contract.ts';

const deploy = join(import.meta.dirname, '..', 'deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly {
    readonly apiGroups: string[];
    readonly resources: string[];
    readonly verbs: string[];
  }[];
  readonly data?: Readonly<Record<string, string>>;
}
const manifests = parseAllDocuments(read('kubernetes/sonde.yaml')).map((one) => one.toJS() as Manifest);
const ofKind = (kind: string): readonly Manifest[] => manifests.filter((one) => one.kind === kind);

const published: Readonly<Record<string, string>> = {
  ...{ Namespace: 'core/v1', ServiceAccount: 'core/v1', ConfigMap: 'core/v1', Service: 'core/v1' },
  ...{ PersistentVolumeClaim: 'core/v1', Deployment: 'apps/v1' },
  ...{ ClusterRole: 'rbac/v1', ClusterRoleBinding: 'rbac/v1' },
};

describe('deploy/kubernetes', () => {
  const imports = Object.entries(published)
    .map(([kind, group]) => `import type { ${kind} } from 'kubernetes-types/${group}';`)
    .join('\n');
  const typed = (all: readonly Manifest[]) =>
    mismatches(
      imports,
      all.map((value, k) => ({ name: `m${k}`, type: value.kind, value })),
    );

  it('is what Kubernetes publishes, and a bent manifest is not', () => {
    expect(typed(manifests)).toEqual([]);
    const bent = JSON.parse(
      JSON.stringify(manifests).replaceAll('"containerPort":7077', '"containerPort":"7077"'),
    );
    expect(typed(bent)).not.toEqual([]);
  });

  it('lets the account get, list and watch, all that is asked for, and no secrets', () => {
    const rules = ofKind('ClusterRole').flatMap((role) => role.rules ?? []);
    expect(rules.length).toBeGreaterThan(3);
    for (const { apiGroups, resources, verbs } of rules) {
      expect(verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
      expect([...apiGroups, ...resources]).not.toContain('*');
      expect(resources.filter((one) => one.startsWith('secrets'))).toEqual([]);
    }
    expect(rightsOf({ resourceRules: [...rules] })).toEqual({ missing: [], excess: [] });
    expect([...ofKind('Role'), ...ofKind('RoleBinding')]).toEqual([]);
  });

  it('runs as nobody in particular, over a root for reading', () => {
    const text = JSON.stringify(ofKind('Deployment'));
    for (const part of [
      '"runAsNonRoot":true',
      '"readOnlyRootFilesystem":true',
      '"allowPrivilegeEscalation":false',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/"(?:privileged|hostNetwork|hostPID|hostPath)"/);
  });

  it('sets what is a setting', () => {
    const content = JSON.parse(ofKind('ConfigMap')[0]?.data?.['sonde.json'] ?? '{}') as object;
    const known = settingKeys.map((key) => (specOf(key).secret === true ? `${key}_file` : key));
    expect(Object.keys(content).filter((name) => !known.includes(name))).toEqual([]);
    expect(Object.keys(content).length).toBeGreaterThan(5);
  });
});

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly read_only?: boolean;
}

it('deploy/compose/team.yaml names only services, volumes, flags and settings that there are', () => {
  const { services, volumes } = parse(read('compose/team.yaml'), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
    volumes: Readonly<Record<string, object>>;
  };
  // What the published schema has of a service, as far as it is used here.
  const known =
    'image command environment volumes depends_on ports read_only tmpfs cap_drop security_opt'.split(' ');
  const variables = settingKeys.flatMap((key) => specOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
  const help = readFileSync(join(deploy, '../docs/cli.md'), 'utf8');
  const ofSonde = Object.entries(services).filter(([, { image }]) => image === 'localhost/sonde');
  expect(ofSonde.map(([name]) => name)).toEqual(['host', 'worker', 'front']);
  const named = Object.values(services)
    .flatMap((one) => one.volumes ?? [])
    .map((one) => one.split(':')[0]!);
  expect(new Set(named.filter((name) => !name.startsWith('./')))).toEqual(new Set(Object.keys(volumes)));
  for (const [name, service] of Object.entries(services)) {
    const { depends_on: needs = [] } = service;
    expect([name, Object.keys(service).filter((key) => !known.includes(key))]).toEqual([name, []]);
    expect([name, needs.filter((other) => services[other] === undefined)]).toEqual([name, []]);
  }
  for (const [name, { environment = {}, command = [], read_only: readOnly }] of ofSonde) {
    const given = Object.keys(environment);
    expect([name, readOnly, given.filter((key) => !variables.includes(key))]).toEqual([name, true, []]);
    const [, told = ''] = help.split(`\n## sonde ${command[0]}\n`);
    const flags = command.filter((word) => word.startsWith('--'));
    expect(flags.length).toBeGreaterThan(1);
    expect([name, flags.filter((flag) => !told.split('\n## ')[0]!.includes(`${flag} `))]).toEqual([name, []]);
  }
});

it('deploy/compose sets what is a variable of a setting', () => {
  const { services } = parse(read('compose/compose.yaml')) as {
    services: Record<string, { environment?: Record<string, string>; read_only?: boolean }>;
  };
  const variables = settingKeys.flatMap((key) => specOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
  const given = Object.keys(services['sonde']?.environment ?? {});
  expect(given.length).toBeGreaterThan(3);
  expect(given.filter((name) => !variables.includes(name))).toEqual([]);
  expect(services['sonde']?.read_only).toBe(true);
  // podman-compose of Debian (1.0.3) takes a list of networks, and ends with an exception at more.
  for (const service of Object.values(services)) expect(service).not.toHaveProperty('networks');
});
