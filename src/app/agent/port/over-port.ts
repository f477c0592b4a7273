/** Lets a command use the agent of the server that has the workspace open. */
import { SondeError } from '../../../core/index.ts';
import { openSessionsIn, openStoreIn } from '../../../store/index.ts';
import type { Configuration } from '../../config/index.ts';
import { resolveRoot } from '../../root.ts';
import { version } from '../../version.ts';
import { openWorkspace } from '../../workspace/workspace.ts';
import { type AgentAbout, agentAbout } from '../channel/channel.ts';
import type { OpenAgent, OpenAgentRequest } from '../in-process.ts';
import { connectPort } from './port-client.ts';

/** Null: no server has the workspace open. Throws `run_state` for settings that a server can't apply. */
export async function openServedAgent(
  path: string,
  { values, notes }: Configuration,
  { settings, root, signal }: OpenAgentRequest,
): Promise<OpenAgent | null> {
  const port = await connectPort({ workspace: path, version: version(), ...(signal && { signal }) });
  if (port === null) return null;
  const closables: (() => unknown)[] = [() => port.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closables.splice(0).reverse()) await closeOne();
  };
  try {
    const { client, greeting } = port;
    const reply = await client.request({ type: 'lifecycle', command: 'ping' });
    const about = agentAbout.safeParse(reply.details['about']).data;
    if (about === undefined)
      throw new SondeError('tool_failed', {
        message: `The server of ${path} has no agent: ${reply.message}`,
        remedy: 'The output of the server says why; sonde doctor checks the models.',
      });
    requireSameAgent(about, greeting.root ?? null, { settings, root });
    const openedWorkspace = await openWorkspace(path, { make: false });
    closables.push(() => openedWorkspace.close());
    const { sessions, store } =
      greeting.shared === true
        ? await (await import('../../team/shared-sessions.ts')).openWorkspaceSessions(values)
        : {
            sessions: openSessionsIn(openedWorkspace.database),
            store: openStoreIn(openedWorkspace.database),
          };
    closables.push(
      () => store.close(),
      () => sessions.close(),
    );
    const { max_tokens: tokens, max_usd: usd, max_time: wall_ms } = values;
    const limits = {
      ...(settings.max_tokens !== undefined && { tokens }),
      ...(settings.max_usd !== undefined && { usd }),
      ...(settings.max_time !== undefined && { wall_ms }),
    };
    return {
      ...{
        client,
        about,
        world: openedWorkspace.world,
        database: openedWorkspace.database,
        sessions,
        store,
        notes,
        close,
      },
      served: true,
      successor: async () => null,
      limits: Object.keys(limits).length === 0 ? null : limits,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Refuses settings that the agent of the server was not started with. */
function requireSameAgent(
  { model }: AgentAbout,
  servedFolder: string | null,
  { settings, root }: { readonly settings: OpenAgentRequest['settings']; readonly root: string | undefined },
): void {
  const refuse = (flag: string, serverValue: string): never => {
    throw new SondeError('run_state', {
      message: `A server has this workspace open, and its agent ${serverValue}`,
      remedy: `Leave ${flag} out to talk with it, or end the server.`,
    });
  };
  const requestedModel = settings.model;
  if (requestedModel !== undefined && requestedModel !== 'auto' && requestedModel !== model)
    refuse('--model', `talks with ${model}`);
  if (root === undefined) return;
  const folder = resolveRoot(root);
  if (folder !== servedFolder)
    refuse('--code', servedFolder === null ? 'reads no code' : `reads the code of ${servedFolder}`);
}
