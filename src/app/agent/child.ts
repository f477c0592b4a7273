/**
 * The process of the agent under `sonde serve` and `sonde worker`. It holds the keys of its models. Of the workspace's
 * database it can open only conversations, runs and checkpoints, or nothing if a team keeps them; everything else it asks
 * the host for.
 */
import { messageOf } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import { connectHttp } from '../../tools/index.ts';
import {
  type Configuration,
  environmentRedactor,
  loadConfiguration,
  processEnvironment,
} from '../config/index.ts';
import { version } from '../version.ts';
import { runAgent } from './agent.ts';
import { type ChildSetting, parentWire } from './channel/child-wire.ts';
import { type AgentSetting, agentTables, composeAgent, openedIn } from './compose-agent.ts';
import { keysOfHost } from './keys.ts';

const busyMs = 10_000;

function openWorkspaceStores(workspace: string): OwnedAgent {
  const database = openDatabase({
    path: workspace,
    schemas: [],
    busyMs,
    only: agentTables,
    holds: 'workspace',
  });
  return { open: openedIn(database), close: () => database.close() };
}

interface OwnedAgent {
  readonly open: AgentSetting['open'];
  close(): void;
}

async function openTeamStores({ values }: Configuration, schema: string): Promise<OwnedAgent> {
  const { openSharedSessions } = await import('../team/shared-sessions.ts');
  const open = await openSharedSessions(values, schema);
  return { open, close() {} };
}

async function run({ workspace, name, settings, root, schema }: ChildSetting): Promise<void> {
  const environment = processEnvironment();
  const configuration = loadConfiguration({
    environment,
    flags: { ...settings, embeddings: 'off' },
    without: keysOfHost,
  });
  const redactKeys = environmentRedactor(environment);
  const ownedAgent =
    schema === undefined ? openWorkspaceStores(workspace) : await openTeamStores(configuration, schema);
  const composed = await composeAgent({
    configuration,
    environment,
    open: ownedAgent.open,
    workspace,
    name,
    redact: (text) => redactKeys(configuration.redact(text)),
    confined: true,
    ...(root !== undefined && { root }),
    connect(thread, at) {
      if (at === null) throw new Error(`Nobody said where the tools of ${thread} are`);
      return connectHttp(at, version());
    },
  });
  const agent = runAgent(parentWire(), composed.ports);
  const end = async (): Promise<void> => {
    await agent.close();
    await composed.close();
    ownedAgent.close();
    process.exit(0);
  };
  // Ctrl-C is meant for the host, which then ends this process. Without a host there is nothing to do; unfinished work
  // can be resumed.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => void end());
  process.once('disconnect', () => void end());
  void agent.ended.then(end);
}

run(JSON.parse(process.argv[2] ?? '{}') as ChildSetting).catch((thrown: unknown) => {
  parentWire().send({ type: 'lifecycle', state: 'failed', message: messageOf(thrown) });
  // Time for the message to be sent.
  setTimeout(() => process.exit(1), 50);
});
