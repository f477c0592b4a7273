/** What every provider of models must do, and through it every model that it opens. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSondeError, manualClock, systemClock } from '../../core/index.ts';
import { loopback } from '../loopback.contract.ts';
import { modelContract, type Subject } from '../model.contract.ts';
import type { Model } from '../model.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';
import type { NamedModel, Provider } from './provider.ts';

/** Settings and ports with which the provider is ready, and a hand on what its model answers. */
export interface Ready extends Omit<Subject, 'model'> {
  /** By the names of settings; keys as texts. */
  readonly values?: Readonly<Record<string, string>>;
  readonly agents?: true;
  readonly ports?: Partial<ModelPorts>;
}

const key = 'sk-conformance-0123456789';

/** Values as the configuration gives them: keys behind a wall. */
const asConfigured = (values: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> =>
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

const settingsOf = ({ values = {}, agents }: Pick<Ready, 'values' | 'agents'>): Settings =>
  ({ values: asConfigured(values), ...(agents && { agents }) }) satisfies ModelSettings<object> as Settings;

const portsOf = ({ ports }: Ready): ModelPorts => ({
  ...noPorts,
  fetch: globalThis.fetch,
  clock: systemClock,
  ...ports,
});

const openIn = (provider: Provider, ready: Ready): Promise<Model> =>
  provider.open(namedBy(provider), settingsOf(ready), portsOf(ready));

/** The provider and a model of it, where its form has a model. */
const namedBy = ({ name, form }: Provider): NamedModel => {
  const id = form.includes(':') ? 'some-model' : undefined;
  return { written: id === undefined ? name : `${name}:${id}`, id, tier: 'planner' };
};

/** Of the provider alone, for one whose models are held to the contract of models elsewhere. */
export function providerFacts(provider: Provider, open: () => Ready | Promise<Ready>): void {
  describe(`${provider.name} keeps the contract of a provider:`, () => {
    let ready: Ready;
    beforeEach(async () => {
      ready = await open();
    });
    afterEach(() => ready.close());
    const nothing = settingsOf({});
    const facts = () => ({
      which: portsOf(ready).which,
      sources: Object.fromEntries(Object.keys(provider.settings).map((name) => [name, 'a test'])),
    });

    it('is written as its form says', () => {
      expect(provider.form).toMatch(new RegExp(`^${provider.name}(:[A-Z]+|\\[:MODEL\\])?$`));
      expect(provider.meaning).toMatch(/^[a-z].*[^.]$/);
      expect(provider.bare?.test(provider.name) ?? false).toBe(false);
    });

    it('is taken by auto where it is configured, and nowhere else', () => {
      const why = provider.whyAuto(settingsOf(ready), portsOf(ready));
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
      const [stands, alone] = [settingsOf(ready), nothing].map(
        (each) => provider.check?.(each, facts()) ?? null,
      );
      if (Object.keys(provider.settings).length > 0) expect(stands?.kind).toBe('reach');
      if (alone?.kind === 'off') expect(alone.remedy).toMatch(/^[A-Z].*\.$/);
    });

    it('keeps its keys to itself', async () => {
      const shown = JSON.stringify([
        provider.whyAuto(settingsOf(ready), portsOf(ready)),
        provider.check?.(settingsOf(ready), facts()),
        await openIn(provider, ready),
      ]);
      for (const value of Object.values(ready.values ?? {}))
        if (value === key) expect(shown).not.toContain(value);
    });
  });
}

export function providerContract(provider: Provider, open: () => Ready | Promise<Ready>): void {
  providerFacts(provider, open);
  modelContract(provider.name, async () => {
    const ready = await open();
    return { ...ready, model: await openIn(provider, ready) };
  });
}

/** A provider behind an address: a server that speaks the three wires. `keySetting` where it wants a key. */
export async function servedAt(addressSetting: string, keySetting?: string): Promise<Ready> {
  const server = await loopback();
  return {
    values: {
      [addressSetting]: `${server.origin}/v1`,
      ...(keySetting !== undefined && { [keySetting]: key }),
    },
    answer: (text) => server.behave({ kind: 'text', text }),
    hang: () => server.behave({ kind: 'hang' }),
    asked: () => server.requests.length > 0,
    close: () => server.close(),
  };
}
