/** All abilities over code. A new ability needs its own file and a line here. */
import type { Entry } from '../entry.ts';
import type { CodeContext } from './code-ports.ts';
import { expandSymbol } from './expand-symbol.ts';
import { findDefinition } from './find-definition.ts';
import { findImpact } from './find-impact.ts';
import { findReferences } from './find-references.ts';
import { gitBlame } from './git-blame.ts';
import { gitLog } from './git-log.ts';
import { gitPickaxe } from './git-pickaxe.ts';
import { gitShow } from './git-show.ts';
import { grep } from './grep.ts';
import { hover } from './hover.ts';
import { hybridSearch } from './hybrid-search.ts';
import { listTree } from './list-tree.ts';
import { openSpan } from './open-span.ts';
import { outline } from './outline.ts';
import { tracePath } from './trace-path.ts';

/** A planner is offered all of them in each of its calls, so that their descriptions are paid for each time. */
export const codeEntries: readonly Entry<CodeContext>[] = [
  hybridSearch,
  openSpan,
  grep,
  findDefinition,
  findReferences,
  findImpact,
  outline,
  gitLog,
  gitBlame,
  gitPickaxe,
  gitShow,
  tracePath,
  expandSymbol,
  listTree,
  hover,
];

/** The entries that only read files and need no index: commands and MCP clients call them directly. */
export const lookupEntries = (): readonly Entry<CodeContext>[] => [...symbolEntries, findDefinition, gitShow];

/** Entries that take the name of a definition. */
export const symbolEntries: readonly Entry<CodeContext>[] = [
  outline,
  findReferences,
  findImpact,
  tracePath,
  hover,
  listTree,
  expandSymbol,
];
