/**
 * Which process holds which key, where host and agent are two processes. The host: the key of the search's
 * model, and the token of those who send alerts. The agent: all others, since only it asks models and looks
 * at the systems of an incident. The address of a store that is shared is with both.
 */
import { type Environment, factsOf, handOverKeys, type SettingKey, settingKeys } from '../config/index.ts';

export const keysOfHost: readonly SettingKey[] = ['embeddings_api_key', 'alerts_token'];

export const keysOfAgent: readonly SettingKey[] = settingKeys.filter(
  (key) => factsOf(key).secret === true && !keysOfHost.includes(key) && key !== 'store_url',
);

/** The environment of the processes that hold the agent's keys; this one holds them no more. To be called once. */
export const agentEnvironment = (): Environment =>
  handOverKeys(variablesOf(keysOfAgent), variablesOf(keysOfHost));

/** The variables by which they can be given. */
const variablesOf = (keys: readonly SettingKey[]): readonly string[] =>
  keys.flatMap((key) => factsOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
