/** The fixture for an agent behind a channel: a workspace, a model server, and the host of the agent's tools. */
import { vi } from 'vitest';
import { capabilitySet } from '../../../tools/index.ts';
import { openHost } from '../../host/host.ts';
import { modelServer } from '../../testbed/model-server.ts';
import { environmentOf, newHome } from '../../testbed/run-sonde.ts';
import { createSmallWorld } from '../../testbed/small-world.ts';
import { scriptedReply } from './channel.contract.ts';

export const model = 'openai-compatible:talker';
const caller = { kind: 'agent', name: 'agent', device: 'here', thread: null, channel: null } as const;
export const connection = { caller, capabilities: capabilitySet('agent') };

export async function openFixture() {
  const home = newHome();
  const workspace = await createSmallWorld(home);
  const server = await modelServer(scriptedReply);
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
