import { agentOutput, fakeAgent } from '../../fake-agent.contract.ts';
import { providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => {
  const agent = fakeAgent();
  return {
    agents: true,
    ports: { env: process.env, which: () => agent.command },
    answer: (text) => agent.behave({ stdout: agentOutput.claude(text) }),
    hang: () => agent.behave({ hang: true }),
    wasAsked: () => agent.wasStarted(),
    close: agent.remove,
  };
});
