/** Rules of conversations that all engines share. */
import { SondeError } from '../../core/index.ts';
import type { ChannelRow, ThreadRow } from './threads.ts';

type Row = Readonly<Record<string, unknown>>;

/** The key of a thread's lease. Runs have leases in the same table. */
export const leaseKey = (thread: string): string => `thread/${thread}`;

/** Restricts ids, since they are used in commands, names of exported files and log lines. */
const idForm = /^[^\p{C}\s](?:[^\p{C}]{0,198}[^\p{C}\s])?$/u;

export function checkId(kind: string, id: string): void {
  if (idForm.test(id)) return;
  throw new SondeError('bad_argument', {
    message: `${JSON.stringify(id.slice(0, 80))} is not an id for a ${kind}`,
    remedy: 'Use 1 to 200 visible characters.',
  });
}

export function missingError(kind: string, id: string, path: string): SondeError {
  return new SondeError('not_found', {
    message: `There is no ${kind} ${id} in ${path}`,
    remedy: `Create the ${kind}, or name an existing one.`,
  });
}

export function existsError(kind: string, id: string): SondeError {
  return new SondeError('run_state', {
    message: `There is a ${kind} ${id} already`,
    remedy: 'Use it, or take another id.',
  });
}

export function toChannelRow({ id, title, created }: Row): ChannelRow {
  return Object.freeze({ id: String(id), title: String(title), created: Number(created) });
}

export function toThreadRow({ id, title, channel, created, updated }: Row): ThreadRow {
  return Object.freeze({
    id: String(id),
    title: String(title),
    channel: channel === null || channel === undefined ? null : String(channel),
    created: Number(created),
    updated: Number(updated),
  });
}
