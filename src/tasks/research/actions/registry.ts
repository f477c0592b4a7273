/** Every action there is: the abilities of the catalogue, and what concerns the run itself. */
import { codeEntries } from '../../../catalogue/index.ts';
import type { Material } from '../material.ts';
import type { Action } from './action.ts';
import { actionOf } from './action-of.ts';
import { dropEvidence } from './drop-evidence.ts';
import { finalize } from './finalize.ts';
import { searchDefinitions } from './search-definitions.ts';
import { summarizeEvidence } from './summarize-evidence.ts';

const actions: readonly Action[] = [
  ...codeEntries.map(actionOf),
  searchDefinitions,
  summarizeEvidence,
  dropEvidence,
  finalize,
];

/** The actions that this material can serve. */
export function actionsFor(material: Material): readonly Action[] {
  return actions.filter((action) => action.available(material));
}
