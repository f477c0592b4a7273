/**
 * What a system is to the program: its name, its settings, and how it is opened where they are there. A folder with such
 * a `system.ts` is all that a new system needs: the settings, the listing, `sonde doctor` and the documentation follow
 * from it (`npm run docs` writes them down).
 *
 * Its author must not: import here what opens the system (every listing reads this file), look at the environment, or
 * reach outside but by the ports.
 */
import type {
  Clock,
  DeclaredSettings,
  HiddenKey,
  McpServerSetting,
  SettingValues,
  Signal,
} from '../core/index.ts';
import type { RunCommand } from './command.ts';
import type { Authorization, Credential } from './http-credentials.ts';
import type { ClusterTrust } from './kubernetes/kubeconfig.ts';
import type { Connect } from './redis/connection.ts';

/** The ports to the outside that a system may be opened with. */
export interface SystemPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** A key as it is sent with requests: it is replaced by a mark wherever an answer repeats it. */
  credential(key: HiddenKey): Credential;
  /** Git in a folder, which runs nothing that the repository configures. */
  git(folder: string): RunCommand;
  /** `journalctl`. */
  readonly journal: RunCommand;
  /** A program that lends a token for a cluster. */
  lender(program: string, variables: Readonly<Record<string, string>>): RunCommand;
  /** A `fetch` for a server with a private certificate authority, or one that requires a client certificate. */
  clusterFetch(trust: ClusterTrust): typeof globalThis.fetch;
  /** The text of a file that the setting names, such as a certificate. Throws `bad_config`. */
  readFile(path: string, setting: string): string;
  /** A plain connection to HOST:PORT. */
  socket(address: string): Connect;
  mcpServers(servers: Readonly<Record<string, McpServerSetting>>): Promise<OpenedSystem>;
}

export interface OpenedSystem {
  readonly signals: readonly Signal[];
  /** For people: what of it is not used, and why. */
  readonly notes?: readonly string[];
}

export interface System<Settings extends DeclaredSettings = DeclaredSettings> {
  /** As its folder. */
  readonly name: string;
  /** For the documentation: the usual name of the system, and what it is asked for. */
  readonly title: string;
  readonly offers: string;
  readonly settings: Settings;
  /** Nothing where the settings don't name it. Throws `bad_config` for settings that can't be used. */
  open(values: SettingValues<Settings>, ports: SystemPorts): Promise<OpenedSystem | null>;
}

/** Opens one system like the others: the types of its settings are known only to its own file. */
export function defineSystem<const Settings extends DeclaredSettings>(system: System<Settings>): System {
  return Object.freeze(system) as unknown as System;
}

/** The authorization header with the token in the option of that name, if it is set. */
export const bearer = (
  token: HiddenKey | undefined,
  { credential }: Pick<SystemPorts, 'credential'>,
): { readonly authorization?: Authorization } =>
  token === undefined ? {} : { authorization: { kind: 'bearer', token: credential(token) } };
