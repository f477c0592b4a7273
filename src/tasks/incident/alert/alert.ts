/** An alert in the form that the stages use, whichever system sent it. */

export const senders = [
  'alertmanager',
  'grafana',
  'pagerduty',
  'opsgenie',
  'cloudwatch',
  'datadog',
  'sentry',
  'json',
  'text',
] as const;
export type Sender = (typeof senders)[number];

export interface Alert {
  readonly name: string;
  /**
   * The rule that fired, as the sender identifies it: the name of an alert, the id of a monitor, the ARN of an alarm.
   * It is the same in each notification.
   */
  readonly rule: string;
  /** The severity as the sender writes it, in lower case; null if there is none. */
  readonly severity: string | null;
  readonly source: Sender;
  /** `note`: a message about an ongoing problem, neither its beginning nor its end. */
  readonly state: 'firing' | 'resolved' | 'note';
  readonly service: string | null;
  readonly namespace: string | null;
  readonly metric: string | null;
  /** The expression of its rule. */
  readonly query: string | null;
  /** The sender's description: summary, description, message. */
  readonly summary: string;
  readonly error: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The sender's id of its incident, if reports can be written to it. */
  readonly incident?: string;
  /** The labels that stay the same in all messages about one problem; absent: all labels do. */
  readonly lasting?: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch; null if the message does not say. */
  readonly started: number | null;
  readonly ended: number | null;
  /** Identifies the problem: the same in every message about it. */
  readonly fingerprint: string;
}

/** The name of an alert without a name. */
export const defaultName = 'alert';

/** One line for lists and titles. */
export function alertLine({ name, service, severity, summary }: Alert): string {
  const about = [service, severity].filter((part) => part !== null).join(', ');
  const summaryText = summary === '' || summary === name ? '' : `: ${summary}`;
  return `${name}${about === '' ? '' : ` (${about})`}${summaryText}`.replace(/\s+/g, ' ').slice(0, 300);
}
