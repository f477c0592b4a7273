export { commitFiles } from './commit-files.ts';
export { definitionUnits } from './definition-units.ts';
export { textualDefinitions } from './definitions.ts';
export { keptFacts } from './facts/kept.ts';
export { gitVersion } from './git.ts';
export { gitCommands } from './git-commands.ts';
export { gitHistory } from './git-history.ts';
export { ripgrep } from './grep.ts';
export { searchByGrep } from './grep-search.ts';
export { checkShownClaim, maskedGrep, maskedPast, maskedText } from './masked.ts';
export { nameFinder } from './name-finder.ts';
export { gitPast } from './past.ts';
export { rememberedTexts } from './remembered-texts.ts';
export { repositoryStamp } from './repository-stamp.ts';
export {
  type LanguageServers,
  languageServers,
  type ServerLanguage,
  serverLanguages,
} from './servers/index.ts';
export { symbolReader } from './symbol-reader.ts';
export { type SyntaxReader, syntaxReader } from './syntax/reader.ts';
export { trackedAside } from './tracked-aside.ts';
export { trackedPaths } from './tracked-paths.ts';
export { treeReader } from './tree-reader.ts';
export { type VerifiedLine, type VerifyReader, verifyLines } from './verify-lines.ts';
export { wordFiles } from './word-files.ts';
export { wordIndex } from './word-index.ts';
