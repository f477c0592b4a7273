/** Tools about the host itself: its tools, the caller, and the rest of a cut result. */
import { z } from 'zod';
import { forPrograms, type Tool, toolFailure, toolReply } from '../core/index.ts';
import { takeBytes } from './cut-result.ts';
import { readTool } from './define.ts';
import { type KeptResults, resultParts } from './kept-results.ts';
import type { ToolHost } from './tools.ts';

/** Bytes of one reply of `read_result`. Even as JSON within JSON it is smaller than the maximum of a result. */
const sliceBytes = 64 * 1024;

export function controlTools(
  listTools: () => readonly Tool[],
  workspace: ToolHost['workspace'],
  keptResults: KeptResults,
): readonly Tool[] {
  return [
    readTool({
      name: 'list_tools',
      forPrograms: true,
      description: 'The tools of this host, what each needs and costs, and whether you may use it.',
      input: {},
      capability: null,
      cost: 'under 1 ms; 3 KB',
      run(_, { capabilities }) {
        const tools = listTools().map(({ name, capability, effect, cost }) => ({
          name,
          effect,
          capability,
          allowed: capability === null || capabilities.has(capability),
          cost,
        }));
        const line = ({ name, effect, capability, allowed }: (typeof tools)[number]) =>
          `${name}: ${effect}, ${capability ?? 'no capability'}${allowed ? '' : ', not allowed'}`;
        return toolReply(tools.map(line).join('\n'), { tools });
      },
    }),
    readTool({
      name: 'list_scopes',
      forPrograms: true,
      description: 'Who you are to this host and which capabilities you hold.',
      input: {},
      capability: null,
      cost: 'under 1 ms',
      run(_, { caller, capabilities }) {
        const { kind, name, thread, channel } = caller;
        const granted = [...capabilities];
        return toolReply(`${kind} ${name}: ${granted.join(', ') || 'nothing'}`, {
          caller: { kind, name, thread, channel },
          capabilities: granted,
        });
      },
    }),
    readTool({
      name: 'current_workspace',
      forPrograms: true,
      description: 'The workspace that this host presents.',
      input: {},
      capability: null,
      cost: 'under 1 ms',
      run: () =>
        toolReply(
          workspace === null ? 'There is no workspace here.' : `${workspace.name} (${workspace.id})`,
          {
            workspace,
          },
        ),
    }),
    readTool({
      name: 'read_result',
      description: 'The rest of a result that was cut, kept for 15 minutes.',
      input: {
        result_id: z.string(),
        offset: z.int().min(0).default(0),
        part: z.enum(resultParts).default('text').meta(forPrograms),
      },
      capability: null,
      cost: 'under 1 ms; up to 64 KB',
      run({ result_id, offset, part }, { caller, capabilities }) {
        const wholeText = keptResults.read(result_id, part, caller, capabilities);
        if (wholeText === null)
          return toolFailure('validation', `there is no result ${result_id.slice(0, 40)}, or no longer`, {
            remedy: 'Call the tool again, and read the rest within 15 minutes.',
          });
        const { text, end } = takeBytes(wholeText, offset, sliceBytes);
        const next = end < wholeText.length ? end : null;
        return toolReply(
          text,
          { result_id, part, offset, next_offset: next, characters: wholeText.length },
          { completeness: next === null ? 'complete' : 'partial' },
        );
      },
    }),
  ];
}
