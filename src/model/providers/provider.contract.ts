/** What every provider must do, and every model that it opens. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSondeError, manualClock, systemClock } from '../../core/index.ts';
import { openLoopback } from '../loopback.contract.ts';
import { modelContract, type Subject } from '../model.contract.ts';
import type { Model } from '../model.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';
import type { NamedModel, Provider } from './provider.ts';

/** Settings and ports of a configured provider, with control over its model's replies. */
export interface ReadyProvider extends Omit<Subject, 'model'> {
  /** Values by the names of settings; keys are plain texts here. */
  readonly values?: Readonly<Record<string, string>>;
  readonly agents?: true;
  readonly ports?: Partial<ModelPorts>;
}

const key = 'sk-conformance-0123456789';

/** Hides keys, as the configuration does. */
const hideKeys = (values: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      /_(api_key|token|login)$/.test(name) ? { reveal: () => value, toJSON: () => '(hidden)' } : value,
    ]),
  );

const noPorts: ModelPorts = {
  fetch: async () => {
    throw new Error('nothing is there');
  },
  clock: manualClock(0),
  env: {},
  which: () => undefined,
  readFile: (path) => {
    throw new Error(`no such file: ${path}`);
  },
};

type Settings = Parameters<Provider['open']>[1];

const toSettings = ({ values = {}, agents }: Pick<ReadyProvider, 'values' | 'agents'>): Settings =>
  ({ values: hideKeys(values), ...(agents && { agents }) }) satisfies ModelSettings<object> as Settings;

const toPorts = ({ ports }: ReadyProvider): ModelPorts => ({
  ...noPorts,
  fetch: globalThis.fetch,
  clock: systemClock,
  ...ports,
});

const openModel = (provider: Provider, ready: ReadyProvider): Promise<Model> =>
  provider.open(toNamedModel(provider), toSettings(ready), toPorts(ready));

/** Names a model of the provider if its form has one, else the provider. */
const toNamedModel = ({ name, form }: Provider): NamedModel => {
  const id = form.includes(':') ? 'some-model' : undefined;
  return { written: id === undefined ? name : `${name}:${id}`, id, tier: 'planner' };
};

/** Tests the provider alone. For providers whose models are tested elsewhere. */
export function providerFacts(provider: Provider, open: () => ReadyProvider | Promise<ReadyProvider>): void {
  describe(`${provider.name} keeps the contract of a provider:`, () => {
    let ready: ReadyProvider;
    beforeEach(async () => {
      ready = await open();
    });
    afterEach(() => ready.close());
    const nothing = toSettings({});
    const facts = () => ({
      which: toPorts(ready).which,
      sources: Object.fromEntries(Object.keys(provider.settings).map((name) => [name, 'a test'])),
    });

    it('is written as its form says', () => {
      expect(provider.form).toMatch(new RegExp(`^${provider.name}(:[A-Z]+|\\[:MODEL\\])?$`));
      expect(provider.meaning).toMatch(/^[a-z].*[^.]$/);
      expect(provider.bare?.test(provider.name) ?? false).toBe(false);
    });

    it('is taken by auto where it is configured, and nowhere else', () => {
      const why = provider.whyAuto(toSettings(ready), toPorts(ready));
      expect(why === null).toBe(provider.autoOrder === null);
      expect(provider.whyAuto(nothing, noPorts)).toBeNull();
    });

    it('says what is missing', async () => {
      const named = { written: provider.name, id: undefined, tier: 'planner' } as const;
      const opened = await provider.open(named, nothing, noPorts).catch((thrown: unknown) => thrown);
      if (!(opened instanceof Error)) return expect(opened).toHaveProperty('generate');
      expect(isSondeError(opened, 'model_config') && opened.remedy).toMatch(/^[A-Z].*\.$/);
    });

    it('tells doctor how it stands', () => {
      const [stands, alone] = [toSettings(ready), nothing].map(
        (each) => provider.check?.(each, facts()) ?? null,
      );
      if (Object.keys(provider.settings).length > 0) expect(stands?.kind).toBe('reach');
      if (alone?.kind === 'off') expect(alone.remedy).toMatch(/^[A-Z].*\.$/);
    });

    it('keeps its keys to itself', async () => {
      const shown = JSON.stringify([
        provider.whyAuto(toSettings(ready), toPorts(ready)),
        provider.check?.(toSettings(ready), facts()),
        await openModel(provider, ready),
      ]);
      for (const value of Object.values(ready.values ?? {}))
        if (value === key) expect(shown).not.toContain(value);
    });
  });
}

export function providerContract(
  provider: Provider,
  open: () => ReadyProvider | Promise<ReadyProvider>,
): void {
  providerFacts(provider, open);
  modelContract(provider.name, async () => {
    const ready = await open();
    return { ...ready, model: await openModel(provider, ready) };
  });
}

/**
 * Opens a provider behind an address: a server that speaks the three wires. `keySetting`: the setting of its key, if it
 * needs one.
 */
export async function openServedProvider(
  addressSetting: string,
  keySetting?: string,
): Promise<ReadyProvider> {
  const server = await openLoopback();
  return {
    values: {
      [addressSetting]: `${server.origin}/v1`,
      ...(keySetting !== undefined && { [keySetting]: key }),
    },
    answer: (text) => server.behave({ kind: 'text', text }),
    hang: () => server.behave({ kind: 'hang' }),
    wasAsked: () => server.requests.length > 0,
    close: () => server.close(),
  };
}
