import { addressSetting, keySetting } from '../../../core/setting.ts';
import { defineProvider } from '../provider.ts';

const variable = 'ANTHROPIC_API_KEY';
const defaultUrl = 'https://api.anthropic.com/v1';
const models = { planner: 'claude-sonnet-5-5', analyst: 'claude-haiku-5-5' };

export const provider = defineProvider({
  name: 'anthropic',
  form: 'anthropic[:MODEL]',
  meaning: 'the Anthropic API; a bare claude-... means the same',
  bare: /^claude-(?!cli$)/,
  autoOrder: 10,
  settings: {
    anthropic_api_key: keySetting('Anthropic', variable),
    anthropic_base_url: addressSetting(
      'Address of the Anthropic interface, where it is not the usual one.',
      'ANTHROPIC_BASE_URL',
    ),
  },
  whyAuto: ({ values }) => (values.anthropic_api_key === undefined ? null : `${variable} is set`),
  async open({ written, id, tier }, settings, ports) {
    const [{ anthropicModel }, { createConnection, requireKey }] = await Promise.all([
      import('./anthropic.ts'),
      import('../hosted.ts'),
    ]);
    const { anthropic_api_key, anthropic_base_url: baseUrl = defaultUrl } = settings.values;
    const key = requireKey(anthropic_api_key, written, variable);
    const connection = createConnection({ baseUrl, key, keySetting: variable }, settings, ports);
    return anthropicModel(id ?? models[tier], connection);
  },
  cheaperAnalyst: async (id, { values }) =>
    (await import('../hosted.ts')).cheaperAnalyst(models.analyst, {
      id,
      own: defaultUrl,
      baseUrl: values.anthropic_base_url,
    }),
  check: ({ values }, { sources }) =>
    values.anthropic_api_key === undefined
      ? {
          kind: 'off',
          name: 'anthropic',
          found: 'no key',
          remedy: `Set ${variable} to use its models.`,
        }
      : {
          kind: 'reach',
          name: `anthropic (key from ${sources['anthropic_api_key']})`,
          address: values.anthropic_base_url ?? new URL(defaultUrl).origin,
        },
});
