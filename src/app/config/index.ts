export { type Directories, databaseFile, directories, userConfigFile, workspaceFile } from './directories.ts';
export {
  type Environment,
  editorOf,
  environmentRedactor,
  environmentSecrets,
  processEnvironment,
  splitEnvironment,
  thisUser,
  userName,
  wantsDebug,
} from './environment.ts';
export { readConfigFile, readSecretFile } from './files.ts';
export { type Configuration, isTrusted, loadConfiguration, storeAddress, type Values } from './load.ts';
export type { Secret } from './secret.ts';
export {
  formatDefault,
  parseSetting,
  type SettingKey,
  type SettingValues,
  settingKeys,
  specOf,
} from './settings.ts';
export { formatDuration, parseDuration } from './values.ts';
