/** A server that a user runs, which speaks Chat Completions: Ollama, LM Studio, vLLM. */
import type { DeclaredSetting } from '../../core/index.ts';
import { defineProvider, type Provider } from './provider.ts';

export interface OwnServer {
  readonly name: string;
  readonly rank: number;
  /** The name of the setting for its address. */
  readonly setting: string;
  readonly address: DeclaredSetting<'address'> | DeclaredSetting<'host'>;
  /** The address where it listens by default, with its `/v1`. */
  readonly defaultUrl: string;
  /** Converts the value of the setting to an address with its `/v1`. */
  readonly toAddress?: (value: string) => string;
  /** Tells the user how to list the models. */
  readonly howToList?: string;
}

export function ownServer(server: OwnServer): Provider {
  const { name, rank, setting, address, defaultUrl, toAddress = (value) => value, howToList } = server;
  const readAddress = ({ values }: { values: Readonly<Record<string, string | undefined>> }) => {
    const value = values[setting];
    return value === undefined ? undefined : toAddress(value);
  };
  return defineProvider<Readonly<Record<string, typeof address>>>({
    name,
    form: `${name}:MODEL`,
    meaning: 'a server on this machine, or where its address points',
    autoOrder: rank,
    settings: { [setting]: address },
    whyAuto: (settings) => (readAddress(settings) === undefined ? null : `the address of ${name} is set`),
    async open({ id }, settings, ports) {
      const [{ openaiCompatibleModel }, { createConnection, findFirstServed }] = await Promise.all([
        import('./openai-compatible/openai-compatible.ts'),
        import('./hosted.ts'),
      ]);
      const baseUrl = readAddress(settings) ?? defaultUrl;
      const connection = createConnection(
        { baseUrl, free: true, ...(howToList && { howToList }) },
        settings,
        ports,
      );
      return openaiCompatibleModel(name, id ?? (await findFirstServed(name, connection)), connection);
    },
    check(settings) {
      const found = readAddress(settings);
      return found === undefined ? null : { kind: 'reach', name, address: found };
    },
  });
}
