/** Finds out who is logged in before anything is drawn, and loads the data of the first view at the same time. */
import { placeOf } from '../parts/route.ts';
import { ApiError, begin, read, write } from './client.ts';
import { inboxReads } from './inbox-reads.ts';
import type { Session } from './types.ts';

/** The code stands behind the `#` once, and never in the history. */
function takeCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) {
    history.replaceState(null, '', '#/inbox');
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }
  return code;
}

async function session(): Promise<Session> {
  const code = takeCode();
  if (code === null) return read<Session>('/session');
  try {
    return await write<Session>('POST', '/session', { code });
  } catch (thrown) {
    // Loaded again with a used code: this window may have been let in before.
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
    return read<Session>('/session').catch(() => {
      throw thrown;
    });
  }
}

export async function enter(): Promise<Session> {
  const entered = await session();
  if (placeOf(location.hash).view === 'inbox') for (const path of inboxReads(entered.workspace)) begin(path);
  return entered;
}
