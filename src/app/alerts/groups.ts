/**
 * The groups that alerts were joined to: which waits, who investigates which, how each ended. A group that is
 * investigated names its holder, so that several processes can work off one database, and one that died is told from
 * one that is busy.
 */
import { type Clock, SondeError } from '../../core/index.ts';
import { type Database, type Holder, lifeOf, type Row } from '../../store/index.ts';
import { alertsSchema } from './schema.ts';

export const groupStates = ['waiting', 'running', 'done', 'failed'] as const;
export type GroupState = (typeof groupStates)[number];

/** For whoever investigates it. */
export interface Group {
  readonly id: number;
  readonly title: string;
  /** Of before, where it was begun. */
  readonly run: string | null;
  /** How often its process died while it was at it. */
  readonly deaths: number;
  /** The alert that opened it. */
  readonly sent: string;
}

/** One that this holder is at. Its run may not be written down yet. */
export interface Begun extends Group {
  readonly run: string;
}

/** For people and programs that ask. */
export interface GroupNote {
  readonly id: number;
  readonly title: string;
  readonly state: GroupState;
  /** Why it failed. */
  readonly reason: string | null;
  readonly run: string | null;
  readonly alerts: number;
  /** Milliseconds since the Unix epoch. */
  readonly opened: number;
  readonly updated: number;
}

export interface GroupCounts extends Readonly<Record<GroupState, number>> {
  readonly alerts: number;
}

export interface AlertGroups {
  /** The oldest that waits. */
  oldest(): Group | null;
  /** Takes one that waits; `run` is its run's id unless it has one. Null: somebody else has it by now. */
  start(group: Group, run: string): Begun | null;
  /** Those that were begun and that nobody is at, oldest first. */
  left(): readonly Group[];
  /** Takes one of those; a death of the one before counts. Null: somebody else has it by now. */
  takeUp(group: Group, run: string): Begun | null;
  /** What this holder is at is left for whoever comes next, and counts as no death. */
  release(id: number): void;
  /** Of a group that this holder is at. */
  finish(id: number): void;
  fail(id: number, reason: string): void;
  /** One that failed waits again. Throws `not_found`, and `run_state` where it has not failed. */
  retry(id: number): GroupNote;
  /** The newest first, and how many more there are. */
  list(query: { readonly state?: GroupState | undefined; readonly most: number }): {
    readonly groups: readonly GroupNote[];
    readonly more: number;
  };
  counts(): GroupCounts;
}

export interface GroupsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Who works here. */
  readonly holder: Holder;
  /** Whether somebody works on a run: of a holder on another machine that is all there is to see. */
  readonly isHeld: (run: string) => boolean;
}

const longestReason = 500;

export function alertGroups({ db, clock, holder, isHeld }: GroupsOptions): AlertGroups {
  db.include(alertsSchema);
  const me = JSON.stringify(holder);
  const withAlert =
    'SELECT g.*, (SELECT sent FROM alerts WHERE alert_group = g.id ORDER BY id LIMIT 1) AS sent FROM alert_groups g';
  const noted =
    'SELECT g.*, (SELECT count(*) FROM alerts WHERE alert_group = g.id) AS alerts FROM alert_groups g';
  const change = (id: number, set: string, ...values: readonly (string | number | null)[]): void => {
    db.run(`UPDATE alert_groups SET ${set}, updated = ? WHERE id = ?`, ...values, clock.now(), id);
  };

  function isLeft(row: Row): boolean {
    const own = row['holder'];
    const unseen = (): boolean => row['run'] === null || !isHeld(String(row['run']));
    if (own === null) return unseen();
    if (own === me) return false;
    const life = lifeOf(JSON.parse(String(own)) as Holder);
    return life === 'dead' || (life === 'unknown' && unseen());
  }

  /** Nothing where another process has it: what that one says of it counts. */
  function end(id: number, state: 'done' | 'failed', reason: string | null): void {
    db.run(
      'UPDATE alert_groups SET state = ?, reason = ?, holder = NULL, updated = ? WHERE id = ? AND holder = ?',
      state,
      reason,
      clock.now(),
      id,
      me,
    );
  }

  return {
    oldest() {
      const row = db.get(`${withAlert} WHERE g.state = 'waiting' ORDER BY g.id LIMIT 1`);
      return row === undefined ? null : groupOf(row);
    },
    start: ({ id }, given) =>
      db.atomic(() => {
        const row = db.get(`${withAlert} WHERE g.id = ? AND g.state = 'waiting'`, id);
        if (row === undefined) return null;
        const run = runOf(row) ?? given;
        change(id, "state = 'running', attempts = attempts + 1, run = ?, holder = ?", run, me);
        return { ...groupOf(row), run };
      }),
    left: () => db.all(`${withAlert} WHERE g.state = 'running' ORDER BY g.id`).filter(isLeft).map(groupOf),
    takeUp: ({ id }, given) =>
      db.atomic(() => {
        const row = db.get(`${withAlert} WHERE g.id = ? AND g.state = 'running'`, id);
        if (row === undefined || !isLeft(row)) return null;
        const run = runOf(row) ?? given;
        const deaths = Number(row['deaths']) + (row['holder'] === null ? 0 : 1);
        change(id, 'run = ?, holder = ?, deaths = ?', run, me, deaths);
        return { ...groupOf(row), run, deaths };
      }),
    release(id) {
      db.run('UPDATE alert_groups SET holder = NULL WHERE id = ? AND holder = ?', id, me);
    },
    finish: (id) => end(id, 'done', null),
    fail: (id, reason) => end(id, 'failed', reason.slice(0, longestReason)),
    retry: (id) =>
      db.atomic(() => {
        const row = db.get(`${noted} WHERE g.id = ?`, id);
        if (row === undefined)
          throw new SondeError('not_found', {
            message: `There is no group of alerts ${id}`,
            remedy: 'sonde alerts ls lists them.',
          });
        if (row['state'] !== 'failed')
          throw new SondeError('run_state', {
            message: `The group of alerts ${id} has not failed: it is ${row['state']}`,
            remedy: 'sonde alerts ls --state failed lists those that have.',
          });
        change(id, "state = 'waiting', reason = NULL, deaths = 0");
        return noteOf(db.get(`${noted} WHERE g.id = ?`, id)!);
      }),
    list({ state, most }) {
      const where = state === undefined ? '' : 'WHERE g.state = ?';
      const given = state === undefined ? [] : [state];
      const groups = db.all(`${noted} ${where} ORDER BY g.id DESC LIMIT ?`, ...given, most).map(noteOf);
      const all = Number(db.get(`SELECT count(*) AS n FROM alert_groups g ${where}`, ...given)?.['n']);
      return { groups, more: all - groups.length };
    },
    counts() {
      const row = db.get(`SELECT
        (SELECT count(*) FROM alerts) AS alerts,
        ${groupStates.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`).join(', ')}
        FROM alert_groups`);
      const count = (name: string): number => Number(row?.[name] ?? 0);
      return {
        alerts: count('alerts'),
        waiting: count('waiting'),
        running: count('running'),
        done: count('done'),
        failed: count('failed'),
      };
    },
  };
}

/** Groups of older versions have no title, and a name with parts that nobody is shown. */
const titleOf = ({ title, name }: Row): string =>
  title === null ? String(name).replaceAll('\u0000', ' ').trim() : String(title);

const runOf = ({ run }: Row): string | null => (run === null ? null : String(run));

const groupOf = (row: Row): Group => ({
  id: Number(row['id']),
  title: titleOf(row),
  run: runOf(row),
  deaths: Number(row['deaths']),
  sent: String(row['sent'] ?? ''),
});

const noteOf = (row: Row): GroupNote => ({
  id: Number(row['id']),
  title: titleOf(row),
  state: String(row['state']) as GroupState,
  reason: row['reason'] === null ? null : String(row['reason']),
  run: runOf(row),
  alerts: Number(row['alerts']),
  opened: Number(row['opened']),
  updated: Number(row['updated']),
});
