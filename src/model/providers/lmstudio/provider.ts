import { addressSetting } from '../../../core/setting.ts';
import { ownServer } from '../own-server.ts';

export const provider = ownServer({
  name: 'lmstudio',
  rank: 50,
  setting: 'lmstudio_base_url',
  address: addressSetting(
    'Address of LM Studio, with its /v1. Naming it lets `auto` use it.',
    'LMSTUDIO_BASE_URL',
  ),
  defaultUrl: 'http://127.0.0.1:1234/v1',
});
