import { addressSetting } from '../../../core/setting.ts';
import { ownServer } from '../own-server.ts';

export const provider = ownServer({
  name: 'vllm',
  rank: 60,
  setting: 'vllm_base_url',
  address: addressSetting('Address of vLLM, with its /v1. Naming it lets `auto` use it.', 'VLLM_BASE_URL'),
  defaultUrl: 'http://127.0.0.1:8000/v1',
});
