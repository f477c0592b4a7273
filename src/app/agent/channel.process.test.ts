import { vi } from 'vitest';
import { openSessionsIn, openStoreIn } from '../../store/index.ts';
import { capabilitySet, connectInMemory, openGrants, serveHttp } from '../../tools/index.ts';
import { loadConfiguration } from '../config/index.ts';
import { openHost } from '../host.ts';
import { modelServer } from '../testbed/model-server.ts';
import { environmentOf, newHome } from '../testbed/run-sonde.ts';
import { smallWorld } from '../testbed/small-world.ts';
import { serveAgent } from './agent.ts';
import { channelContract, talker } from './channel.contract.ts';
import { agentClient } from './channel-client.ts';
import { startChild } from './child-wire.ts';
import { composeAgent, openAccount } from './compose-agent.ts';
import { memoryWires } from './memory-wire.ts';

const model = 'openai-compatible:talker';
const caller = { kind: 'agent', name: 'agent', device: 'here', thread: null, channel: null } as const;
const connection = { caller, capabilities: capabilitySet('agent') };

async function surroundings() {
  const home = newHome();
  const workspace = await smallWorld(home);
  const server = await modelServer(talker);
  const env = environmentOf({
    home,
    env: { OPENAI_BASE_URL: server.address, OPENAI_API_KEY: 'sk-test-0123456789' },
  });
  // The host of this process finds its folders there, too.
  vi.stubEnv('SONDE_HOME', home);
  const opened = await openHost({ workspace });
  const prompts = () => server.served.map(({ prompt }) => prompt);
  return { workspace, server, env, opened, prompts };
}

channelContract('in one process', async () => {
  const { server, env, opened, prompts } = await surroundings();
  const composed = await composeAgent({
    configuration: loadConfiguration({ environment: env, flags: { model } }),
    environment: env,
    database: opened.open.database,
    redact: opened.redact,
    confined: false,
    connect: () => connectInMemory(opened.host, connection),
  });
  const [here, there] = memoryWires();
  const client = agentClient(here);
  const agent = serveAgent(there, composed.ports);
  return {
    client,
    prompts,
    tools: () => undefined,
    async close() {
      await agent.close();
      composed.close();
      await opened.close();
      await server.close();
    },
  };
});

channelContract('in two processes', async () => {
  const { workspace, server, env, opened, prompts } = await surroundings();
  // The agent may change no schema: what it needs is made by its host.
  const { database } = opened.open;
  openSessionsIn(database).close();
  openStoreIn(database).close();
  openAccount(loadConfiguration({ environment: env }), false).close();
  const grants = openGrants();
  const http = await serveHttp({ host: opened.host, grants, version: '0' });
  const token = grants.issue(connection);
  const child = startChild({ workspace, settings: { model } }, env);
  return {
    client: agentClient(child.wire),
    prompts,
    tools: () => ({ url: http.url, token }),
    async close() {
      child.kill('SIGKILL');
      await child.gone;
      await http.close();
      await opened.close();
      await server.close();
    },
  };
});
