import { z } from 'zod';
import { escapePath, type OutlineItem } from '../../core/index.ts';
import { count } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, filePath, portOf, scope, within } from './code-ports.ts';
import { limit, maxTokens, standingOf } from './symbol-listing.ts';

export const outline = codeEntry({
  name: 'outline',
  description: 'What a file defines, nested, each with its lines and signature.',
  parameters: z.object({ file_path: filePath, scope, limit: limit.default(300), max_tokens: maxTokens }),
  capability: 'CodeRead',
  effect: 'read',
  cost: 'some ms; 60 bytes a definition',
  needs: ['symbols'],
  pieces: { tool: 0, action: 0 },
  asAction: { fixed: { scope: undefined, limit: 300, max_tokens: 3_000 }, lines: 300 },
  async run(
    { file_path, scope: wanted, limit: max, max_tokens },
    { ports, scope: outer, path: pathOf, signal },
  ) {
    const inside = within(outer, wanted);
    const path = pathOf(file_path, inside);
    if (!inside.admits(path)) return failed(`${escapePath(path)} is outside the scope.`);
    const found = await portOf(ports.symbols).outline({ path, ...(signal && { signal }) });
    if (found.kind === 'unreadable') return failed(found.message);
    const flat = flatten(found.items, 0);
    let left = max_tokens * 4;
    const lines: string[] = [];
    for (const { item, depth } of flat.slice(0, max)) {
      const line = `${item.start}-${item.end} ${'  '.repeat(depth)}${item.kind} ${item.name}: ${item.signature}`;
      left -= line.length + 1;
      if (left < 0 && lines.length > 0) break;
      lines.push(line);
    }
    const isCut = lines.length < flat.length;
    const { completeness, why } = standingOf(
      found,
      isCut ? [`${flat.length - lines.length} more definitions are not listed`] : [],
    );
    return done({
      summary: `${count(flat.length, 'definition')} in ${count(found.lines, 'line')}`,
      lines,
      noun: 'definitions',
      nothing: 'The file defines nothing that is known.',
      data: {
        path,
        completeness,
        why,
        items: keepWithin(found.items, { left: lines.length }),
        cut: isCut,
      },
      spans: [],
      completeness,
      notes: why,
    });
  },
});

const flatten = (
  items: readonly OutlineItem[],
  depth: number,
): readonly { readonly item: OutlineItem; readonly depth: number }[] =>
  items.flatMap((item) => [{ item, depth }, ...flatten(item.children, depth + 1)]);

function keepWithin(items: readonly OutlineItem[], budget: { left: number }): readonly OutlineItem[] {
  const found: OutlineItem[] = [];
  for (const item of items) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    found.push({ ...item, children: keepWithin(item.children, budget) });
  }
  return found;
}
