export type { ServerPlace } from './answers.ts';
export { languageServers } from './language-servers.ts';
export { serverLanguages } from './profiles.ts';
export type { LanguageServers } from './server.ts';
