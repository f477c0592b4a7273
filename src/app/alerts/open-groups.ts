import { isSondeError, systemClock } from '../../core/index.ts';
import { type Database, type Store, thisProcess } from '../../store/index.ts';
import { type AlertGroups, alertGroups } from './groups.ts';

/** The groups of alerts in the database of the runs, as this process has to do with them. */
export const openGroupsIn = (db: Database, store: Pick<Store, 'runs'>): AlertGroups =>
  alertGroups({
    db,
    clock: systemClock,
    holder: thisProcess(),
    isHeld: (run) => knownRun(store, run) !== null && store.runs.held(run),
  });

/** The run by this id; null where it is gone. */
export function knownRun({ runs }: Pick<Store, 'runs'>, run: string): string | null {
  try {
    return runs.get(run).id;
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) return null;
    throw thrown;
  }
}
