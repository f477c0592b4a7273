/**
 * A provider to copy: a service with a key that speaks Chat Completions, as most do. A provider with its own wire format gets a file
 * beside this one that makes a `Model` (`../anthropic` by a package of the AI SDK, `../claude-cli` by a program), and
 * loads it in `open`. A service that is on the user's own machine is shorter still: see `../vllm`.
 *
 * Copy the folder, rename, run `npm run docs`, and no other file changes. Prices of models go to `known-models.ts`, for
 * those that want them there; a model without a price is counted at the dearest of the table.
 */
import { addressSetting, keySetting } from '../../../core/setting.ts';
import { defineProvider } from '../provider.ts';

const name = 'template';
const variable = 'TEMPLATE_API_KEY';
const defaultUrl = 'https://api.template.example/v1';
const models = { planner: 'template-large', analyst: 'template-small' };

export const provider = defineProvider({
  name,
  form: `${name}[:MODEL]`,
  meaning: 'a service that does not exist',
  autoOrder: 100,
  settings: {
    template_api_key: keySetting('a service that does not exist', variable),
    template_base_url: addressSetting(
      'Address of a service that does not exist, where it is not the usual one.',
      'TEMPLATE_BASE_URL',
    ),
  },
  whyAuto: ({ values }) => (values.template_api_key === undefined ? null : `${variable} is set`),
  async open({ written, id, tier }, settings, ports) {
    const [{ openaiCompatibleModel }, { createConnection, requireKey }] = await Promise.all([
      import('../openai-compatible/openai-compatible.ts'),
      import('../hosted.ts'),
    ]);
    const { template_api_key, template_base_url: baseUrl = defaultUrl } = settings.values;
    const key = requireKey(template_api_key, written, variable);
    const connection = createConnection({ baseUrl, key, keySetting: variable }, settings, ports);
    return openaiCompatibleModel(name, id ?? models[tier], connection);
  },
  check: ({ values }, { sources }) =>
    values.template_api_key === undefined
      ? { kind: 'off', name, found: 'no key', remedy: `Set ${variable} to use its models.` }
      : {
          kind: 'reach',
          name: `${name} (key from ${sources['template_api_key']})`,
          address: values.template_base_url ?? new URL(defaultUrl).origin,
        },
});
