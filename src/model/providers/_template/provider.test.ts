import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerContract(provider, () => openServedProvider('template_base_url', 'template_api_key'));
