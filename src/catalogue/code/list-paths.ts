import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { formatCount, partialIfCut } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { checkCase } from './scope-case.ts';

/** Maximum paths of one listing, which are about a megabyte and a half of names. */
const maxPaths = 20_000;

export const listPaths = codeEntry({
  name: 'list_paths',
  description: 'The paths of all texts there are, or of those in a scope, in order. Nothing is read by it.',
  parameters: z.object({ scope }),
  capability: 'CodeRead',
  effect: 'read',
  cost: 'some ms and more for large trees; 50 bytes a path',
  needs: ['paths'],
  pieces: { tool: 0, action: 0 },
  async run({ scope: wanted }, { ports, scope: outer, signal }) {
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.paths)({ ...inside.asked, ...(signal && { signal }) });
    const all = reply.paths.filter(inside.admits);
    if (all.length === 0 && wanted !== undefined) await checkCase(wanted, ports, outer.admits, signal);
    const paths = all.slice(0, maxPaths);
    const cut = all.length > paths.length;
    return done({
      summary: formatCount(paths.length, 'path'),
      lines: paths.map(escapePath),
      noun: 'paths',
      nothing: 'No path.',
      data: { paths },
      completeness: partialIfCut(reply.completeness, cut),
      notes: [
        ...(all.length === 0 && wanted !== undefined ? [`nothing is in the scope ${wanted}`] : []),
        ...(cut ? [`the first ${paths.length} of ${all.length} paths are listed; narrow the scope`] : []),
        ...reply.notes,
      ],
    });
  },
});
