/** The entries over code as tools of the host. */

import { codeEntries } from '../../catalogue/code/code-entries.ts';
import { type CodeContext, type CodePorts, createScope, type Entry } from '../../catalogue/index.ts';
import type { Tool } from '../../core/index.ts';
import { toTool } from '../to-tool.ts';
import { createCollector, maxLines, requireInside } from './spans.ts';

/** All ports, limited to one folder. If there is no history, its port says so in its replies. */
export type CodeMaterial = Required<Omit<CodePorts, 'paths' | 'symbols'>> & Pick<CodePorts, 'symbols'>;

const wholeScope = createScope(undefined);

/** `material` is called with each call of a tool. */
export const codeTools = (material: () => Promise<CodePorts>): readonly Tool[] =>
  codeEntries.map((entry) => codeTool(entry, material));

export const codeTool = (
  entry: Entry<CodeContext>,
  material: () => Promise<CodePorts>,
  // The host also has tools for pages, so the descriptions must say that these tools are about code.
  about = 'Over the files of the code base.',
): Tool =>
  toTool(
    entry,
    async ({ signal }): Promise<CodeContext> => {
      const ports = await material();
      return {
        ports,
        scope: wholeScope,
        pieces: entry.pieces?.tool ?? 0,
        pieceLines: maxLines,
        held: [],
        ...(signal && { signal }),
        path: (path, within) => requireInside(path, within.text),
        collect: createCollector(ports.text),
      };
    },
    about,
  );
