/** Every ability over code. To add one: its own file, and its line here. */
import type { Entry } from '../entry.ts';
import type { CodeContext } from './code-ports.ts';
import { findDefinition } from './find-definition.ts';
import { gitBlame } from './git-blame.ts';
import { gitLog } from './git-log.ts';
import { gitPickaxe } from './git-pickaxe.ts';
import { grep } from './grep.ts';
import { hybridSearch } from './hybrid-search.ts';
import { openSpan } from './open-span.ts';

export const codeEntries: readonly Entry<CodeContext>[] = [
  hybridSearch,
  openSpan,
  grep,
  findDefinition,
  gitLog,
  gitBlame,
  gitPickaxe,
];
