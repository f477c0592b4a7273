/**
 * Alerts that came in, durable before anybody is told so. Alerts of one name, service and namespace are one
 * group, and a group is investigated once: a storm is many alerts and few investigations.
 */
import { type Clock, isSondeError, messageOf, plainMask, type SystemMask, sha256 } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { type Alert, alertLimits, alertLine, cutAlert, nameless, partsOf } from '../../tasks/index.ts';
import { alertsSchema } from './schema.ts';

export interface QueueOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Hides the secrets in what is sent; where it is absent all have the same mark. */
  readonly mask?: SystemMask;
  /** Most groups that wait; an alert of another group is then not accepted. */
  readonly most: number;
  /** How long after its investigation an alert of the same group starts no other. Milliseconds. */
  readonly quietMs: number;
}

export interface Taken {
  /** Its place in the message, from 0. */
  readonly index: number;
  readonly id: number;
  /** Null: it tells that something is over. */
  readonly group: number | null;
  readonly state: 'opened' | 'joined' | 'resolved';
}

export interface Refused {
  readonly index: number;
  /** The last one, where it is about several in a row. */
  readonly through?: number;
  readonly code: 'empty' | 'full' | 'too_many' | 'not_kept';
  readonly message: string;
}

/** What became of each alert in a message: it is in one of the two. */
export interface Receipt {
  readonly taken: readonly Taken[];
  readonly refused: readonly Refused[];
}

/** What a message comes to before anything is written. */
export interface Prepared {
  readonly alerts: readonly (Ready | null)[];
  readonly more: number;
}

interface Ready {
  readonly alert: Alert;
  readonly sent: string;
}

export interface AlertQueue {
  /** Reads what was sent. Throws nothing, whatever it is. */
  prepare(sent: string): Prepared;
  /** Writes down several messages at once: all of them or, where it throws, nothing. */
  receive(prepared: readonly Prepared[]): readonly Receipt[];
}

export function alertQueue({ db, clock, mask = plainMask, most, quietMs }: QueueOptions): AlertQueue {
  db.include(alertsSchema);
  const waiting = (): number =>
    Number(db.get("SELECT count(*) AS n FROM alert_groups WHERE state = 'waiting'")?.['n']);

  /** One that is open, or was investigated a moment ago. */
  function openGroup(name: string): number | null {
    const row = db.get(
      "SELECT id FROM alert_groups WHERE name = ? AND (state IN ('waiting', 'running') OR (state = 'done' AND updated > ?)) ORDER BY id DESC LIMIT 1",
      name,
      clock.now() - quietMs,
    );
    return row === undefined ? null : Number(row['id']);
  }

  function newGroup(name: string, alert: Alert): number {
    return db.insert(
      "INSERT INTO alert_groups (name, title, state, opened, updated) VALUES (?, ?, 'waiting', ?, ?)",
      name,
      alertLine(alert),
      clock.now(),
      clock.now(),
    );
  }

  function kept({ alert, sent }: Ready, group: number | null): number {
    return db.insert(
      'INSERT INTO alerts (alert_group, fingerprint, received, sent) VALUES (?, ?, ?, ?)',
      group,
      alert.fingerprint,
      clock.now(),
      sent,
    );
  }

  function take(ready: Ready, index: number, room: Room): Taken | Refused {
    const { alert } = ready;
    if (alert.state === 'resolved') return { index, id: kept(ready, null), group: null, state: 'resolved' };
    const name = groupName(alert);
    const open = openGroup(name);
    if (open !== null) return { index, id: kept(ready, open), group: open, state: 'joined' };
    if (room.left <= 0)
      return { index, code: 'full', message: `${most} groups wait already; send it again later` };
    const group = newGroup(name, alert);
    const id = kept(ready, group);
    room.left -= 1;
    return { index, id, group, state: 'opened' };
  }

  /** Whatever is wrong with one undoes nothing of the others, unless nothing can be written at all. */
  function taken(ready: Ready | null, index: number, room: Room): Taken | Refused {
    if (ready === null) return { index, code: 'empty', message: 'There is nothing in it: send the alert.' };
    try {
      return db.undoable(() => take(ready, index, room));
    } catch (thrown) {
      if (isSondeError(thrown)) throw thrown;
      return { index, code: 'not_kept', message: `It could not be kept: ${messageOf(thrown)}`.slice(0, 300) };
    }
  }

  function write({ alerts, more }: Prepared, room: Room): Receipt {
    const all = alerts.map((ready, index) => taken(ready, index, room));
    const last = alerts.length + more - 1;
    return {
      taken: all.filter((one) => 'id' in one),
      refused: [...all.filter((one) => 'code' in one), ...(more > 0 ? [tooMany(alerts.length, last)] : [])],
    };
  }

  return {
    prepare(sent) {
      const { parts, more } = partsOf(mask.system(sent));
      return {
        alerts: parts.map((part) =>
          part.kind === 'alert' ? { alert: part.alert, sent: cutAlert(part.sent) } : null,
        ),
        more,
      };
    },
    receive: (prepared) =>
      db.atomic(() => {
        const room = { left: most - waiting() };
        return prepared.map((one) => write(one, room));
      }),
  };
}

/** Groups that may still be opened. */
interface Room {
  left: number;
}

const tooMany = (index: number, through: number): Refused => ({
  index,
  through,
  code: 'too_many',
  message: `A message may hold ${alertLimits.alerts} alerts; send the others in another one.`,
});

/** Who fires: not which of its many pods. Without a name it is everything that the alert says. */
function groupName({ name, service, namespace, source, fingerprint }: Alert): string {
  if (source === 'text') return `text ${fingerprint}`;
  const parts = [name, service ?? '', namespace ?? ''].map(short);
  return (name === nameless ? [...parts, fingerprint] : parts).join('\u0000');
}

const longestPart = 300;

const short = (text: string): string =>
  text.length <= longestPart ? text : `${text.slice(0, longestPart)}#${sha256(text).slice(0, 16)}`;
