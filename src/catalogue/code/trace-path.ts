import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, narrowScope, requirePort, scope } from './code-ports.ts';
import { keepInside } from './find-references.ts';
import {
  addEvidence,
  assessListing,
  createNoSymbolResult,
  formatRow,
  limit,
  maxTokens,
  noteLeftOut,
  symbolName,
  toRowData,
} from './symbol-listing.ts';

export const tracePath = codeEntry({
  name: 'trace_path',
  description: 'A way along calls from one definition to another; as certain as its weakest step.',
  parameters: z.object({ from: symbolName, to: symbolName, scope, limit, max_tokens: maxTokens }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '0.1 to 2 s',
  needs: ['symbols'],
  pieces: { tool: 20, action: 10 },
  asAction: {
    description: 'A way along calls between two definitions.',
    fixed: { scope: undefined, limit: 40, max_tokens: 3_000 },
    lines: 40,
  },
  async run({ from, to, scope: wanted, limit: max, max_tokens }, context) {
    const { ports, scope: outer, signal } = context;
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.symbols).trace({
      from,
      to,
      ...inside.asked,
      ...(signal && { signal }),
    });
    if (reply.kind !== 'trace')
      return createNoSymbolResult(reply.of ?? from, keepInside(reply, inside.admits));
    const isSeen = reply.steps.every(
      ({ path, row }) => inside.admits(path) && (row === null || inside.admits(row.path)),
    );
    const whole = isSeen ? reply.steps : [];
    let left = max_tokens * 4;
    const fits = ({ path, symbol, row }: (typeof whole)[number]): boolean => {
      left -= path.length + symbol.length + 20 + (row === null ? 0 : Math.min(row.text.length, 160) + 60);
      return left >= 0;
    };
    const steps = whole.filter((step, at) => at < max && (fits(step) || at === 0));
    const isCut = steps.length < whole.length;
    const rows = steps.flatMap(({ row }) => row ?? []);
    const cited = await addEvidence(rows, `on the way from ${from} to ${to}`, context);
    const { completeness, why } = assessListing(
      reply,
      [
        ...noteLeftOut(whole.length, steps.length, 'step'),
        ...(isSeen ? [] : ['a way that leaves the scope is not listed']),
      ],
      outer,
    );
    return done({
      summary:
        steps.length === 0
          ? reply.cut
            ? 'no way was found in the time, in which not all was looked at'
            : 'no way was found, which is no proof that there is none'
          : `${formatCount(steps.length - 1, 'step')}`,
      lines: steps.flatMap(({ path, start, symbol, row }) => [
        `${escapePath(path)}:${start} ${symbol.slice(symbol.indexOf('#') + 1)}`,
        ...(row === null ? [] : [`  ${formatRow(row, cited.idOf(row))}`]),
      ]),
      inLines: true,
      noun: 'steps',
      nothing: reply.cut
        ? 'No way along calls was found in the time, in which not all was looked at.'
        : 'No way along calls was found.',
      data: {
        from,
        to,
        completeness,
        why,
        steps: steps.map(({ row, ...span }) => ({
          ...span,
          row: row === null ? null : toRowData(row, cited.idOf(row)),
        })),
        cut: isCut,
      },
      evidence: cited.evidence,
      completeness,
      notes: [...why, ...cited.notes],
    });
  },
});
