/** Who may send alerts: holders of a token for alerts, and of the key that is set for all senders, where one is. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Directories } from '../config/index.ts';
import { openDoor } from './door.ts';
import type { Entry } from './tokens.ts';

export interface AlertDoor {
  enter(shown: string | null): Entry['kind'];
  /** For people: where to get a token; null where senders have the key that is set. */
  readonly hint: string | null;
  close(): void;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `key`: the setting `alerts_token`; where it is empty and there is no token, one is made. */
export function openAlertDoor(directories: Pick<Directories, 'data'>, key: string): AlertDoor {
  const keyed = key !== '';
  const door = openDoor({ directories, place: { kind: 'alerts' }, asked: null, make: !keyed });
  return {
    // Takes the same time whatever is wrong with the token.
    enter: (shown) =>
      keyed && timingSafeEqual(digest(shown ?? ''), digest(key)) ? 'holder' : door.enter(shown).kind,
    hint: keyed ? null : door.hint,
    close: () => door.close(),
  };
}
