import { providerContract, servedAt } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => servedAt('template_base_url', 'template_api_key'));
