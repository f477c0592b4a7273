/** The sandbox in which investigations of this process run their code, with the helpers that this code may call. */
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Configuration } from '../config/index.ts';
import { openOnce } from '../host/host-material.ts';

export interface OpenSandbox {
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** The sandbox that all investigations share that run at the same time in this process. */
let shared: { readonly directory: string; readonly sandbox: Promise<Sandbox>; users: number } | null = null;

export async function openInvestigationSandbox({
  directories,
}: Pick<Configuration, 'directories'>): Promise<OpenSandbox> {
  const directory = join(directories.cache, 'sandbox');
  if (shared?.directory !== directory) shared = { directory, sandbox: makeSandbox(directory), users: 0 };
  const entry = shared;
  entry.users += 1;
  const sandbox = await entry.sandbox;
  return {
    sandbox,
    async close() {
      entry.users -= 1;
      if (entry.users > 0) return;
      if (shared === entry) shared = null;
      await sandbox.close();
    },
  };
}

/** A sandbox that the first investigation of a conversation starts, and that later ones reuse. */
export function openLazySandbox(configuration: Configuration): {
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  close(): Promise<void>;
} {
  const lazy = openOnce(() => openInvestigationSandbox(configuration));
  return {
    sandbox: {
      open: async (options) => (await lazy.get()).sandbox.open(options),
      restore: async (checkpoint, options) => (await lazy.get()).sandbox.restore(checkpoint, options),
    },
    close: lazy.close,
  };
}

async function makeSandbox(directory: string): Promise<Sandbox> {
  const [{ createSandbox }, { investigationHelpers }] = await Promise.all([
    import('../../sandbox/index.ts'),
    import('../../tasks/investigation/index.ts'),
  ]);
  return createSandbox({
    cacheDirectory: directory,
    helpers: investigationHelpers,
    isolation: 'process',
    warm: 2,
  });
}
