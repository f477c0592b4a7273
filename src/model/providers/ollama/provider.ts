import { declareSetting } from '../../../core/setting.ts';
import { ownServer } from '../own-server.ts';
import { ollamaAddress } from './address.ts';

export const provider = ownServer({
  name: 'ollama',
  rank: 40,
  setting: 'ollama_host',
  address: declareSetting(
    'host',
    'Where Ollama is, when it is not at its usual address. Naming it lets `auto` use it.',
    'an address, or HOST:PORT',
    'OLLAMA_HOST',
  ),
  defaultUrl: 'http://127.0.0.1:11434/v1',
  toAddress: ollamaAddress,
  howToList: '`ollama list` shows what is there, `ollama pull` fetches more.',
});
