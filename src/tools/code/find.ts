/** Tools that find and open spans of files. */
import { z } from 'zod';
import { type Completeness, plainLine, type Tool, toolFailure, toolReply } from '../../core/index.ts';
import { readTool } from '../define.ts';
import {
  type CodeMaterial,
  type Collected,
  collected,
  mostLines,
  pathWithin,
  readSpan,
  spanData,
  spanText,
} from './material.ts';

export const scope = z.string().max(4000).optional().describe('Path globs, comma-separated, ! excludes');
export const filePath = z.string().min(1).max(1000).describe('Relative to the root');

/** A ranked list ends where it was told to; what no longer reads as it was found makes it partial, too. */
function spans(
  { evidence, notes }: Collected,
  reply: { readonly completeness: Completeness; readonly notes: readonly string[] },
  empty: string,
) {
  return toolReply(
    evidence.map(spanText).join('\n\n') || empty,
    { spans: evidence.map(spanData) },
    {
      evidence,
      completeness: reply.completeness === 'complete' && notes.length > 0 ? 'partial' : reply.completeness,
      notes: [...reply.notes, ...notes],
    },
  );
}

export function codeFindingTools(material: () => Promise<CodeMaterial>): readonly Tool[] {
  return [
    readTool({
      name: 'hybrid_search',
      description:
        'Ranked search over the files of the code base: identifiers, error messages, or a sentence. Returns the best spans with their lines.',
      input: { query: z.string().trim().min(1).max(2000), k: z.int().min(1).max(50).default(8), scope },
      capability: 'CodeRead',
      cost: '10 ms to 1 s where files changed; 1 KB a span',
      async run({ query, k, scope }, { signal }) {
        const { search, text } = await material();
        const request = { query, k, ...(scope !== undefined && { scope }), ...(signal && { signal }) };
        const reply = await search.search(request);
        const reason = `found by searching for: ${query}`;
        const hits = reply.hits.slice(0, k).map((hit) => ({ ...hit, reason }));
        const found = await collected(text, scope, hits);
        const full = reply.completeness === 'complete' && hits.length >= k;
        return spans(found, full ? { ...reply, completeness: 'partial' } : reply, 'Nothing matched.');
      },
    }),
    readTool({
      name: 'open_span',
      description: `Lines of a file of the code base, up to ${mostLines}.`,
      input: {
        file_path: filePath,
        start_line: z.int().min(1).default(1),
        end_line: z.int().min(1).optional(),
      },
      capability: 'CodeRead',
      cost: 'some ms; the lines',
      async run({ file_path, start_line, end_line = start_line + mostLines - 1 }) {
        const path = pathWithin(file_path, undefined);
        const { text } = await material();
        const found = {
          path,
          start: start_line,
          end: end_line,
          reason: 'opened',
          provenance: 'manual',
        } as const;
        const read = await readSpan(text, found);
        if (typeof read === 'string') return toolFailure('validation', read, { details: { path } });
        const cut = read.end_line < end_line && read.end_line - start_line + 1 === mostLines;
        return toolReply(spanText(read), spanData(read), {
          evidence: [read],
          completeness: cut ? 'partial' : 'complete',
          notes: cut ? [`go on with start_line ${read.end_line + 1}`] : [],
        });
      },
    }),
    readTool({
      name: 'grep',
      description: 'Every line of the code base that matches a regular expression, as ripgrep reads it.',
      input: {
        pattern: z.string().min(1).max(2000),
        ignore_case: z.boolean().default(false),
        fixed: z.boolean().default(false).describe('A plain text, not an expression'),
        scope,
        limit: z.int().min(1).max(1000).default(100),
      },
      capability: 'CodeRead',
      cost: '20 ms and more for large trees; 100 bytes a line',
      async run({ pattern, ignore_case, fixed, scope, limit }, { signal }) {
        const { grep } = await material();
        const reply = await grep.grep({
          pattern,
          ignoreCase: ignore_case,
          fixed,
          limit,
          ...(scope !== undefined && { scope }),
          ...(signal && { signal }),
        });
        const { matches, completeness, notes } = reply;
        return toolReply(
          matches.map(({ path, line, text }) => `${plainLine(path)}:${line}: ${text.trim()}`).join('\n') ||
            'No line matches.',
          { matches },
          { completeness, notes },
        );
      },
    }),
    readTool({
      name: 'find_definition',
      description:
        'Where a name is defined in the code base, by the form of definitions: unusual forms may be missed.',
      input: { symbol: z.string().trim().min(1).max(300).describe('Bare identifier'), scope },
      capability: 'CodeRead',
      cost: '50 ms and more for large trees',
      async run({ symbol, scope }, { signal }) {
        const { definitions, text } = await material();
        const reply = await definitions.find({
          name: symbol,
          limit: 20,
          ...(scope !== undefined && { scope }),
          ...(signal && { signal }),
        });
        const found = reply.definitions.map((one) => ({ ...one, reason: `defines ${one.symbol}` }));
        return spans(
          await collected(text, scope, found),
          // That none was recognised is no proof that there is none.
          found.length === 0 ? { ...reply, completeness: 'unknown' } : reply,
          'No definition of that name was recognised.',
        );
      },
    }),
  ];
}
