import { providerContract, servedAt } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => servedAt('openai_base_url', 'openai_api_key'));
