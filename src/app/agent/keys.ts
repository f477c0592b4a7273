/**
 * Which process holds which key, where host and agent are two. The host: that of the search's own model, and the token
 * of those who send alerts. The agent: all others, since it alone asks models, and looks at the systems of an incident.
 */
import { factsOf, type SettingKey, settingKeys } from '../config/index.ts';

export const keysOfHost: readonly SettingKey[] = ['embeddings_api_key', 'alerts_token'];

export const keysOfAgent: readonly SettingKey[] = settingKeys.filter(
  (key) => factsOf(key).secret === true && !keysOfHost.includes(key),
);

/** The variables by which they can be given. */
export const variablesOf = (keys: readonly SettingKey[]): readonly string[] =>
  keys.flatMap((key) => factsOf(key).env.flatMap((name) => [name, `${name}_FILE`]));
