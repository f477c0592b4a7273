/** Opens the configured systems. Each system decides whether its settings are complete. */
import { connect, type Socket } from 'node:net';
import { systemClock } from '../core/index.ts';
import type { OpenedSystem, System, SystemPorts } from '../signals/system.ts';
import { systems } from '../signals/systems.ts';
import { gitOptions } from './compose.ts';
import { type Configuration, readSecretFile } from './config/index.ts';
import { openMasker } from './masking.ts';

export interface NamedSystem extends OpenedSystem {
  readonly name: string;
  readonly title: string;
}

interface OpenSystemsOptions {
  /** Wraps the `fetch` for the system of that name. */
  readonly watch?: (fetch: typeof globalThis.fetch, name: string) => typeof globalThis.fetch;
  /** The name of the only system to open; absent: all. */
  readonly only?: string;
}

/** Throws for settings that cannot be used. */
export async function openSystems(
  configuration: Configuration,
  { watch = (fetch) => fetch, only }: OpenSystemsOptions = {},
): Promise<readonly NamedSystem[]> {
  const ports = await systemPorts(configuration);
  const namedSystems: NamedSystem[] = [];
  try {
    for (const load of Object.values(systems)) {
      const system = await load();
      if (only !== undefined && only !== system.name) continue;
      const watchedPorts: SystemPorts = {
        ...ports,
        fetch: watch(ports.fetch, system.name),
        clusterFetch: (trust) => watch(ports.clusterFetch(trust), system.name),
      };
      const opened = await openSystem(system, configuration, watchedPorts);
      if (opened !== null) namedSystems.push({ name: system.name, title: system.title, ...opened });
    }
    return namedSystems;
  } catch (error) {
    await closeSystems(namedSystems);
    throw error;
  }
}

export async function closeSystems(namedSystems: readonly NamedSystem[]): Promise<void> {
  await Promise.all(namedSystems.flatMap(({ signals }) => signals.map((signal) => signal.close())));
}

/** Opens a system; null if it is not configured. The cast is safe, since each system declares its settings. */
const openSystem = (system: System, { values }: Configuration, ports: SystemPorts) =>
  system.open(values as never, ports);

async function systemPorts(configuration: Configuration): Promise<SystemPorts> {
  const [{ gitCommands }, { journalCommand, tokenCommand }, { clusterFetch }, { openMcpServers }] =
    await Promise.all([
      import('../code/index.ts'),
      import('./incident/programs.ts'),
      import('./incident/cluster-fetch.ts'),
      import('./incident/mcp.ts'),
    ]);
  const mask = openMasker(configuration);
  return {
    fetch: globalThis.fetch,
    clock: systemClock,
    credential: (key) => ({ reveal: () => key.reveal(), mark: mask.mark(key.reveal()) }),
    git: (folder) => gitCommands(folder, gitOptions()),
    journal: journalCommand(),
    credentialProgram: tokenCommand,
    clusterFetch,
    readFile: readSecretFile,
    socket: socketOpener,
    mcpServers: openMcpServers,
  };
}

/** Returns a function that opens a TCP connection. `address`: HOST:PORT, which the setting has checked. */
export function socketOpener(address: string): (signal: AbortSignal) => Promise<Socket> {
  const [host, port] = address.split(':');
  return (signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: host!, port: Number(port), signal });
      socket.once('connect', () => resolve(socket));
      socket.once('error', reject);
    });
}
