/** Settings of investigations: how far they go, the systems they look at, and where their reports go. */
import { mcpServers } from './mcp-servers.ts';
import { baseUrl, key, type Setting, setting } from './setting.ts';
import { list, plain, wholeNumber } from './values.ts';

const place = (what: string, allowed: string, variable: string, path?: true) =>
  setting(plain().optional(), {
    what,
    allowed,
    env: [variable],
    project: 'never',
    ...(path === true && { path }),
  });

export const incidentSettings = {
  turns: setting(wholeNumber(1, 20).default(20), {
    what: 'Most turns of a model in an investigation of an incident.',
    allowed: 'a whole number from 1 to 20',
    env: ['SONDE_TURNS'],
    flag: '--turns',
    project: 'lower',
  }),
  prometheus_url: baseUrl('Address of Prometheus, to look at in an investigation.', 'PROMETHEUS_URL'),
  prometheus_token: key('Prometheus, sent as a bearer token', 'PROMETHEUS_TOKEN'),
  alertmanager_url: baseUrl('Address of Alertmanager, to look at in an investigation.', 'ALERTMANAGER_URL'),
  alertmanager_token: key('Alertmanager, sent as a bearer token', 'ALERTMANAGER_TOKEN'),
  loki_url: baseUrl('Address of Loki, to look at in an investigation.', 'LOKI_URL'),
  loki_token: key('Loki, sent as a bearer token', 'LOKI_TOKEN'),
  log_files: setting(list(':').default([]), {
    what: 'Log files, and folders of them, to look at in an investigation.',
    allowed: 'a list of paths',
    env: ['SONDE_LOG_FILES'],
    path: true,
    project: 'never',
  }),
  journal_units: setting(list(':').default([]), {
    what: 'Units of systemd on this machine whose journal is looked at in an investigation.',
    allowed: 'a list of units, such as nginx.service',
    env: ['SONDE_JOURNAL_UNITS'],
    project: 'never',
  }),
  repositories: setting(list(':').default([]), {
    what: 'Folders of git repositories whose commits are looked at in an investigation.',
    allowed: 'a list of folders',
    env: ['SONDE_REPOSITORIES'],
    path: true,
    project: 'never',
  }),
  github_repositories: setting(list(':').default([]), {
    what: 'Repositories of GitHub whose commits and deploys are looked at in an investigation, with the token of GitHub.',
    allowed: 'a list of owner/name',
    env: ['SONDE_GITHUB_REPOSITORIES'],
    project: 'never',
  }),
  gitlab_projects: setting(list(':').default([]), {
    what: 'Projects of GitLab whose commits and deploys are looked at in an investigation, with the token of GitLab.',
    allowed: 'a list of group/name',
    env: ['SONDE_GITLAB_PROJECTS'],
    project: 'never',
  }),
  kubernetes_url: baseUrl(
    'Address of the API of Kubernetes, to look at in an investigation.',
    'KUBERNETES_URL',
  ),
  kubernetes_config: place(
    'Kubeconfig that says how to reach Kubernetes, EKS included, where there is no address; the program that it names for a token is run.',
    'the path of a file',
    'SONDE_KUBECONFIG',
    true,
  ),
  kubernetes_context: place(
    'Context of the kubeconfig; its current one where absent.',
    'the name of a context',
    'SONDE_KUBE_CONTEXT',
  ),
  kubernetes_token: key('Kubernetes, sent as a bearer token', 'KUBERNETES_TOKEN'),
  kubernetes_namespace: place(
    'Namespace that is looked at where a question names none.',
    'the name of a namespace',
    'KUBERNETES_NAMESPACE',
  ),
  grafana_url: baseUrl('Address of Grafana, to look at in an investigation.', 'GRAFANA_URL'),
  grafana_token: key('Grafana, sent as a bearer token', 'GRAFANA_TOKEN'),
  sentry_url: baseUrl('Address of Sentry, where it is not sentry.io.', 'SENTRY_URL'),
  sentry_organization: place(
    'Organization of Sentry to look at in an investigation.',
    'its short name',
    'SENTRY_ORG',
  ),
  sentry_token: key('Sentry, sent as a bearer token', 'SENTRY_AUTH_TOKEN'),
  datadog_url: baseUrl('Address of the API of Datadog, where it is not the usual site.', 'DATADOG_URL'),
  datadog_api_key: key('Datadog', 'DD_API_KEY', 'DATADOG_API_KEY'),
  datadog_application_token: key('Datadog, its application key', 'DD_APP_KEY', 'DATADOG_APP_KEY'),
  postgres_login: key(
    'PostgreSQL to look at, read only: postgres://user:password@host:5432/database',
    'SONDE_POSTGRES',
  ),
  redis_address: setting(plain(/^[\w.-]+:\d{1,5}$/).optional(), {
    what: 'Redis to look at in an investigation, read only.',
    allowed: 'HOST:PORT',
    env: ['SONDE_REDIS'],
    project: 'never',
  }),
  redis_token: key('Redis: its password', 'SONDE_REDIS_PASSWORD'),
  mcp_servers: mcpServers,
  slack_token: key('Slack: reports are posted with it', 'SLACK_TOKEN'),
  slack_channel: place(
    'Channel that reports of incidents are posted to.',
    'the name or the id of a channel',
    'SONDE_SLACK_CHANNEL',
  ),
  github_token: key('GitHub: reports are written with it', 'GITHUB_TOKEN'),
  github_report: place(
    'Issue of GitHub that reports of incidents are written to.',
    'owner/name#12',
    'SONDE_GITHUB_REPORT',
  ),
  gitlab_token: key('GitLab: reports are written with it', 'GITLAB_TOKEN'),
  gitlab_url: baseUrl('Address of GitLab, where it is not gitlab.com.', 'GITLAB_URL'),
  gitlab_report: place(
    'Issue of GitLab that reports of incidents are written to.',
    'group/project#12',
    'SONDE_GITLAB_REPORT',
  ),
  webhook_url: baseUrl('Address that reports of incidents are sent to, as JSON.', 'SONDE_WEBHOOK_URL'),
  webhook_token: key('that address, sent as a bearer token', 'SONDE_WEBHOOK_TOKEN'),
  errors_url: baseUrl(
    'OpenTelemetry collector (OTLP over HTTP) that failures of the pipeline itself are told to.',
    'SONDE_ERRORS_URL',
  ),
  errors_token: key('that collector, sent as a bearer token', 'SONDE_ERRORS_TOKEN'),
  alerts_token: key('those who send alerts to sonde serve', 'SONDE_ALERTS_TOKEN'),
  alerts_workers: setting(wholeNumber(1, 16).default(2), {
    what: 'Most investigations at once under sonde serve.',
    allowed: 'a whole number from 1 to 16',
    env: ['SONDE_ALERTS_WORKERS'],
    flag: '--workers',
    project: 'never',
  }),
  alerts_queue: setting(wholeNumber(1, 100_000).default(1_000), {
    what: 'Most alerts of different kinds that wait under sonde serve; the sender of more is told to come again.',
    allowed: 'a whole number from 1 to 100000',
    env: ['SONDE_ALERTS_QUEUE'],
    project: 'never',
  }),
} satisfies Readonly<Record<string, Setting>>;
