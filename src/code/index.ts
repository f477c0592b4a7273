export { type TextualDefinitionsOptions, textualDefinitions } from './definitions.ts';
export type { GitProgram } from './git.ts';
export { type GrepOptions, ripgrep } from './grep.ts';
export { gitPast, type PastOptions } from './past.ts';
export { type TreeReader, type TreeReaderOptions, treeReader } from './tree-reader.ts';
export { type VerifiedLine, type VerifyReader, verifyLines } from './verify-lines.ts';
