/**
 * Divides the keys between host and agent when they are two processes. The host holds the key of the embedding model and
 * the token of those who send alerts. The agent holds all others, since only it asks models and reads the systems of an
 * incident. Both have the address of a shared store, and the token of the collector of traces.
 */
import { type Environment, type SettingKey, settingKeys, specOf, splitEnvironment } from '../config/index.ts';

export const keysOfHost: readonly SettingKey[] = ['embeddings_api_key', 'alerts_token'];

const keysOfBoth: readonly SettingKey[] = ['store_url', 'traces_token'];

export const keysOfAgent: readonly SettingKey[] = settingKeys.filter(
  (key) => specOf(key).secret === true && !keysOfHost.includes(key) && !keysOfBoth.includes(key),
);

/**
 * The environment for processes that use the agent's keys. Removes these keys from this process, so call it once.
 */
export const splitOffAgentKeys = (): Environment =>
  splitEnvironment(listVariables(keysOfAgent), listVariables(keysOfHost));

/** Returns the environment for an agent's process: all variables except the keys of the host. */
export function withoutHostKeys(environment: Environment): Environment {
  const hostVariables = new Set(listVariables(keysOfHost));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hostVariables.has(name)));
}

/** The names of the environment variables that set these keys. */
const listVariables = (keys: readonly SettingKey[]): readonly string[] =>
  keys.flatMap((key) => specOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
