/** The host of tools over one workspace, and over a folder of code where one is named: the composition. */
import { maskSecrets } from '../core/index.ts';
import type { ToolHost } from '../tools/index.ts';
import type { Configuration } from './config/index.ts';
import { environmentRedactor, loadConfiguration, processEnvironment, workspaceFile } from './config/index.ts';
import { openCode, opened, openPages, openSandbox } from './host-material.ts';
import { openHostMemory } from './host-memory.ts';
import { resolveRoot } from './root.ts';
import { type OpenWorkspace, openWorkspace } from './world.ts';

export interface HostRequest {
  /** A name, or the path of a file. */
  readonly workspace: string;
  /** A folder for the code tools; without it there are none. */
  readonly root?: string;
}

export interface OpenHost {
  readonly host: ToolHost;
  readonly open: OpenWorkspace;
  /** What the configuration had to say. */
  readonly notes: readonly string[];
  readonly redact: (text: string) => string;
  close(): Promise<void>;
}

/** Throws `not_found` for a workspace or a folder that is not there, and what a wrong setting throws. */
export async function openHost({ workspace, root }: HostRequest): Promise<OpenHost> {
  const folder = root === undefined ? undefined : resolveRoot(root);
  const environment = processEnvironment();
  const configuration = loadConfiguration({
    environment,
    flags: { workspace },
    ...(folder !== undefined && { project: folder }),
  });
  const redactKeys = environmentRedactor(environment);
  const redact = (text: string) => redactKeys(configuration.redact(text));
  const open = await openWorkspace(workspaceFile(configuration.directories, workspace), { make: false });
  const closing: (() => unknown)[] = [() => open.close()];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const { tools, close: closeMaterial } = await toolsOf(configuration, open, folder);
    closing.push(closeMaterial);
    const { openToolHost } = await import('../tools/index.ts');
    const host = openToolHost({
      tools,
      workspace: open.world.workspace,
      redact: (text) => maskSecrets(redact(text)),
    });
    return { host, open, notes: configuration.notes, redact, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function toolsOf(configuration: Configuration, open: OpenWorkspace, root: string | undefined) {
  const room = await import('../tools/index.ts');
  const { world } = open;
  const memory = opened(() => openHostMemory(open));
  const pages = opened(() => openPages(configuration, world));
  const sandbox = opened(() => openSandbox(configuration));
  const code = opened(() => openCode(configuration, root ?? '.'));
  return {
    tools: [
      ...room.pageReadingTools(world, { search: async (query) => (await pages.get()).search(query) }),
      ...room.pageWritingTools(world),
      ...room.pageOrganizingTools(world),
      ...room.authorTools(world),
      ...room.memoryTools(async () => (await memory.get()).memory),
      ...room.pythonTools(sandbox.get),
      ...(root === undefined ? [] : [...room.codeFindingTools(code.get), ...room.codePastTools(code.get)]),
    ],
    async close() {
      await Promise.allSettled([memory.close(), pages.close(), sandbox.close(), code.close()]);
    },
  };
}
