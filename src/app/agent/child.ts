/**
 * The process of the agent under `sonde serve` and `sonde worker`. It holds the keys of its models. In the
 * workspace's database it can open only conversations, runs and checkpoints, or nothing if the store of a team has them.
 * It reaches everything else through the host.
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
import { type AgentOptions, agentTables, composeAgent, storesIn } from './compose-agent.ts';
import { keysOfHost } from './keys.ts';

const busyMs = 10_000;

function openWorkspaceStores(workspace: string): OpenStores {
  const database = openDatabase({
    path: workspace,
    schemas: [],
    busyMs,
    only: agentTables,
    holds: 'workspace',
  });
  return { open: storesIn(database), close: () => database.close() };
}

interface OpenStores {
  readonly open: AgentOptions['open'];
  close(): void;
}

async function openTeamStores({ values }: Configuration, schema: string): Promise<OpenStores> {
  const { createSessionsOpener: openSharedSessions } = await import('../team/shared-sessions.ts');
  const openSessions = await openSharedSessions(values, schema);
  return { open: openSessions, close() {} };
}

async function run({ workspace, name, settings, root, schema }: ChildSetting): Promise<void> {
  const environment = processEnvironment();
  const configuration = loadConfiguration({
    environment,
    flags: { ...settings, embeddings: 'off' },
    ignoredSettings: keysOfHost,
  });
  const redactKeys = environmentRedactor(environment);
  const stores =
    schema === undefined ? openWorkspaceStores(workspace) : await openTeamStores(configuration, schema);
  const composedAgent = await composeAgent({
    configuration,
    environment,
    open: stores.open,
    workspace,
    name,
    redact: (text) => redactKeys(configuration.redact(text)),
    confined: true,
    ...(root !== undefined && { root }),
    connect(thread, at) {
      if (at === null) throw new Error(`The message for ${thread} has no address of its tools`);
      return connectHttp(at, version());
    },
  });
  const agent = runAgent(parentWire(), composedAgent.ports);
  const endProcess = async (): Promise<void> => {
    await agent.close();
    await composedAgent.close();
    stores.close();
    process.exit(0);
  };
  // Ctrl-C is meant for the host, which then ends this process. If the host is gone, this process ends too; unfinished
  // work can be resumed.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => void endProcess());
  process.once('disconnect', () => void endProcess());
  void agent.ended.then(endProcess);
}

run(JSON.parse(process.argv[2] ?? '{}') as ChildSetting).catch((thrown: unknown) => {
  parentWire().send({ type: 'lifecycle', state: 'failed', message: messageOf(thrown) });
  // Delayed, so that the message is sent first.
  setTimeout(() => process.exit(1), 50);
});
