/** The last event that a reconnecting reader has received. */
import { SondeError } from '../../../core/index.ts';

/** Reads `Last-Event-ID`; 0 without it, for a stream from the beginning. Throws `bad_argument` for an invalid id. */
export function lastEventId(headers: Headers): number {
  const text = headers.get('last-event-id') ?? '0';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SondeError('bad_argument', {
    message: 'Last-Event-ID is no id of an event of this stream',
    remedy: 'Give the last id that was received as it is, or none.',
  });
}

export const eventsGoneError = (firstStored: number): SondeError =>
  new SondeError('gone', {
    message: `Events before ${firstStored} are no longer kept`,
    remedy: 'Read it anew, without Last-Event-ID.',
    details: { first: firstStored },
  });
