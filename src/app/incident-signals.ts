/** The systems that an investigation looks at: a frozen incident, or those that are configured. */
import { connect, type Socket } from 'node:net';
import { type Signal, systemClock } from '../core/index.ts';
import type { Credential } from '../signals/index.ts';
import { gitProgram } from './compose.ts';
import type { Configuration, Secret } from './config/index.ts';
import { openMcpServers } from './incident-mcp.ts';
import { openMasker } from './masking.ts';

export interface OpenSignals {
  readonly signals: readonly Signal[];
  /** The alert that came with a frozen incident. */
  readonly alert: string | null;
  /** What a frozen incident takes for now; null: the clock. */
  readonly now: number | null;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Throws `not_found` where the folder of a frozen incident is not there. */
export async function openSignals(
  configuration: Configuration,
  replay: string | null,
  brought: readonly Signal[] = [],
): Promise<OpenSignals> {
  const opened = await (replay === null ? configuredSignals(configuration, brought) : frozenSignals(replay));
  return { ...opened, signals: [...opened.signals, ...brought] };
}

async function frozenSignals(folder: string): Promise<OpenSignals> {
  const { openFrozen } = await import('../signals/index.ts');
  const frozen = await openFrozen({ folder, clock: systemClock });
  return {
    signals: [frozen.signal],
    alert: frozen.alert,
    now: frozen.span?.to ?? null,
    notes: frozen.notes,
    close: () => frozen.signal.close(),
  };
}

async function configuredSignals(
  configuration: Configuration,
  brought: readonly Signal[],
): Promise<OpenSignals> {
  const { values } = configuration;
  const mask = openMasker(configuration);
  const known = (secret: Credential): Credential => ({
    reveal: () => secret.reveal(),
    mark: mask.mark(secret.reveal()),
  });
  const opened = await import('../signals/index.ts');
  const { runJournal } = await import('./incident-programs.ts');
  const { gitCommands } = await import('../code/index.ts');
  const { openCluster } = await import('./incident-cluster.ts');
  const common = { fetch: globalThis.fetch, clock: systemClock };
  const bearer = (token: Secret | undefined) =>
    token === undefined ? {} : { authorization: { kind: 'bearer' as const, token: known(token) } };
  const header = (name: string, token: Secret | undefined) =>
    token === undefined
      ? {}
      : { authorization: { kind: 'headers' as const, headers: { [name]: known(token) } } };
  /** Opened where the setting that names the system is there. */
  const where = <Value>(value: Value | undefined, open: (value: Value) => Signal): readonly Signal[] =>
    value === undefined ? [] : [open(value)];
  const servers = await openMcpServers(values.mcp_servers);
  const signals: readonly Signal[] = [
    ...servers.signals,
    ...where(values.prometheus_url, (base) =>
      opened.openPrometheus({ ...common, base, ...bearer(values.prometheus_token) }),
    ),
    ...where(values.alertmanager_url, (base) =>
      opened.openAlertmanager({ ...common, base, ...bearer(values.alertmanager_token) }),
    ),
    ...where(values.loki_url, (base) => opened.openLoki({ ...common, base, ...bearer(values.loki_token) })),
    ...(values.log_files.length === 0
      ? []
      : [opened.openLogFiles({ paths: values.log_files, clock: systemClock })]),
    ...(values.journal_units.length === 0
      ? []
      : [
          opened.openJournald({
            run: runJournal(),
            clock: systemClock,
            units: values.journal_units,
          }),
        ]),
    ...values.repositories.map((root) =>
      opened.openGit({ run: gitCommands(root, gitProgram()), root, clock: systemClock }),
    ),
    ...values.github_repositories.map((repository) =>
      opened.openGithub({ ...common, repository, ...bearer(values.github_token) }),
    ),
    ...values.gitlab_projects.map((project) =>
      opened.openGitlab({
        ...common,
        project,
        ...header('PRIVATE-TOKEN', values.gitlab_token),
        ...(values.gitlab_url !== undefined && { base: values.gitlab_url }),
      }),
    ),
    ...where(values.kubernetes_url, (base) =>
      opened.openKubernetes({
        ...common,
        base,
        ...bearer(values.kubernetes_token),
        ...(values.kubernetes_namespace !== undefined && { namespace: values.kubernetes_namespace }),
      }),
    ),
    ...(values.kubernetes_url === undefined ? await openCluster(values) : []),
    ...where(values.grafana_url, (base) =>
      opened.openGrafana({ ...common, base, ...bearer(values.grafana_token) }),
    ),
    ...where(values.sentry_organization, (organization) =>
      opened.openSentry({
        ...common,
        organization,
        ...bearer(values.sentry_token),
        ...(values.sentry_url !== undefined && { base: values.sentry_url }),
      }),
    ),
    ...where(values.datadog_api_key, (apiKey) =>
      opened.openDatadog({
        ...common,
        apiKey: known(apiKey),
        applicationKey: known(values.datadog_application_token ?? apiKey),
        ...(values.datadog_url !== undefined && { base: values.datadog_url }),
      }),
    ),
    ...where(values.postgres_login, (login) => {
      const address = opened.postgresAddress(login.reveal());
      return opened.openPostgres({
        address: { ...address, password: known(address.password) },
        clock: systemClock,
      });
    }),
    ...where(values.redis_address, (address) =>
      opened.openRedis({
        address,
        clock: systemClock,
        connect: socketTo(address),
        ...(values.redis_token !== undefined && { login: { password: known(values.redis_token) } }),
      }),
    ),
  ];
  return {
    signals,
    alert: null,
    now: null,
    notes:
      signals.length + brought.length === 0
        ? ['No system is configured to look at: see prometheus_url and the like in docs/configuration.md.']
        : servers.notes,
    async close() {
      await Promise.all(signals.map((signal) => signal.close()));
    },
  };
}

/** A plain connection; the address is checked by its setting. */
export function socketTo(address: string): (signal: AbortSignal) => Promise<Socket> {
  const [host, port] = address.split(':');
  return (signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: host!, port: Number(port), signal });
      socket.once('connect', () => resolve(socket));
      socket.once('error', reject);
    });
}
