/** Converts the parts that a program passes in: models to the engine's form, servers to open connections. */
import type { OwnTool } from '../../catalogue/index.ts';
import { type Signal, SondeError } from '../../core/index.ts';
import type { Model } from '../../model/index.ts';
import type { CallerParts, KindRequest } from '../runs/run-kind.ts';
import type { McpServer, OpenServer } from './mcp-servers.ts';
import type { OwnModel, OwnParts, RunOptions } from './options.ts';

type OnNote = NonNullable<RunOptions['onNote']>;

/**
 * How MCP servers and signals are offered. `signals`: both as systems of an incident. `tools`: both as tools. `each`:
 * servers as tools, and signals as systems of later incidents.
 */
export type PartsForm = 'tools' | 'signals' | 'each';

export interface OpenCallerParts {
  readonly callerParts: CallerParts;
  /** Closes what was opened here. */
  close(): Promise<void>;
}

type OwnPartsOptions = OwnParts & { readonly onNote?: OnNote };

/**
 * Throws `tool_failed` if a server does not answer, `bad_argument` if two tools have the same name, and `model_config`
 * for a model that can't be used. A signal of a wrong form is a `bad_argument`, too. Notes name the tools of servers that
 * are not offered.
 */
export async function openCallerParts(
  { model, analyst, tools = [], signals = [], store, onNote = () => {} }: OwnPartsOptions,
  form: PartsForm,
): Promise<OpenCallerParts> {
  if (signals.length > 0) (await import('./own-signals.ts')).checkSignals(signals);
  checkTools(tools);
  const planner = model === undefined ? undefined : await toModel(model);
  const servers = await openServers(tools);
  try {
    const entries = [
      ...(await collectTools(tools, form === 'signals' ? [] : servers.open, onNote)),
      ...(form === 'tools' ? await createSignalTools(signals) : []),
    ];
    if (entries.length > 1) (await import('../../catalogue/index.ts')).checkNames(entries);
    const systems = [
      ...(form === 'tools' ? [] : signals),
      ...(form === 'signals' ? await openSystems(servers.open, onNote) : []),
    ];
    const callerParts: CallerParts = {
      ...(planner !== undefined && {
        models: { planner, analyst: analyst === undefined ? planner : await toModel(analyst) },
      }),
      ...(entries.length > 0 && { tools: entries }),
      ...(systems.length > 0 && { signals: systems }),
      ...(store !== undefined && { store }),
    };
    return { callerParts, close: servers.close };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

/** Runs the work with those parts, and closes what was opened for it. */
export async function withCallerParts<Options extends RunOptions, Value>(
  options: Options,
  form: PartsForm,
  work: (runOptions: Omit<Options, keyof OwnParts> & Pick<KindRequest, 'callerParts'>) => Promise<Value>,
): Promise<Value> {
  const { model, analyst, tools, signals, store, ...runOptions } = options;
  const { callerParts, close } = await openCallerParts(options, form);
  try {
    return await work({ ...runOptions, callerParts });
  } finally {
    await close();
  }
}

export async function toModel(model: OwnModel): Promise<Model> {
  if (typeof model !== 'object' || model === null)
    throw new SondeError('bad_argument', {
      message: 'model must be an object: a model of your own, or one of the AI SDK',
      remedy: "A configured one is named by settings: { model: 'extractive' }.",
    });
  const { aiSdkModel, guardModel, isAiSdkModel } = await import('../../model/ai-sdk.ts');
  return isAiSdkModel(model) ? aiSdkModel(model) : guardModel(model);
}

const isTool = (one: OwnTool | McpServer): one is OwnTool => 'parameters' in one && 'run' in one;
const serverMembers = ['listTools', 'send', 'server', 'command', 'url'];

/** Throws `bad_argument` for what is neither made by `tool` nor a server. In plain JavaScript no compiler would say so. */
function checkTools(tools: readonly unknown[]): void {
  for (const [index, tool] of tools.entries()) {
    const isObject = typeof tool === 'object' && tool !== null;
    if (isObject && serverMembers.some((member) => member in tool)) continue;
    if (isObject && 'run' in tool && 'effect' in tool) continue;
    throw new SondeError('bad_argument', {
      message: `tools[${index}] is neither a tool nor an MCP server`,
      remedy:
        'Make a tool with tool({ name, description, parameters, run }). A server is a client, a transport, { command, args } or { url }.',
    });
  }
}

async function openServers(tools: readonly (OwnTool | McpServer)[]) {
  const servers = tools.filter((one): one is McpServer => !isTool(one));
  const open: OpenServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(open.splice(0).map((server) => server.close()));
  };
  try {
    if (servers.length > 0) {
      const { openServer } = await import('./mcp-servers.ts');
      for (const server of servers) open.push(await openServer(server));
    }
    return { open, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function collectTools(
  tools: readonly (OwnTool | McpServer)[],
  servers: readonly OpenServer[],
  onNote: OnNote,
): Promise<readonly OwnTool[]> {
  const ownTools = tools.filter(isTool);
  if (servers.length === 0) return ownTools;
  const { toolsOfServer } = await import('./mcp-servers.ts');
  const offered = await Promise.all(
    servers.map(async (server) => {
      const { tools, withheld } = await toolsOfServer(server);
      noteWithheld(server.name, withheld, onNote);
      return tools;
    }),
  );
  return [...ownTools, ...offered.flat()];
}

async function createSignalTools(signals: readonly Signal[]): Promise<readonly OwnTool[]> {
  return signals.length === 0 ? [] : (await import('./signal-tools.ts')).signalTools(signals);
}

/** The same in every kind of run. */
function noteWithheld(server: string, tools: readonly string[], onNote: OnNote): void {
  if (tools.length === 0) return;
  onNote(
    `Tools of the MCP server ${server} that are not offered, since they do not say that they only read (readOnlyHint): ` +
      `${tools.join(', ')}. Name those that you want in its "allow".`,
  );
}

async function openSystems(servers: readonly OpenServer[], onNote: OnNote): Promise<readonly Signal[]> {
  if (servers.length === 0) return [];
  const [{ openMcp }, { systemClock }] = await Promise.all([
    import('../../signals/index.ts'),
    import('../../core/index.ts'),
  ]);
  const mcpSignals = await Promise.all(
    servers.map(async ({ name, client, allow }) => {
      const { signal, leftOut } = await openMcp({ name, client, allow, clock: systemClock });
      noteWithheld(
        name,
        leftOut.map(({ tool }) => tool),
        onNote,
      );
      return signal;
    }),
  );
  return mcpSignals;
}
