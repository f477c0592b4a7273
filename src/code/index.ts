export { textualDefinitions } from './definitions.ts';
export { gitVersion } from './git.ts';
export { gitCommands } from './git-commands.ts';
export { gitHistory } from './git-history.ts';
export { ripgrep } from './grep.ts';
export { maskedGrep, maskedPast, maskedText } from './masked.ts';
export { gitPast } from './past.ts';
export { treeReader } from './tree-reader.ts';
export { type VerifiedLine, verifyLines } from './verify-lines.ts';
