import { providerContract, servedAt } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => servedAt('ollama_host'));
