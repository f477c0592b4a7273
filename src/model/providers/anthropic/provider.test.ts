import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => openServedProvider('anthropic_base_url', 'anthropic_api_key'));
