import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => openServedProvider('vllm_base_url'));
