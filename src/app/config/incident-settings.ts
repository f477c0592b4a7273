/** Settings of incident investigations (limits, systems, where reports are sent) and of `sonde serve`. */
import { systemSettings } from '../../signals/settings.ts';
import { convertSettings } from './declared.ts';
import { baseUrlSetting, keySetting, type Setting, setting } from './setting.ts';
import { address, parseSeparatedList, plainText, wholeNumber } from './values.ts';

const textSetting = (what: string, allowed: string, variable: string) =>
  setting(plainText().optional(), {
    what,
    allowed,
    env: [variable],
    project: 'never',
  });

export const incidentSettings = {
  turns: setting(wholeNumber(1, 20).default(20), {
    what: 'Maximum number of model turns in an investigation of an incident.',
    help: 'maximum number of turns of the model, from 1 to 20 (default: 20)',
    allowed: 'a whole number from 1 to 20',
    env: ['SONDE_TURNS'],
    flag: '--turns',
    project: 'lower',
  }),
  ...convertSettings(systemSettings),
  ...convertSettings({
    runbooks: {
      form: 'path',
      what: 'Folder of runbooks in Markdown: those that match an alert are shown with its investigation.',
      allowed: 'the path of a folder',
      env: ['SONDE_RUNBOOKS'],
    },
  }),
  slack_token: keySetting('Slack, to post reports', 'SLACK_TOKEN'),
  slack_channel: textSetting(
    'Channel that reports of incidents are posted to, those of one group as a thread. With its id (and channels:history) Sonde can check whether a report was posted.',
    'the name or the id of a channel',
    'SONDE_SLACK_CHANNEL',
  ),
  pagerduty_token: keySetting('PagerDuty, to write reports to its incidents', 'PAGERDUTY_TOKEN'),
  pagerduty_from: textSetting(
    'User of PagerDuty who writes reports as notes on the incidents that alerts come from.',
    'a mail address',
    'SONDE_PAGERDUTY_FROM',
  ),
  pagerduty_url: baseUrlSetting(
    'Address of the REST API of PagerDuty, if it is not https://api.pagerduty.com.',
    'SONDE_PAGERDUTY_URL',
  ),
  github_report: textSetting(
    'Issue of GitHub that reports of incidents are written to.',
    'owner/name#12',
    'SONDE_GITHUB_REPORT',
  ),
  gitlab_report: textSetting(
    'Issue of GitLab that reports of incidents are written to.',
    'group/project#12',
    'SONDE_GITLAB_REPORT',
  ),
  webhook_url: baseUrlSetting('Address that reports of incidents are sent to, as JSON.', 'SONDE_WEBHOOK_URL'),
  webhook_token: keySetting('that address, sent as a bearer token', 'SONDE_WEBHOOK_TOKEN'),
  errors_url: baseUrlSetting(
    'OpenTelemetry collector (OTLP over HTTP) that failures of Sonde itself are reported to.',
    'SONDE_ERRORS_URL',
  ),
  errors_token: keySetting('that collector, sent as a bearer token', 'SONDE_ERRORS_TOKEN'),
  alerts_token: keySetting('those who send alerts to sonde serve', 'SONDE_ALERTS_TOKEN'),
  alerts_workers: setting(wholeNumber(1, 16).default(2), {
    what: 'How many alerts sonde serve investigates at the same time.',
    allowed: 'a whole number from 1 to 16',
    env: ['SONDE_ALERTS_WORKERS'],
    flag: '--workers',
    project: 'never',
  }),
  alerts_queue: setting(wholeNumber(1, 100_000).default(1_000), {
    what: 'Maximum number of groups of alerts that wait under sonde serve; further alerts are refused with status 429, so that the sender sends them again.',
    allowed: 'a whole number from 1 to 100000',
    env: ['SONDE_ALERTS_QUEUE'],
    project: 'never',
  }),
  alerts_group_by: setting(parseSeparatedList(',').default([]), {
    what: 'Labels by which sonde serve groups alerts, instead of service, job, namespace, cluster, region, account, environment, host, queue and database. Sender and rule always count.',
    allowed: 'names of labels, separated by commas',
    env: ['SONDE_ALERTS_GROUP_BY'],
    project: 'never',
  }),
  alerts_sns_topics: setting(parseSeparatedList(',').default([]), {
    what: 'Topics of SNS whose messages sonde serve accepts at /alerts/cloudwatch by their signature, without a token, and whose subscriptions it confirms.',
    allowed: 'ARNs of topics, separated by commas',
    env: ['SONDE_ALERTS_SNS_TOPICS'],
    project: 'never',
  }),
  serve_bind: setting(plainText().default('127.0.0.1'), {
    what: 'Address that sonde serve listens on. An address that other machines can reach needs serve_tls_cert_file and serve_tls_key_file, or serve_proxy.',
    allowed: 'an address of this machine, such as 0.0.0.0',
    env: ['SONDE_SERVE_BIND'],
    flag: '--bind',
    project: 'never',
  }),
  serve_port: setting(wholeNumber(0, 65_535).default(7_077), {
    what: 'Port for sonde serve and sonde ui; 0: any free port.',
    allowed: 'a whole number from 0 to 65535',
    env: ['SONDE_SERVE_PORT'],
    flag: '--port',
    project: 'never',
  }),
  serve_public_url: setting(plainText().optional(), {
    what: 'Address under which clients on other machines reach sonde serve.',
    allowed: 'an http or https address, such as https://sonde.example.com',
    env: ['SONDE_SERVE_PUBLIC_URL'],
    flag: '--public-url',
    project: 'never',
  }),
  oidc_issuer: setting(address().optional(), {
    what: 'OpenID provider whose access tokens sonde serve accepts in addition to its own. They are verified with the keys that the provider publishes.',
    allowed: 'an https address as the provider writes it; http on this machine only',
    env: ['SONDE_OIDC_ISSUER'],
    project: 'never',
  }),
  oidc_audience: setting(plainText().optional(), {
    what: 'Audience of the access tokens for sonde serve; tokens for another one are refused.',
    allowed: 'a name, usually the address of this server',
    env: ['SONDE_OIDC_AUDIENCE'],
    project: 'never',
  }),
  oidc_team_claim: setting(plainText().default('groups'), {
    what: 'The claim of an access token that contains the teams of its holder.',
    allowed: 'the name of a claim that holds a text or a list of texts',
    env: ['SONDE_OIDC_TEAM_CLAIM'],
    project: 'never',
  }),
  serve_tls_cert_file: setting(plainText().optional(), {
    what: 'Certificate of sonde serve, with its chain. It is read again when it changes.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_CERT_FILE'],
    path: true,
    project: 'never',
  }),
  serve_tls_key_file: setting(plainText().optional(), {
    what: 'Key of that certificate.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_KEY_FILE'],
    path: true,
    project: 'never',
  }),
  serve_proxy: setting(parseSeparatedList(',').default([]), {
    what: 'Proxies that terminate TLS in front of sonde serve. Without a certificate of its own, sonde serve accepts connections only from these.',
    allowed: 'addresses and networks, separated by commas',
    env: ['SONDE_SERVE_PROXY'],
    project: 'never',
  }),
  serve_hosts: setting(parseSeparatedList(',').default([]), {
    what: 'Host names that requests to sonde serve may use, in addition to those of --bind and --public-url.',
    allowed: 'names of hosts, separated by commas',
    env: ['SONDE_SERVE_HOSTS'],
    project: 'never',
  }),
} satisfies Readonly<Record<string, Setting>>;
