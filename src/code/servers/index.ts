export type { ServerPlace } from './answers.ts';
export { languageServers, type ServerWishes } from './language-servers.ts';
export {
  documentLanguage,
  profiles,
  type ServerLanguage,
  serverLanguage,
  serverLanguages,
} from './profiles.ts';
export { programOf } from './programs.ts';
export type { LanguageServers } from './server.ts';
