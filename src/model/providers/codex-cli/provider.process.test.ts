import { fakeAgent, printed } from '../../fake-agent.contract.ts';
import { providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => {
  const agent = fakeAgent();
  return {
    agents: true,
    ports: { env: process.env, which: () => agent.command },
    answer: (text) => agent.act({ stdout: printed.codex(text) }),
    hang: () => agent.act({ hang: true }),
    asked: () => agent.began(),
    close: agent.remove,
  };
});
