export { type Directories, databaseFile, directories, userConfigFile } from './directories.ts';
export { debugWanted, type Environment, environmentRedactor, processEnvironment } from './environment.ts';
export { type Configuration, loadConfiguration, type Sources, type Values } from './load.ts';
export { hidden, type Secret } from './secret.ts';
export { defaultOf, type Facts, factsOf, type SettingKey, settingKeys } from './settings.ts';
export { formatDuration } from './values.ts';
