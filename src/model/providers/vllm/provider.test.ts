import { providerContract, servedAt } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => servedAt('vllm_base_url'));
