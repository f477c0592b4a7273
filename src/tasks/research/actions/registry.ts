/** All actions: the abilities of the catalogue, and those about the run itself. */

import { codeEntries } from '../../../catalogue/code/code-entries.ts';
import { checkNames } from '../../../catalogue/index.ts';
import type { Material } from '../material/material.ts';
import type { Action } from './action.ts';
import { actionOf } from './action-of.ts';
import { dropEvidence } from './drop-evidence.ts';
import { finalize } from './finalize.ts';
import { lookAround } from './look-around.ts';
import { rerankDefinitions, searchDefinitions } from './search-definitions.ts';
import { summarizeEvidence } from './summarize-evidence.ts';

const actions: readonly Action[] = [
  ...codeEntries.map(actionOf),
  searchDefinitions,
  rerankDefinitions,
  lookAround,
  summarizeEvidence,
  dropEvidence,
  finalize,
];

/** The actions that this material can serve. Throws `bad_argument` for a tool whose name is taken. */
export function actionsFor(material: Material): readonly Action[] {
  const brought = (material.tools ?? []).map(actionOf);
  const all = [...actions, ...brought];
  if (brought.length > 0) checkNames(all);
  return all.filter((action) => action.available(material));
}
