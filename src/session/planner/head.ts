/** The fixed beginning of a conversation's prompt: the planner's identity and its tools. */
import { firewall } from '../../core/index.ts';
import { fillPrompt, type Head, promptFile } from '../../model/index.ts';
import type { ToolListing } from '../../tools/index.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { plannerTools } from './own-tools.ts';

const system = fillPrompt(promptFile(new URL('./planner.md', import.meta.url)), { firewall });

export function headOf(listed: readonly ToolListing[], dispatcher: Dispatcher | undefined): Head {
  return { system, tools: plannerTools(listed, dispatcher) };
}
