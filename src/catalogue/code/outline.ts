import { z } from 'zod';
import { escapePath, type OutlineItem } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, filePath, narrowScope, requirePort, scope } from './code-ports.ts';
import { assessListing, limit, maxTokens } from './symbol-listing.ts';

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
    const inside = narrowScope(outer, wanted);
    const path = pathOf(file_path, inside);
    if (!inside.admits(path)) return failed(`${escapePath(path)} is outside the scope.`);
    const found = await requirePort(ports.symbols).outline({ path, ...(signal && { signal }) });
    if (found.kind === 'unreadable') return failed(found.message);
    const flat = flattenItems(found.items, 0);
    let left = max_tokens * 4;
    const lines: string[] = [];
    for (const { item, depth } of flat.slice(0, max)) {
      const line = `${item.start}-${item.end} ${'  '.repeat(depth)}${item.kind} ${item.name}: ${item.signature}`;
      left -= line.length + 1;
      if (left < 0 && lines.length > 0) break;
      lines.push(line);
    }
    const isCut = lines.length < flat.length;
    const { completeness, why } = assessListing(
      found,
      isCut ? [`${flat.length - lines.length} more definitions are not listed`] : [],
    );
    return done({
      summary: `${formatCount(flat.length, 'definition')} in ${formatCount(found.lines, 'line')}`,
      lines,
      noun: 'definitions',
      nothing: 'The file defines nothing that is known.',
      data: {
        path,
        completeness,
        why,
        items: limitItems(found.items, { left: lines.length }),
        cut: isCut,
      },
      spans: [],
      completeness,
      notes: why,
    });
  },
});

const flattenItems = (
  items: readonly OutlineItem[],
  depth: number,
): readonly { readonly item: OutlineItem; readonly depth: number }[] =>
  items.flatMap((item) => [{ item, depth }, ...flattenItems(item.children, depth + 1)]);

function limitItems(items: readonly OutlineItem[], budget: { left: number }): readonly OutlineItem[] {
  const found: OutlineItem[] = [];
  for (const item of items) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    found.push({ ...item, children: limitItems(item.children, budget) });
  }
  return found;
}
