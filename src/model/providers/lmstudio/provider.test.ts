import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => openServedProvider('lmstudio_base_url'));
