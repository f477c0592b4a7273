import { connectInMemory } from '../../../tools/index.ts';
import { loadConfiguration } from '../../config/index.ts';
import { runAgent } from '../agent.ts';
import { composeAgent, storesIn } from '../compose-agent.ts';
import { channelContract } from './channel.contract.ts';
import { agentClient } from './channel-client.ts';
import { connection, model, openFixture } from './channel-place.contract.ts';
import { memoryWires } from './memory-wire.ts';

channelContract('in one process', async () => {
  const { server, env, opened, prompts } = await openFixture();
  const composed = await composeAgent({
    configuration: loadConfiguration({ environment: env, flags: { model } }),
    environment: env,
    open: storesIn(opened.open.database),
    workspace: opened.open.path,
    redact: opened.redact,
    confined: false,
    connect: () => connectInMemory(opened.host, connection),
  });
  const [here, there] = memoryWires();
  const client = agentClient(here);
  const agent = runAgent(there, composed.ports);
  return {
    client,
    prompts,
    tools: () => undefined,
    async close() {
      await agent.close();
      await composed.close();
      await opened.close();
      await server.close();
    },
  };
});
