/**
 * A destination of reports. A sink must not: throw if the destination can't be reached (that is a value), deliver a
 * key twice if it can find out that it was delivered, or let a credential into its messages.
 */
import type { IncidentResult, SystemMask } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';

export interface Report {
  /** The same for every attempt to deliver this report. */
  readonly key: string;
  readonly title: string;
  /** Markdown. */
  readonly markdown: string;
  readonly incident: IncidentResult;
  /** The alert that it is about. */
  readonly alert?: Alert | null;
  /** An earlier attempt began, and its outcome is unknown. */
  readonly again?: boolean;
  /** The sink's own reference to the message that began the thread of the alert group; null for the first report. */
  readonly thread?: (sink: string) => Promise<string | null>;
}

export type DeliveryResult =
  | {
      readonly kind: 'delivered';
      readonly where: string;
      /** The thread for the next report of the same group. */
      readonly thread?: string;
    }
  /** It is unknown whether an earlier attempt succeeded, for example after a timeout. */
  | { readonly kind: 'uncertain'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

export interface Sink {
  readonly name: string;
  /**
   * Whether it can tell if a key was delivered. If not, a crash during delivery is reported, and nothing is sent
   * again.
   */
  readonly idempotent: boolean;
  /** Whether it accepts a report; absent: it accepts all. */
  takes?(report: Report): boolean;
  /** `mask` masks secrets in replies of the destination. */
  deliver(report: Report, signal: AbortSignal, mask?: SystemMask): Promise<DeliveryResult>;
}

/** Sends one HTTP request, like `fetch`. Passed as an argument, so that tests need no network. */
export type Send = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<SendReply>;

export type SendReply = Pick<Response, 'status' | 'headers' | 'body'>;
