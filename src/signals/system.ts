/**
 * Declares a system: its name, its settings, and how it is opened. To add a system, add a folder with such a `system.ts`:
 * `npm run docs` generates the settings, the list of systems, the checks of `sonde doctor` and the documentation from it.
 *
 * It must not import statically what opens the system (every command that lists systems loads this file), read the
 * environment, or use the network or files except through the ports.
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

/** The only access to network, files and programs that a system gets. */
export interface SystemPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The credential of a key. Answers that repeat it show a mark instead. */
  credential(key: HiddenKey): Credential;
  /** Runs git in a folder, without anything that the repository configures. */
  git(folder: string): RunCommand;
  /** Runs `journalctl`. */
  readonly journal: RunCommand;
  /** Runs a program of a kubeconfig that prints a token. */
  credentialProgram(program: string, variables: Readonly<Record<string, string>>): RunCommand;
  /** A `fetch` for a server with a private certificate authority, or one that requires a client certificate. */
  clusterFetch(trust: ClusterTrust): typeof globalThis.fetch;
  /** The text of a file that the setting names, such as a certificate. Throws `bad_config`. */
  readFile(path: string, setting: string): string;
  /** Opens a TCP connection to HOST:PORT. */
  socket(address: string): Connect;
  mcpServers(servers: Readonly<Record<string, McpServerSetting>>): Promise<OpenedSystem>;
}

export interface OpenedSystem {
  readonly signals: readonly Signal[];
  /** For people: which parts of the system are not used, and why. */
  readonly notes?: readonly string[];
}

export interface System<Settings extends DeclaredSettings = DeclaredSettings> {
  /** The name of its folder. */
  readonly name: string;
  /** The usual name of the system, for the documentation. */
  readonly title: string;
  /** For the documentation: what it can be asked for. */
  readonly offers: string;
  readonly settings: Settings;
  /** Null if the system is not configured. Throws `bad_config` for settings that cannot be used. */
  open(values: SettingValues<Settings>, ports: SystemPorts): Promise<OpenedSystem | null>;
}

/** Erases the types of the settings, which only the file of the system knows. */
export function defineSystem<const Settings extends DeclaredSettings>(system: System<Settings>): System {
  return Object.freeze(system) as unknown as System;
}

/** The authorization header with the token in the option of that name, if it is set. */
export const bearer = (
  token: HiddenKey | undefined,
  { credential }: Pick<SystemPorts, 'credential'>,
): { readonly authorization?: Authorization } =>
  token === undefined ? {} : { authorization: { kind: 'bearer', token: credential(token) } };
