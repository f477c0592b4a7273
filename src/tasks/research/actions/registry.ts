/** Every action there is. To add one: its own file, and its line here. */
import type { Material } from '../material.ts';
import type { Action } from './action.ts';
import { finalize } from './finalize.ts';
import { findDefinition } from './find-definition.ts';
import { gitBlame } from './git-blame.ts';
import { gitLog } from './git-log.ts';
import { gitPickaxe } from './git-pickaxe.ts';
import { grep } from './grep.ts';
import { hybridSearch } from './hybrid-search.ts';
import { openSpan } from './open-span.ts';
import { summarizeEvidence } from './summarize-evidence.ts';

const actions: readonly Action[] = [
  hybridSearch,
  openSpan,
  grep,
  findDefinition,
  gitLog,
  gitBlame,
  gitPickaxe,
  summarizeEvidence,
  finalize,
];

/** The actions that this material can serve. */
export function actionsFor(material: Material): readonly Action[] {
  return actions.filter((action) => action.available(material));
}
