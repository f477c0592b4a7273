/** Composes the tool host of one workspace and, if given, of a folder of code. */
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
import { openRunTrails } from '../runs/run-trails.ts';
import { withSecretsRestored } from '../workspace/restoring-tools.ts';
import { type OpenWorkspace, openWorkspace } from '../workspace/workspace.ts';
import { openCode, openOnce, openPages, openSandbox } from './host-material.ts';
import { type AccountOf, openHostMemory } from './host-memory.ts';

export interface HostRequest {
  /** A name, or the path of a file. */
  readonly workspace: string;
  /** The folder for the code tools; absent: there are no code tools. */
  readonly root?: string;
  /** Settings to leave unread, since they hold secrets of another process. */
  readonly hiddenSettings?: readonly SettingKey[];
  /** Additional tools, which the calling program supplies. */
  readonly tools?: readonly OwnTool[];
  /** The store of the conversations' runs. Default: the file of the workspace. */
  readonly runStore?: Database | Store;
  /** Whose account-wide memory the host uses. Default: the person's. */
  readonly accountOf?: AccountOf;
  /** Called before each write. Throws if this process may no longer write in the workspace. */
  readonly checkWrite?: () => void;
}

export interface OpenHost {
  readonly host: ToolHost;
  readonly open: OpenWorkspace;
  /** Notes of the configuration, for people. */
  readonly notes: readonly string[];
  readonly redact: (text: string) => string;
  close(): Promise<void>;
}

/** Throws `not_found` for a missing workspace or folder, and the errors of a wrong setting. */
export async function openHost({
  workspace,
  root,
  hiddenSettings: without = [],
  tools = [],
  runStore,
  accountOf,
  checkWrite,
}: HostRequest): Promise<OpenHost> {
  const folder = root === undefined ? undefined : resolveRoot(root);
  const environment = processEnvironment();
  const configuration = loadConfiguration({
    environment,
    flags: { workspace },
    ignoredSettings: without,
    ...(folder !== undefined && { project: folder }),
  });
  const redactKeys = environmentRedactor(environment);
  const redact = (text: string) => redactKeys(configuration.redact(text));
  const mask = openMasker(configuration);
  const opened = await openWorkspace(workspaceFile(configuration.directories, workspace), { make: false });
  const open =
    checkWrite === undefined ? opened : { ...opened, world: worldWithCheck(opened.world, checkWrite) };
  const closers: (() => unknown)[] = [() => open.close()];
  const close = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const { parts, close: closeParts } = openParts(configuration, open, folder, { runStore, accountOf });
    closers.push(closeParts);
    const { openToolHost } = await import('../../tools/index.ts');
    const host = openToolHost({
      tools: [
        ...withSecretsRestored(await hostTools(parts), open.world, mask),
        ...(await wrapCallerTools(tools, parts.code)),
      ].map((tool) => (checkWrite === undefined ? tool : withWriteCheck(tool, checkWrite))),
      mask,
      workspace: open.world.workspace,
      // Masks before it redacts, so that a key gets the same mark here as in all other output.
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
  /** Absent if no tool delegates work to runs. */
  readonly runTrails?: RunTrails;
  readonly pages: () => Promise<Pick<PageSearch, 'search'>>;
  readonly memory: () => Promise<Memory>;
  readonly sandbox: () => Promise<Sandbox>;
  /** Null if no folder was named: then there are no code tools. */
  readonly code: (() => Promise<CodeMaterial>) | null;
}

/** The catalogue, in the order in which it is listed. */
export async function hostTools({
  world,
  runTrails: trails,
  pages,
  memory,
  sandbox,
  code,
}: HostParts): Promise<readonly Tool[]> {
  const toolsRoom = await import('../../tools/index.ts');
  return [
    ...toolsRoom.pageTools({
      world,
      search: { search: async (query) => (await pages()).search(query) },
      ...(trails && { trails }),
    }),
    ...toolsRoom.memoryTools(memory),
    ...toolsRoom.pythonTools(sandbox),
    ...(code === null ? [] : (await import('../../tools/code/index.ts')).codeTools(code)),
  ];
}

/** The tools of the calling program, over the files of the folder if there is one. */
async function wrapCallerTools(tools: readonly OwnTool[], code: HostParts['code']): Promise<readonly Tool[]> {
  if (tools.length === 0) return [];
  const [{ toTool }, { codeTool }, { contextWithoutFiles: withoutFiles }] = await Promise.all([
    import('../../tools/index.ts'),
    import('../../tools/code/index.ts'),
    import('../library/without-files.ts'),
  ]);
  return tools.map((tool) =>
    code === null ? toTool(tool, ({ signal }) => withoutFiles(signal)) : codeTool(tool, code, ''),
  );
}

function createStoreOpener(kept: Database | Store): () => Store {
  if (!('all' in kept)) return () => kept;
  let store: Store | undefined;
  return () => {
    store ??= openStoreIn(kept);
    return store;
  };
}

/** Checks before the tool does anything. `worldWithCheck` checks again at the moment of the write. */
const withWriteCheck = (tool: Tool, check: () => void): Tool =>
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

function openParts(
  configuration: Configuration,
  open: OpenWorkspace,
  root: string | undefined,
  { runStore, accountOf }: { readonly [Key in 'runStore' | 'accountOf']: HostRequest[Key] },
) {
  const memory = openOnce(() => openHostMemory(open, accountOf));
  const pages = openOnce(() => openPages(configuration, open.world));
  const sandbox = openOnce(() => openSandbox(configuration));
  const code = openOnce(() => openCode(configuration, root ?? '.'));
  return {
    parts: {
      world: open.world,
      runTrails: openRunTrails({ ...open, store: createStoreOpener(runStore ?? open.database) }),
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
