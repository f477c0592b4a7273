/** Lists received alerts, and retries failed investigations. */
import { SondeError } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { type AlertGroups, alertGroups, type GroupNote, type GroupState, groupStates } from './groups.ts';

/** Maximum groups in one listing. */
const maxListed = 1_000;

/** Throws `bad_argument` for an unknown state. */
export function listAlerts({ state }: { readonly state?: string | undefined }) {
  const wantedState = groupStates.find((groupState) => groupState === state);
  if (state !== undefined && wantedState === undefined)
    throw new SondeError('bad_argument', {
      message: `--state is ${state}`,
      remedy: `Give one of ${groupStates.join(', ')}.`,
    });
  return withGroups(async (groups) => ({
    ...(await groups.counts()),
    ...(await groups.list({ state: wantedState satisfies GroupState | undefined, max: maxListed })),
  }));
}

/** Queues the group again; a running server, or the next one, investigates it. Throws as `AlertGroups.retry` does. */
export function retryAlerts(id: string): Promise<GroupNote> {
  if (!/^\d{1,15}$/.test(id))
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(id)} is not the id of a group of alerts`,
      remedy: 'sonde alerts ls lists them.',
    });
  return withGroups((groups) => groups.retry(Number(id)));
}

async function withGroups<Value>(use: (groups: AlertGroups) => Promise<Value>): Promise<Value> {
  const { openAlertStore } = await import('./open-alert-store.ts');
  const { records, queue, close } = await openAlertStore(
    loadConfiguration({ environment: processEnvironment() }),
  );
  try {
    return await use(alertGroups(records, queue));
  } finally {
    await close();
  }
}
