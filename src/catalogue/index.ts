export { count, listing, lowered } from './bounds.ts';
export { codeEntries } from './code/code-entries.ts';
export type { CodePorts } from './code/code-ports.ts';
export type { Collected, Entry, EntryContext, EntryResult, Find } from './entry.ts';
export { type Scope, scopeOf } from './scope.ts';
