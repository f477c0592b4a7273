/** An alert as the stages know it, whatever sent it. */

export interface Alert {
  readonly name: string;
  /** In the sender's words, lower case; null where it gives none. */
  readonly severity: string | null;
  readonly source: 'alertmanager' | 'grafana' | 'pagerduty' | 'json' | 'text';
  readonly state: 'firing' | 'resolved';
  readonly service: string | null;
  readonly namespace: string | null;
  readonly metric: string | null;
  /** The expression of its rule. */
  readonly query: string | null;
  /** What it says in its own words: summary, description, message. */
  readonly summary: string;
  readonly error: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch; null where it does not say. */
  readonly started: number | null;
  readonly ended: number | null;
  /** The same for the same trouble, whenever it is told. */
  readonly fingerprint: string;
}

/** The name of an alert whose sender gives it none. */
export const nameless = 'alert';

/** One line for lists and titles. */
export function alertLine({ name, service, severity, summary }: Alert): string {
  const about = [service, severity].filter((part) => part !== null).join(', ');
  const said = summary === '' || summary === name ? '' : `: ${summary}`;
  return `${name}${about === '' ? '' : ` (${about})`}${said}`.replace(/\s+/g, ' ').slice(0, 300);
}
