import { addressSetting, keySetting } from '../../../core/setting.ts';
import { openaiUrl, originOf } from '../../connection.ts';
import { defineProvider, type SettingsOf } from '../provider.ts';

const variable = 'OPENAI_API_KEY';
const models = { planner: 'gpt-6.1-sol', analyst: 'gpt-6.1-terra' };
const bareModelName = /^(gpt-|o\d)/;

/** Settings that two providers read. A key that is set together with an address belongs to the server at that address. */
export const openaiSettings = {
  openai_api_key: keySetting('OpenAI, or for the server at openai_base_url where that is set', variable),
  openai_base_url: addressSetting(
    'Address of a server that speaks the OpenAI interface, with its /v1. The OpenAI key then goes there.',
    'OPENAI_BASE_URL',
  ),
};

type Settings = SettingsOf<typeof openaiSettings>;

/** The configured address if it is not OpenAI's own. */
export function findOtherAddress({ values: { openai_base_url: address } }: Settings): string | undefined {
  return address === undefined || originOf(address) === originOf(openaiUrl) ? undefined : address;
}

/**
 * Whether a setting names a model of OpenAI. If so, the server at the configured address is taken to speak OpenAI's own
 * API.
 */
const namesOpenai = ({ model, planner, analyst }: Settings): boolean =>
  [model, planner, analyst].some(
    (name) => name !== undefined && (/^openai(:|$)/.test(name) || bareModelName.test(name)),
  );

const usesOpenai = (settings: Settings): boolean =>
  findOtherAddress(settings) === undefined || namesOpenai(settings);

export const provider = defineProvider({
  name: 'openai',
  form: 'openai[:MODEL]',
  meaning: 'the OpenAI API; a bare gpt-... means the same',
  bare: bareModelName,
  autoOrder: 20,
  settings: openaiSettings,
  whyAuto: (settings) =>
    settings.values.openai_api_key !== undefined && usesOpenai(settings) ? `${variable} is set` : null,
  async open({ written, id, tier }, settings, ports) {
    const [{ openaiModel }, { createConnection, requireKey }] = await Promise.all([
      import('./openai.ts'),
      import('../hosted.ts'),
    ]);
    const { openai_api_key, openai_base_url: baseUrl = openaiUrl } = settings.values;
    const key = requireKey(openai_api_key, written, variable);
    const connection = createConnection({ baseUrl, key, keySetting: variable }, settings, ports);
    return openaiModel(id ?? models[tier], connection);
  },
  cheaperAnalyst: async (id, { values }) =>
    (await import('../hosted.ts')).cheaperAnalyst(models.analyst, {
      id,
      own: openaiUrl,
      baseUrl: values.openai_base_url,
    }),
  check(settings, { sources }) {
    const { openai_api_key: key, openai_base_url: baseUrl } = settings.values;
    if (key !== undefined && usesOpenai(settings))
      return {
        kind: 'reach',
        name: `openai (key from ${sources['openai_api_key']})`,
        address: baseUrl ?? new URL(openaiUrl).origin,
      };
    if (baseUrl !== undefined) return null;
    return { kind: 'off', name: 'openai', found: 'no key', remedy: `Set ${variable} to use its models.` };
  },
});
