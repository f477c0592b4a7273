/** The abilities over code as tools of the host. */

import { codeEntries } from '../../catalogue/code/code-entries.ts';
import { type CodeContext, type CodePorts, createScope, type Entry } from '../../catalogue/index.ts';
import type { Tool } from '../../core/index.ts';
import { toolOf } from '../tool-of.ts';
import { collector, maxLines, pathWithin } from './spans.ts';

/** All ports, confined to one folder. Without a history, the port for it says so in its replies. */
export type CodeMaterial = Required<Omit<CodePorts, 'paths' | 'symbols'>> & Pick<CodePorts, 'symbols'>;

const everywhere = createScope(undefined);

/** `material` is called with each call of a tool. */
export const codeTools = (material: () => Promise<CodePorts>): readonly Tool[] =>
  codeEntries.map((entry) => codeTool(entry, material));

export const codeTool = (
  entry: Entry<CodeContext>,
  material: () => Promise<CodePorts>,
  // The host also has tools for pages, so the descriptions must say that these tools are about code.
  about = 'Over the files of the code base.',
): Tool =>
  toolOf(
    entry,
    async ({ signal }): Promise<CodeContext> => {
      const ports = await material();
      return {
        ports,
        scope: everywhere,
        pieces: entry.pieces?.tool ?? 0,
        pieceLines: maxLines,
        held: [],
        ...(signal && { signal }),
        path: (given, within) => pathWithin(given, within.text),
        collect: collector(ports.text),
      };
    },
    about,
  );
