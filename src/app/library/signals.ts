/**
 * The systems that Sonde can read, opened by a program. What a command takes from its settings is the default here, so
 * that a program gives only what is particular to a system.
 */
import { type Clock, type Signal, systemClock } from '../../core/index.ts';
import * as room from '../../signals/index.ts';
import { gitOptions } from '../compose.ts';
import { journalCommand } from '../incident/programs.ts';
import { socketOpener } from '../systems.ts';

interface SharedOptions {
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
}

/** The options without those that are the same for all. */
type OwnOptions<Options> = Omit<Options, keyof SharedOptions> & Partial<SharedOptions>;

const withDefaults =
  <Options, Opened>(open: (options: Options) => Opened) =>
  (options: OwnOptions<Options>): Opened =>
    open({ clock: systemClock, fetch: globalThis.fetch, ...options } as Options);

export const openPrometheus = withDefaults(room.openPrometheus);
export const openAlertmanager = withDefaults(room.openAlertmanager);
export const openLoki = withDefaults(room.openLoki);
export const openGrafana = withDefaults(room.openGrafana);
export const openKubernetes = withDefaults(room.openKubernetes);
export const openSentry = withDefaults(room.openSentry);
export const openDatadog = withDefaults(room.openDatadog);
export const openGithub = withDefaults(room.openGithub);
export const openGitlab = withDefaults(room.openGitlab);
/** Files of logs, plain or compressed. */
export const openLogFiles = withDefaults(room.openLogFiles);
/** A folder with a recorded incident. */
export const openFrozen = withDefaults(room.openFrozen);
/** Any MCP server, by a connected client. */
export const openMcp = withDefaults(room.openMcp);

/** The systemd journal of this machine. */
export const openJournald = ({
  clock = systemClock,
  ...units
}: Partial<Parameters<typeof room.openJournald>[0]> = {}): Signal =>
  room.openJournald({ run: journalCommand(), clock, ...units });

/** A git repository, by its folder. */
export async function openGit({
  root,
  ...rest
}: { readonly root: string } & Partial<Parameters<typeof room.openGit>[0]>): Promise<Signal> {
  const { gitCommands } = await import('../../code/index.ts');
  return room.openGit({ run: gitCommands(root, gitOptions()), clock: systemClock, root, ...rest });
}

/** `url`: such as `postgres://user:password@host:5432/database`. */
export const openPostgres = ({
  url,
  clock = systemClock,
}: {
  readonly url: string;
  readonly clock?: Clock;
}): Signal => room.openPostgres({ address: room.postgresAddress(url), clock });

/** `address`: such as `host:6379`. */
export const openRedis = ({
  address,
  ...rest
}: { readonly address: string } & Partial<Parameters<typeof room.openRedis>[0]>): Signal =>
  room.openRedis({ connect: socketOpener(address), clock: systemClock, address, ...rest });

/** A token for an HTTP system, sent as `Authorization: Bearer`. It is never shown. */
export const bearer = (token: string): room.Authorization => ({
  kind: 'bearer',
  token: { reveal: () => token },
});
