export { type Directories, databaseFile, directories, workspaceFile } from './directories.ts';
export {
  type Environment,
  editorOf,
  environmentRedactor,
  environmentSecrets,
  handOverKeys,
  processEnvironment,
  wantsDebug,
} from './environment.ts';
export { readSecretFile } from './files.ts';
export { type Configuration, isTrusted, loadConfiguration, type Values } from './load.ts';
export type { Secret } from './secret.ts';
export { defaultOf, factsOf, type SettingKey, type SettingValues, settingKeys } from './settings.ts';
export { formatDuration, parseDuration } from './values.ts';
