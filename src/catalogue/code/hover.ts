import { z } from 'zod';
import { escapePath, type Hover } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { keepInside } from './find-references.ts';
import {
  assessListing,
  createNoSymbolResult,
  limit,
  maxTokens,
  noteLeftOut,
  symbolName,
} from './symbol-listing.ts';

export const hover = codeEntry({
  name: 'hover',
  description: 'The signature of a definition and the comment that documents it.',
  parameters: z.object({ symbol: symbolName, scope, limit, max_tokens: maxTokens }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '50 ms to 2 s',
  needs: ['symbols'],
  pieces: { tool: 5, action: 3 },
  asAction: { fixed: { scope: undefined, limit: 5, max_tokens: 1_500 } },
  async run(
    { symbol, scope: wanted, limit: max, max_tokens },
    { ports, scope: outer, signal, pieces, collect },
  ) {
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.symbols).hover({
      symbol,
      ...inside.asked,
      ...(signal && { signal }),
    });
    if (reply.kind !== 'hover') return createNoSymbolResult(symbol, keepInside(reply, inside.admits));
    const all = reply.found.filter(({ path }) => inside.admits(path));
    const found = shortenDocs(all.slice(0, max), max_tokens * 4);
    const isCut = found.length < all.length || found.some(({ doc }, at) => doc !== all[at]!.doc);
    const { completeness, why } = assessListing(
      reply,
      [
        ...noteLeftOut(all.length, found.length, 'definition'),
        ...(isCut && found.length === all.length ? ['the comment goes on'] : []),
      ],
      outer,
    );
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
      summary: formatCount(found.length, 'definition'),
      lines: found.flatMap((one) => [
        `${escapePath(one.path)}:${one.start}-${one.end} ${one.kind} ${one.signature}`,
        ...(one.type === undefined ? [] : [`type: ${one.type}`]),
        ...(one.doc === '' ? [] : one.doc.split('\n')),
      ]),
      noun: 'lines',
      data: { symbol, completeness, why, definitions: found, cut: isCut },
      evidence,
      completeness,
      notes: [...why, ...notes],
    });
  },
});

/** Cuts the comments to a number of characters. Each definition that is listed keeps its signature. */
function shortenDocs(all: Hover['found'], characters: number): Hover['found'] {
  let left = characters;
  return all.flatMap((one, at) => {
    left -= one.signature.length + one.path.length + 20;
    if (left < 0 && at > 0) return [];
    const lines = one.doc === '' ? [] : one.doc.split('\n');
    const kept = lines.filter((line) => {
      left -= line.length + 1;
      return left >= 0;
    });
    return [kept.length < lines.length ? { ...one, doc: kept.join('\n') } : one];
  });
}
