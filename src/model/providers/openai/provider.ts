import { addressSetting, keySetting } from '../../../core/setting.ts';
import { openaiUrl, originOf } from '../../connection.ts';
import { defineProvider, type SettingsOf } from '../provider.ts';

const variable = 'OPENAI_API_KEY';
const models = { planner: 'gpt-6.1-sol', analyst: 'gpt-6.1-terra' };
const bare = /^(gpt-|o\d)/;

/** Two providers read them: a key that is given with an address belongs to the server there. */
export const openaiSettings = {
  openai_api_key: keySetting('OpenAI, or for the server at openai_base_url where that is set', variable),
  openai_base_url: addressSetting(
    'Address of a server that speaks the OpenAI interface, with its /v1. The OpenAI key then goes there.',
    'OPENAI_BASE_URL',
  ),
};

type Settings = SettingsOf<typeof openaiSettings>;

/** The address that was set, where it is not OpenAI's own. */
export function otherAddress({ values: { openai_base_url: set } }: Settings): string | undefined {
  return set === undefined || originOf(set) === originOf(openaiUrl) ? undefined : set;
}

/** Whether the user said by a name that OpenAI's own form is spoken at his address. */
const isNamed = ({ model, planner, analyst }: Settings): boolean =>
  [model, planner, analyst].some(
    (name) => name !== undefined && (/^openai(:|$)/.test(name) || bare.test(name)),
  );

const isMeant = (settings: Settings): boolean => otherAddress(settings) === undefined || isNamed(settings);

export const provider = defineProvider({
  name: 'openai',
  form: 'openai[:MODEL]',
  meaning: 'the OpenAI API; a bare gpt-... means the same',
  bare,
  autoOrder: 20,
  settings: openaiSettings,
  whyAuto: (settings) =>
    settings.values.openai_api_key !== undefined && isMeant(settings) ? `${variable} is set` : null,
  async open({ written, id, tier }, settings, ports) {
    const [{ openaiModel }, { connectionTo, needKey }] = await Promise.all([
      import('./openai.ts'),
      import('../hosted.ts'),
    ]);
    const { openai_api_key, openai_base_url: baseUrl = openaiUrl } = settings.values;
    const key = needKey(openai_api_key, written, variable);
    const connection = connectionTo({ baseUrl, key, keySetting: variable }, settings, ports);
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
    if (key !== undefined && isMeant(settings))
      return {
        kind: 'reach',
        name: `openai (key from ${sources['openai_api_key']})`,
        address: baseUrl ?? new URL(openaiUrl).origin,
      };
    if (baseUrl !== undefined) return null;
    return { kind: 'off', name: 'openai', found: 'no key', remedy: `Set ${variable} to use its models.` };
  },
});
