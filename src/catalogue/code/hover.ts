import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { count } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, portOf, scope, within } from './code-ports.ts';
import { insideOnly } from './find-references.ts';
import { noSymbol, symbolName } from './symbol-listing.ts';

export const hover = codeEntry({
  name: 'hover',
  description: 'The signature of a definition and the comment that documents it.',
  parameters: z.object({ symbol: symbolName, scope }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '50 ms to 2 s',
  needs: ['symbols'],
  pieces: { tool: 5, action: 3 },
  async run({ symbol, scope: wanted }, { ports, scope: outer, signal, pieces, collect }) {
    const inside = within(outer, wanted);
    const reply = await portOf(ports.symbols).hover({ symbol, ...inside.asked, ...(signal && { signal }) });
    if (reply.kind !== 'hover') return noSymbol(symbol, insideOnly(reply, inside.admits));
    const found = reply.found.filter(({ path }) => inside.admits(path));
    const { evidence, notes } = await collect(
      found.slice(0, pieces).map((one) => ({
        path: one.path,
        start: Math.min(one.start, one.docStart ?? one.start),
        end: one.header,
        reason: `defines ${one.name}`,
        provenance: 'syntax',
        symbol: one.name,
        symbolKind: one.kind,
      })),
    );
    return done({
      summary: count(found.length, 'definition'),
      lines: found.flatMap((one) => [
        `${escapePath(one.path)}:${one.start}-${one.end} ${one.kind} ${one.signature}`,
        ...(one.type === undefined ? [] : [`type: ${one.type}`]),
        ...(one.doc === '' ? [] : one.doc.split('\n')),
      ]),
      noun: 'lines',
      data: { symbol, completeness: reply.completeness, why: reply.why, definitions: found, cut: false },
      evidence,
      completeness: reply.completeness,
      notes: [...reply.why, ...notes],
    });
  },
});
