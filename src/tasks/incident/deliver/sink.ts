/**
 * Where a report goes. A sink must not: throw for a destination that can't be reached (that is a value),
 * deliver the same key twice where it can find out that it did before, or let a credential into its messages.
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
  /** An attempt was begun before, and nobody knows how it ended. */
  readonly again?: boolean;
  /** The sink's own reference to the message that began the thread of the alert group; null for the first report. */
  readonly thread?: (sink: string) => Promise<string | null>;
}

export type Delivered =
  | {
      readonly kind: 'delivered';
      readonly where: string;
      /** For the next report of the same group. */
      readonly thread?: string;
    }
  /** It is unknown whether an earlier attempt succeeded, for example after a timeout. */
  | { readonly kind: 'uncertain'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

export interface Sink {
  readonly name: string;
  /** Can it tell whether a key was delivered? Otherwise a crash in the middle is told, and nothing is sent again. */
  readonly idempotent: boolean;
  /** Absent: every report is for it. */
  takes?(report: Report): boolean;
  /** `mask` hides the secrets in what the destination says. */
  deliver(report: Report, signal: AbortSignal, mask?: SystemMask): Promise<Delivered>;
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
