import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { assessListing, limit, maxTokens } from './symbol-listing.ts';

export const listTree = codeEntry({
  name: 'list_tree',
  description:
    'The folders and files of the tree, to a depth; a folder that is not opened says how many files it holds.',
  parameters: z.object({
    scope,
    depth: z.int().min(1).max(20).default(2).describe('Levels of folders, below what all files share'),
    limit: limit.default(300),
    max_tokens: maxTokens,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '20 ms and more for large trees',
  needs: ['symbols'],
  pieces: { tool: 0, action: 0 },
  asAction: {
    description: 'Folders and files, to a depth.',
    fixed: { limit: 200, max_tokens: 2_000 },
    renamedTo: { scope: 'path' },
    lines: 200,
  },
  async run({ scope: wanted, depth, limit: max, max_tokens }, { ports, scope: outer, signal }) {
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.symbols).paths({ ...inside.asked, ...(signal && { signal }) });
    const paths = reply.paths.filter(inside.admits);
    const entries = new Map<string, number>();
    const opened = countSharedFolders(paths) + depth;
    for (const path of paths) {
      const parts = path.split('/');
      const key = parts.length > opened ? `${parts.slice(0, opened).join('/')}/` : path;
      entries.set(key, (entries.get(key) ?? 0) + 1);
    }
    const rows = [...entries].map(([path, files]) => ({ path, files })).slice(0, max);
    let left = max_tokens * 4;
    const shown = rows.filter(({ path }) => {
      left -= path.length + 12;
      return left >= 0;
    });
    const isCut = shown.length < entries.size;
    const { completeness, why } = assessListing(
      reply,
      isCut ? [`${entries.size - shown.length} more entries are not listed; narrow the scope`] : [],
    );
    return done({
      summary: formatCount(paths.length, 'file'),
      lines: shown.map(({ path, files }) =>
        path.endsWith('/') ? `${escapePath(path)} (${formatCount(files, 'file')})` : escapePath(path),
      ),
      noun: 'entries',
      nothing: 'There is no file.',
      data: {
        files: paths.length,
        rows: shown,
        completeness,
        why,
        cut: isCut,
      },
      completeness,
      notes: why,
    });
  },
});

/** The number of leading folders that are the same in all paths. */
function countSharedFolders(paths: readonly string[]): number {
  const [first = [], ...rest] = paths.map((path) => path.split('/').slice(0, -1));
  const at = first.findIndex((name, level) => rest.some((other) => other[level] !== name));
  return at < 0 ? first.length : at;
}
