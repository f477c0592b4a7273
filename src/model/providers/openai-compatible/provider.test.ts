import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => openServedProvider('openai_base_url', 'openai_api_key'));
