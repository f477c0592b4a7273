/** Every action there is: the abilities of the catalogue, and what concerns the run itself. */
import { plannedEntries } from '../../../catalogue/index.ts';
import { SondeError } from '../../../core/index.ts';
import type { Material } from '../material.ts';
import type { Action } from './action.ts';
import { actionOf } from './action-of.ts';
import { dropEvidence } from './drop-evidence.ts';
import { finalize } from './finalize.ts';
import { lookAround } from './look-around.ts';
import { searchDefinitions } from './search-definitions.ts';
import { summarizeEvidence } from './summarize-evidence.ts';

const actions: readonly Action[] = [
  ...plannedEntries.map(actionOf),
  searchDefinitions,
  lookAround,
  summarizeEvidence,
  dropEvidence,
  finalize,
];

/** The actions that this material can serve. Throws `bad_argument` for a tool whose name is taken. */
export function actionsFor(material: Material): readonly Action[] {
  const brought = (material.tools ?? []).map(actionOf);
  const taken = brought.find(({ name }, at) =>
    [...actions, ...brought.slice(0, at)].some((other) => other.name === name),
  );
  if (taken !== undefined)
    throw new SondeError('bad_argument', {
      message: `There are two tools of the name ${taken.name}`,
      remedy: 'Give yours another name.',
    });
  return [...actions, ...brought].filter((action) => action.available(material));
}
