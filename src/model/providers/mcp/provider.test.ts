import { providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => {
  let next: () => Promise<unknown> = async () => undefined;
  let calls = 0;
  return {
    ports: {
      sample: () => {
        calls++;
        return next();
      },
    },
    answer: (text) => {
      next = async () => ({ role: 'assistant', model: 'client', content: { type: 'text', text } });
    },
    hang: () => {
      next = () => new Promise(() => {});
    },
    wasAsked: () => calls > 0,
    close: () => {},
  };
});
