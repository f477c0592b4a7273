/** All actions: the entries of the catalogue, and the actions on the run's own evidence and answer. */

import { codeEntries } from '../../../catalogue/code/code-entries.ts';
import { checkNames } from '../../../catalogue/index.ts';
import type { Material } from '../material/material.ts';
import type { Action } from './action.ts';
import { toAction } from './action-of.ts';
import { dropEvidence } from './drop-evidence.ts';
import { finalize } from './finalize.ts';
import { lookAround } from './look-around.ts';
import { rerankDefinitions, searchDefinitions } from './search-definitions.ts';
import { summarizeEvidence } from './summarize-evidence.ts';

const actions: readonly Action[] = [
  ...codeEntries.map(toAction),
  searchDefinitions,
  rerankDefinitions,
  lookAround,
  summarizeEvidence,
  dropEvidence,
  finalize,
];

/**
 * The actions that this material supports. Throws `bad_argument` if a tool of the program has the name of an action.
 */
export function actionsFor(material: Material): readonly Action[] {
  const programTools = (material.tools ?? []).map(toAction);
  const allActions = [...actions, ...programTools];
  if (programTools.length > 0) checkNames(allActions);
  return allActions.filter((action) => action.available(material));
}
