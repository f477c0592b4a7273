import { z } from 'zod';
import { type Edge, escapePath } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { keepInside } from './find-references.ts';
import { readingPenalty } from './reading-order.ts';
import {
  addEvidence,
  assessListing,
  createNoSymbolResult,
  limit,
  maxTokens,
  noteLeftOut,
  symbolName,
  takeFitting,
  toRowData,
} from './symbol-listing.ts';

const edges: readonly Edge[] = ['calls', 'called-by', 'imports', 'inherits'];
const order = ['calls', 'inherits', 'includes', 'inherited-by', 'included-by', 'imports', 'called-by'];

export const expandSymbol = codeEntry({
  name: 'expand_symbol',
  description:
    'What stands around a definition: what it calls, who calls it, what its file imports, what it inherits and who inherits it.',
  parameters: z.object({
    symbol: symbolName,
    along: z
      .union([z.string(), z.array(z.string()).max(8)])
      .default('calls,called-by,inherits')
      .describe('Of calls, called-by, imports, inherits'),
    scope,
    limit,
    max_tokens: maxTokens,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '50 ms to 2 s; 100 bytes a row',
  needs: ['symbols'],
  pieces: { tool: 40, action: 20 },
  asAction: {
    description: 'What a definition calls, its callers, what it inherits.',
    fixed: { scope: undefined, along: 'calls,called-by,inherits', limit: 60, max_tokens: 2_500 },
    lines: 60,
  },
  async run({ symbol, along: given, scope: wanted, limit: max, max_tokens }, context) {
    const { ports, scope: outer, signal } = context;
    const along = [given]
      .flat()
      .flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter((one) => one !== '');
    const odd = along.find((one) => !edges.includes(one as Edge));
    if (odd !== undefined || along.length === 0)
      return failed(`${JSON.stringify(odd ?? '')} is not a kind of edge.`, {
        remedy: `Give some of ${edges.join(', ')}.`,
      });
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.symbols).expand({
      symbol,
      along: along as readonly Edge[],
      ...inside.asked,
      ...(signal && { signal }),
    });
    if (reply.kind !== 'expansion') return createNoSymbolResult(symbol, keepInside(reply, inside.admits));
    const isInside = (to: string) => !to.includes('#') || outer.admits(to.slice(0, to.indexOf('#')));
    // A definition calls few others, but may have a thousand callers, most of them tests.
    const all = reply.rows
      .filter(({ path, to }) => inside.admits(path) && isInside(to))
      .toSorted(
        (a, b) =>
          order.indexOf(a.along) - order.indexOf(b.along) || readingPenalty(a.path) - readingPenalty(b.path),
      );
    const rows = takeFitting(all, max, max_tokens);
    const cited = await addEvidence(rows, `around ${symbol}`, context);
    const { completeness, why } = assessListing(reply, noteLeftOut(all.length, rows.length, 'row'), outer);
    const isCut = rows.length < all.length;
    return done({
      summary: formatCount(all.length, 'edge'),
      lines: rows.map((row) =>
        `${cited.idOf(row) ?? ''} ${row.along} ${row.to}  (${escapePath(row.path)}:${row.line}${row.sure ? '' : row.how === 'text' ? ', may be another' : ', likely'})`.trim(),
      ),
      inLines: true,
      noun: 'edges',
      nothing: 'No edge of these kinds is known.',
      data: {
        symbol: reply.definition.symbol,
        completeness,
        why,
        files: reply.files,
        rows: rows.map((row) => ({ ...toRowData(row, cited.idOf(row)), along: row.along, to: row.to })),
        evidence: null,
        cut: isCut,
      },
      evidence: cited.evidence,
      completeness,
      notes: [...why, ...cited.notes],
    });
  },
});
