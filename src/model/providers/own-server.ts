/** A server that a user runs, which speaks Chat Completions: Ollama, LM Studio, vLLM. */
import type { DeclaredSetting } from '../../core/index.ts';
import { defineProvider, type Provider } from './provider.ts';

export interface OwnServer {
  readonly name: string;
  readonly rank: number;
  /** The setting of its address, and what that says. */
  readonly setting: string;
  readonly address: DeclaredSetting<'address'> | DeclaredSetting<'host'>;
  /** The address where it listens by default, with its `/v1`. */
  readonly usual: string;
  /** The address with its `/v1`, of what the setting holds. */
  readonly addressOf?: (value: string) => string;
  /** How a user sees which models are there. */
  readonly howToList?: string;
}

export function ownServer(server: OwnServer): Provider {
  const { name, rank, setting, address, usual, addressOf = (value) => value, howToList } = server;
  const addressIn = ({ values }: { values: Readonly<Record<string, string | undefined>> }) => {
    const value = values[setting];
    return value === undefined ? undefined : addressOf(value);
  };
  return defineProvider<Readonly<Record<string, typeof address>>>({
    name,
    form: `${name}:MODEL`,
    meaning: 'a server on this machine, or where its address points',
    autoOrder: rank,
    settings: { [setting]: address },
    whyAuto: (settings) => (addressIn(settings) === undefined ? null : `the address of ${name} is set`),
    async open({ id }, settings, ports) {
      const [{ openaiCompatibleModel }, { connectionTo, findFirstServed }] = await Promise.all([
        import('./openai-compatible/openai-compatible.ts'),
        import('./hosted.ts'),
      ]);
      const baseUrl = addressIn(settings) ?? usual;
      const connection = connectionTo(
        { baseUrl, free: true, ...(howToList && { howToList }) },
        settings,
        ports,
      );
      return openaiCompatibleModel(name, id ?? (await findFirstServed(name, connection)), connection);
    },
    check(settings) {
      const found = addressIn(settings);
      return found === undefined ? null : { kind: 'reach', name, address: found };
    },
  });
}
