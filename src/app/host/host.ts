/** The host of tools over one workspace, and over a folder of code where one is named: the composition. */
import type { OwnTool } from '../../catalogue/index.ts';
import type { Tool } from '../../core/index.ts';
import type { Memory } from '../../memory/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { type Database, openStoreIn, type Store } from '../../store/index.ts';
import type { CodeMaterial } from '../../tools/code/index.ts';
import type { RunTrails, ToolHost } from '../../tools/index.ts';
import type { PageSearch, World } from '../../world/index.ts';
import type { Configuration, SettingKey } from '../config/index.ts';
import {
  environmentRedactor,
  loadConfiguration,
  processEnvironment,
  workspaceFile,
} from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import { runTrails } from '../runs/run-trails.ts';
import { restoringTools } from '../workspace/restoring-tools.ts';
import { type OpenWorkspace, openWorkspace } from '../workspace/workspace.ts';
import { openCode, openOnce, openPages, openSandbox } from './host-material.ts';
import { type AccountOf, openHostMemory } from './host-memory.ts';

export interface HostRequest {
  /** A name, or the path of a file. */
  readonly workspace: string;
  /** The folder for the code tools; absent: there are no code tools. */
  readonly root?: string;
  /** Settings that this process is not to read: keys that are another one's. */
  readonly without?: readonly SettingKey[];
  /** Abilities of a program, beside those that every host has. */
  readonly tools?: readonly OwnTool[];
  /** Where runs of conversations are kept, where that is not the workspace's own file. */
  readonly kept?: Database | Store;
  /** Whose account its memory has. Default: the person's. */
  readonly accountOf?: AccountOf;
  /** Throws where this process may not write in the workspace any more; asked before each write. */
  readonly checkWrite?: () => void;
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
export async function openHost({
  workspace,
  root,
  without = [],
  tools = [],
  kept,
  accountOf,
  checkWrite,
}: HostRequest): Promise<OpenHost> {
  const folder = root === undefined ? undefined : resolveRoot(root);
  const environment = processEnvironment();
  const configuration = loadConfiguration({
    environment,
    flags: { workspace },
    without,
    ...(folder !== undefined && { project: folder }),
  });
  const redactKeys = environmentRedactor(environment);
  const redact = (text: string) => redactKeys(configuration.redact(text));
  const mask = openMasker(configuration);
  const there = await openWorkspace(workspaceFile(configuration.directories, workspace), { make: false });
  const open =
    checkWrite === undefined ? there : { ...there, world: worldWithCheck(there.world, checkWrite) };
  const closing: (() => unknown)[] = [() => open.close()];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const { parts, close: closeParts } = partsOf(configuration, open, folder, { kept, accountOf });
    closing.push(closeParts);
    const { openToolHost } = await import('../../tools/index.ts');
    const host = openToolHost({
      tools: [
        ...restoringTools(await hostTools(parts), open.world, mask),
        ...(await ownTools(tools, parts.code)),
      ].map((tool) => (checkWrite === undefined ? tool : toolWithCheck(tool, checkWrite))),
      mask,
      workspace: open.world.workspace,
      // The mask first: a key of this process then has the mark that it has everywhere.
      redact: (text) => redact(mask.system(text)),
    });
    return { host, open, notes: configuration.notes, redact, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The parts that tools use. All except the world are opened at the first call that needs them. */
export interface HostParts {
  readonly world: World;
  /** Absent: nothing here hands on work. */
  readonly trails?: RunTrails;
  readonly pages: () => Promise<Pick<PageSearch, 'search'>>;
  readonly memory: () => Promise<Memory>;
  readonly sandbox: () => Promise<Sandbox>;
  /** Null if no folder was named: then there are no code tools. */
  readonly code: (() => Promise<CodeMaterial>) | null;
}

/** The catalogue, in the order in which it is listed. */
export async function hostTools({
  world,
  trails,
  pages,
  memory,
  sandbox,
  code,
}: HostParts): Promise<readonly Tool[]> {
  const room = await import('../../tools/index.ts');
  return [
    ...room.pageTools({
      world,
      search: { search: async (query) => (await pages()).search(query) },
      ...(trails && { trails }),
    }),
    ...room.memoryTools(memory),
    ...room.pythonTools(sandbox),
    ...(code === null ? [] : (await import('../../tools/code/index.ts')).codeTools(code)),
  ];
}

/** The tools of the calling program, over the files of the folder if there is one. */
async function ownTools(tools: readonly OwnTool[], code: HostParts['code']): Promise<readonly Tool[]> {
  if (tools.length === 0) return [];
  const [{ toolOf }, { codeTool }, { withoutFiles }] = await Promise.all([
    import('../../tools/index.ts'),
    import('../../tools/code/index.ts'),
    import('../library/without-files.ts'),
  ]);
  return tools.map((tool) =>
    code === null ? toolOf(tool, ({ signal }) => withoutFiles(signal)) : codeTool(tool, code, ''),
  );
}

function storeIn(kept: Database | Store): () => Store {
  if (!('all' in kept)) return () => kept;
  let store: Store | undefined;
  return () => {
    store ??= openStoreIn(kept);
    return store;
  };
}

/** Checked before anything is done, and once more in the instant of the write. */
const toolWithCheck = (tool: Tool, check: () => void): Tool =>
  tool.effect === 'read'
    ? tool
    : Object.freeze({
        ...tool,
        async run(args, call) {
          check();
          return tool.run(args, call);
        },
      } satisfies Tool);

function worldWithCheck(world: World, check: () => void): World {
  return Object.freeze({
    ...world,
    submit(write) {
      check();
      return world.submit(write);
    },
    submitAll(writes) {
      check();
      return world.submitAll(writes);
    },
  } satisfies World);
}

function partsOf(
  configuration: Configuration,
  open: OpenWorkspace,
  root: string | undefined,
  { kept, accountOf }: { readonly [Key in 'kept' | 'accountOf']: HostRequest[Key] },
) {
  const memory = openOnce(() => openHostMemory(open, accountOf));
  const pages = openOnce(() => openPages(configuration, open.world));
  const sandbox = openOnce(() => openSandbox(configuration));
  const code = openOnce(() => openCode(configuration, root ?? '.'));
  return {
    parts: {
      world: open.world,
      trails: runTrails({ ...open, store: storeIn(kept ?? open.database) }),
      pages: pages.get,
      memory: async () => (await memory.get()).memory,
      sandbox: sandbox.get,
      code: root === undefined ? null : code.get,
    } satisfies HostParts,
    async close() {
      await Promise.allSettled([memory.close(), pages.close(), sandbox.close(), code.close()]);
    },
  };
}
