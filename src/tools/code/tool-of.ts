/** An entry of the catalogue as a tool: the same ability, in the form that MCP and conversations have. */
import { type CodePorts, type Entry, scopeOf } from '../../catalogue/index.ts';
import { type Tool, toolFailure, toolReply } from '../../core/index.ts';
import { readTool, writeTool } from '../define.ts';
import { collector, maxLines, pathWithin, spanText } from './spans.ts';

const everywhere = scopeOf(undefined);

export function toolOf(entry: Entry<CodePorts>, open: () => Promise<CodePorts>): Tool {
  const { name, description, parameters, capability, cost, effect, pieces } = entry;
  const define = effect === 'read' ? readTool : writeTool;
  return define({
    name,
    // Beside the tools for pages it has to be said what is looked at.
    description: `${description} Over the files of the code base.`,
    input: parameters.shape,
    capability,
    cost,
    async run(args, { signal }) {
      const ports = await open();
      const found = await entry.run(args, {
        ports,
        scope: everywhere,
        pieces: pieces.tool,
        pieceLines: maxLines,
        held: [],
        ...(signal && { signal }),
        path: (given, within) => pathWithin(given, within.text),
        collect: collector(ports.text),
      });
      if (found.kind === 'failed')
        return toolFailure('validation', found.message, { details: { tool: name } });
      const { lines, nothing, evidence, data, reads, completeness, notes } = found;
      const text = lines.length > 0 ? lines.join('\n') : evidence.map(spanText).join('\n\n');
      return toolReply(text || nothing, data, { evidence, reads, completeness, notes });
    },
  });
}
