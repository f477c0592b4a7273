/** Settings of investigations (how far they go, the systems they look at, where their reports go) and of `sonde serve`. */
import { systemSettings } from '../../signals/settings.ts';
import { settingsOf } from './declared.ts';
import { baseUrl, key, type Setting, setting } from './setting.ts';
import { list, plain, wholeNumber } from './values.ts';

const place = (what: string, allowed: string, variable: string) =>
  setting(plain().optional(), {
    what,
    allowed,
    env: [variable],
    project: 'never',
  });

export const incidentSettings = {
  turns: setting(wholeNumber(1, 20).default(20), {
    what: 'Most turns of a model in an investigation of an incident.',
    allowed: 'a whole number from 1 to 20',
    env: ['SONDE_TURNS'],
    flag: '--turns',
    project: 'lower',
  }),
  ...settingsOf(systemSettings),
  ...settingsOf({
    runbooks: {
      form: 'path',
      what: 'Folder of runbooks in Markdown: those that fit an alert are shown beside its investigation.',
      allowed: 'the path of a folder',
      env: ['SONDE_RUNBOOKS'],
    },
  }),
  slack_token: key('Slack: reports are posted with it', 'SLACK_TOKEN'),
  slack_channel: place(
    'Channel that reports of incidents are posted to, those of one group as a thread. By its id it can also be asked whether a report is there (channels:history).',
    'the name or the id of a channel',
    'SONDE_SLACK_CHANNEL',
  ),
  pagerduty_token: key('PagerDuty: reports are written to its incidents with it', 'PAGERDUTY_TOKEN'),
  pagerduty_from: place(
    'User of PagerDuty who writes reports as notes on the incidents that alerts come from.',
    'a mail address',
    'SONDE_PAGERDUTY_FROM',
  ),
  pagerduty_url: baseUrl(
    'Address of the REST API of PagerDuty, where it is not https://api.pagerduty.com.',
    'SONDE_PAGERDUTY_URL',
  ),
  github_report: place(
    'Issue of GitHub that reports of incidents are written to.',
    'owner/name#12',
    'SONDE_GITHUB_REPORT',
  ),
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
  alerts_group_by: setting(list(',').default([]), {
    what: 'Labels that tell groups of alerts apart under sonde serve, in place of service, job, namespace, cluster, region, account, environment, host, queue and database. Sender and rule always do.',
    allowed: 'names of labels, separated by commas',
    env: ['SONDE_ALERTS_GROUP_BY'],
    project: 'never',
  }),
  alerts_sns_topics: setting(list(',').default([]), {
    what: 'Topics of SNS whose messages sonde serve takes at /alerts/cloudwatch by their signature, without a token, and whose subscriptions it confirms.',
    allowed: 'ARNs of topics, separated by commas',
    env: ['SONDE_ALERTS_SNS_TOPICS'],
    project: 'never',
  }),
  serve_bind: setting(plain().default('127.0.0.1'), {
    what: 'Address that sonde serve listens at; any that others can reach needs serve_tls_cert_file and serve_tls_key_file, or serve_proxy.',
    allowed: 'an address of this machine, such as 0.0.0.0',
    env: ['SONDE_SERVE_BIND'],
    flag: '--bind',
    project: 'never',
  }),
  serve_port: setting(wholeNumber(0, 65_535).default(7_077), {
    what: 'Port of sonde serve; 0: any that is free.',
    allowed: 'a whole number from 0 to 65535',
    env: ['SONDE_SERVE_PORT'],
    flag: '--port',
    project: 'never',
  }),
  serve_public_url: setting(plain().optional(), {
    what: 'How clients elsewhere name sonde serve.',
    allowed: 'an http or https address, such as https://sonde.example.com',
    env: ['SONDE_SERVE_PUBLIC_URL'],
    flag: '--public-url',
    project: 'never',
  }),
  serve_tls_cert_file: setting(plain().optional(), {
    what: 'Certificate of sonde serve, with those that it was signed by. It is read anew when it changes.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_CERT_FILE'],
    path: true,
    project: 'never',
  }),
  serve_tls_key_file: setting(plain().optional(), {
    what: 'Key of that certificate.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_KEY_FILE'],
    path: true,
    project: 'never',
  }),
  serve_proxy: setting(list(',').default([]), {
    what: 'Proxies that end TLS in front of sonde serve. Where some are named and there is no certificate, others get nothing.',
    allowed: 'addresses and networks, separated by commas',
    env: ['SONDE_SERVE_PROXY'],
    project: 'never',
  }),
  serve_hosts: setting(list(',').default([]), {
    what: 'Names under which sonde serve may be asked, beside those of --bind and --public-url.',
    allowed: 'names of hosts, separated by commas',
    env: ['SONDE_SERVE_HOSTS'],
    project: 'never',
  }),
} satisfies Readonly<Record<string, Setting>>;
