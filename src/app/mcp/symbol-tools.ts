/** Tools of `sonde mcp` for short questions about symbols. They are answered directly, without a run. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { lookupEntries } from '../../catalogue/code/code-entries.ts';
import { type Evidence, escapePath, messageOf, SondeError, toPlainText } from '../../core/index.ts';
import { openOnce } from '../host/host-material.ts';
import { openSymbolLookup } from '../search/symbols.ts';

export interface SymbolTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  call(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult>;
}

const toTitle = (name: string): string =>
  name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

const errorResult = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] });

const formatPiece = ({ id, file_path, start_line, end_line, content }: Evidence): string =>
  `${id} ${escapePath(file_path)}:${start_line}-${end_line}\n${content}`;

export function symbolTools(root: string, redact: (text: string) => string) {
  const lookup = openOnce(() => openSymbolLookup(root));
  const clean = (text: string) => redact(toPlainText(text));
  const tools = lookupEntries().map(
    ({ name, description, parameters }): SymbolTool => ({
      name,
      title: toTitle(name),
      description,
      input: parameters,
      async call(args, signal) {
        try {
          const outcome = await (await lookup.get()).ask(name, args, signal);
          if (outcome.kind === 'failed')
            return errorResult(
              clean([outcome.message, ...(outcome.remedy === undefined ? [] : [outcome.remedy])].join('\n')),
            );
          const { lines, nothing, completeness, notes, data, evidence, inLines } = outcome;
          const pieces = inLines === true ? [] : evidence.map(formatPiece);
          const resultLines = [
            ...(lines.length + pieces.length > 0 ? [...lines, ...pieces] : [nothing]),
            `(${completeness})`,
            ...notes.map((note) => `note: ${note}`),
          ];
          const structured = JSON.parse(clean(JSON.stringify(data))) as Record<string, unknown>;
          return {
            content: [{ type: 'text', text: clean(resultLines.join('\n')) }],
            structuredContent: structured,
          };
        } catch (thrown) {
          const remedy =
            thrown instanceof SondeError && thrown.remedy !== undefined ? `\n${thrown.remedy}` : '';
          return errorResult(clean(`${messageOf(thrown)}${remedy}`));
        }
      },
    }),
  );
  return { tools, close: () => lookup.close() };
}
