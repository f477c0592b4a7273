/** Snippets for the configuration of each sender, with which it sends its alerts to this server. */
import type { Sender } from '../../tasks/incident/index.ts';

export interface AlertTarget {
  /** The address of the server: `https://sonde.example.com:7077`. */
  readonly url: string;
  /** The file that holds the sender's token. */
  readonly tokenFile: string;
}

/** Returns the snippet for a sender. It names the file of the token instead of containing the token. */
export function formatSnippet(sender: Sender, { url, tokenFile }: AlertTarget): string {
  const address = `${url}/alerts/${sender}`;
  const header = `Authorization: Bearer, then a space and what stands in ${tokenFile}`;
  switch (sender) {
    case 'alertmanager':
      return `# alertmanager.yml, with a copy of ${tokenFile} where Alertmanager can read it
route:
  receiver: sonde
receivers:
  - name: sonde
    webhook_configs:
      - url: ${address}
        send_resolved: true
        http_config:
          authorization:
            credentials_file: ${tokenFile}`;
    case 'grafana':
      return `Alerting, Contact points, Webhook
  URL: ${address}
  Authorization Header - Scheme: Bearer
  Authorization Header - Credentials: what stands in ${tokenFile}
Signed instead: HMAC Signature with a secret of yours and the timestamp header X-Grafana-Alerting-Timestamp, and here
  sonde token add grafana-signed --sender grafana --hmac-secret-file PATH`;
    case 'pagerduty':
      return `Integrations, Generic Webhooks (v3), New Webhook
  Webhook URL: ${address}
  Event subscription: incident.triggered, incident.reopened, incident.resolved
  Custom header: ${header}
Signed instead: keep the secret that PagerDuty shows in a file, and
  sonde token add pagerduty-signed --sender pagerduty --hmac-secret-file PATH`;
    case 'opsgenie':
      return `Integrations, Webhook
  Webhook URL: ${address}
  Custom header: ${header}`;
    case 'datadog':
      return `Integrations, Webhooks, New Webhook
  URL: ${address}
  Custom headers: {"Authorization": "Bearer …"} with what stands in ${tokenFile}
and @webhook-NAME in the message of each monitor`;
    case 'sentry':
      return `Settings, Developer Settings, New Internal Integration
  Webhook URL: ${address}
  Alert Rule Action: on
Sentry signs with the integration's client secret: keep that in a file, and
  sonde token add sentry-signed --sender sentry --hmac-secret-file PATH`;
    case 'cloudwatch':
      return `sonde init incident --set alerts_sns_topics=TOPIC_ARN --force
aws sns subscribe --topic-arn TOPIC_ARN --protocol https --notification-endpoint ${address}
SNS signs what it sends, and needs no token; the subscription is confirmed by itself.`;
    case 'json':
    case 'text':
      return `curl -X POST ${address} -H "Authorization: Bearer $(cat ${tokenFile})" --data ${
        sender === 'json'
          ? '\'{"alertname":"DiskFull","service":"orders","severity":"critical"}\''
          : '"orders: disk full"'
      }`;
  }
}
