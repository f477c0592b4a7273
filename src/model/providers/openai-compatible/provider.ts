import { type openaiSettings, otherAddress } from '../openai/provider.ts';
import { defineProvider } from '../provider.ts';

const name = 'openai-compatible';

/** Uses the settings of `openai` for address and key. */
export const provider = defineProvider<Record<never, never>, typeof openaiSettings>({
  name,
  form: `${name}:MODEL`,
  meaning: 'any server that speaks Chat Completions, at OPENAI_BASE_URL',
  autoOrder: 30,
  settings: {},
  whyAuto: (settings) => (otherAddress(settings) === undefined ? null : 'a base URL is set'),
  async open({ written, id }, settings, ports) {
    const [{ openaiCompatibleModel }, { connectionTo, findFirstServed }, { unusable }] = await Promise.all([
      import('./openai-compatible.ts'),
      import('../hosted.ts'),
      import('../unusable.ts'),
    ]);
    const baseUrl = otherAddress(settings);
    if (baseUrl === undefined)
      throw unusable(
        written,
        'no base URL is set',
        'Set OPENAI_BASE_URL to the address of the server, ending in /v1.',
      );
    const key = settings.values.openai_api_key;
    const connection = connectionTo({ baseUrl, key, keySetting: 'OPENAI_API_KEY' }, settings, ports);
    return openaiCompatibleModel(name, id ?? (await findFirstServed(name, connection)), connection);
  },
  check(settings) {
    const address = otherAddress(settings);
    return address === undefined ? null : { kind: 'reach', name: 'openai-compatible server', address };
  },
});
