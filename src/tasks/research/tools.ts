/** The actions of a research as the tools of a dialogue. */
import type { DialogueTool } from '../../model/index.ts';
import { toolParameters } from '../tool-parameters.ts';
import type { Action } from './actions/action.ts';

export function toolsOf(actions: readonly Action[]): readonly DialogueTool[] {
  return actions.map(({ name, about, input }) => ({
    name,
    description: about,
    parameters: toolParameters(input),
  }));
}
