import { providerContract, servedAt } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => servedAt('anthropic_base_url', 'anthropic_api_key'));
