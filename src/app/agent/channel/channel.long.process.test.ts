/** The agent as a process: each of its tests starts one. */
import { openSessionsIn, openStoreIn } from '../../../store/index.ts';
import { openGrants, serveHttp } from '../../../tools/index.ts';
import { loadConfiguration } from '../../config/index.ts';
import { openAccount } from '../compose-agent.ts';
import { channelContract } from './channel.contract.ts';
import { agentClient } from './channel-client.ts';
import { connection, model, openFixture } from './channel-place.contract.ts';
import { startChild } from './child-wire.ts';

channelContract('in two processes', async () => {
  const { workspace, server, env, opened, prompts } = await openFixture();
  // The agent may change no schema: what it needs is made by its host.
  const { database } = opened.open;
  openSessionsIn(database).close();
  await openStoreIn(database).close();
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
