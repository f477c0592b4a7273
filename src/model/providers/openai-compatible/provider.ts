import { findOtherAddress, type openaiSettings } from '../openai/provider.ts';
import { defineProvider } from '../provider.ts';

const name = 'openai-compatible';

/** Uses the settings of `openai` for address and key. */
export const provider = defineProvider<Record<never, never>, typeof openaiSettings>({
  name,
  form: `${name}:MODEL`,
  meaning: 'any server that speaks Chat Completions, at OPENAI_BASE_URL',
  autoOrder: 30,
  settings: {},
  whyAuto: (settings) => (findOtherAddress(settings) === undefined ? null : 'a base URL is set'),
  async open({ written, id }, settings, ports) {
    const [{ openaiCompatibleModel }, { createConnection, findFirstServed }, { unusableModelError }] =
      await Promise.all([
        import('./openai-compatible.ts'),
        import('../hosted.ts'),
        import('../unusable-model.ts'),
      ]);
    const baseUrl = findOtherAddress(settings);
    if (baseUrl === undefined)
      throw unusableModelError(
        written,
        'no base URL is set',
        'Set OPENAI_BASE_URL to the address of the server, ending in /v1.',
      );
    const key = settings.values.openai_api_key;
    const connection = createConnection({ baseUrl, key, keySetting: 'OPENAI_API_KEY' }, settings, ports);
    return openaiCompatibleModel(name, id ?? (await findFirstServed(name, connection)), connection);
  },
  check(settings) {
    const address = findOtherAddress(settings);
    return address === undefined ? null : { kind: 'reach', name: 'openai-compatible server', address };
  },
});
