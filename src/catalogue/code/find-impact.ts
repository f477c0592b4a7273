import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { count, lowerIfLost } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, portOf, scope, within } from './code-ports.ts';
import { insideOnly } from './find-references.ts';
import {
  fitting,
  leftOutNote,
  limit,
  maxTokens,
  noSymbol,
  rowData,
  rowLine,
  symbolName,
  withEvidence,
} from './symbol-listing.ts';

export const findImpact = codeEntry({
  name: 'find_impact',
  description:
    'What a change can break: who uses a definition, who uses those, by steps, and the tests among them. With diff in place of a symbol: of all that the working tree changes against a revision.',
  parameters: z.object({
    symbol: symbolName.optional(),
    diff: z.string().trim().min(1).max(250).optional().describe('A revision, such as HEAD or main'),
    scope,
    limit,
    max_tokens: maxTokens,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '0.1 to 8 s; 100 bytes a row',
  needs: ['symbols'],
  pieces: { tool: 50, action: 24 },
  asAction: {
    description: 'What changing a definition can break: its users, theirs, by steps, and tests.',
    fixed: { scope: undefined, diff: undefined, limit: 60, max_tokens: 3_000 },
    required: ['symbol'],
    lines: 70,
  },
  async run({ symbol, diff, scope: wanted, limit: max, max_tokens }, context) {
    const { ports, scope: outer, signal } = context;
    if ((symbol === undefined) === (diff === undefined))
      return failed('Give a symbol, or a revision to compare with.');
    const inside = within(outer, wanted);
    const port = portOf(ports.symbols);
    const asked = { ...inside.asked, ...(signal && { signal }) };
    const reply =
      symbol === undefined
        ? await port.impactOfChange({ revision: diff!, ...asked })
        : await port.impact({ symbol, ...asked });
    if (reply.kind !== 'impact') return noSymbol(symbol ?? '', insideOnly(reply, inside.admits));
    const changed = reply.changed.filter(({ path }) => inside.admits(path));
    const all = reply.rows.filter(
      ({ path, of }) => inside.admits(path) && outer.admits(of.slice(0, of.indexOf('#'))),
    );
    const tests = reply.tests.filter(({ path }) => inside.admits(path));
    const rows = fitting(all, max, max_tokens);
    const cited = await withEvidence(
      rows,
      symbol === undefined ? 'uses what changed' : `uses ${symbol}`,
      context,
    );
    const why = reply.why.filter((one) => outer.text === undefined || !one.includes('/'));
    const removed = new Set(changed.filter(({ change }) => change === 'removed').map((one) => one.symbol));
    const isCut = rows.length < all.length;
    const many = changed.length > 1 || diff !== undefined;
    return done({
      summary: `${count(all.length, 'place')} in ${count(new Set(all.map(({ path }) => path)).size, 'file')} and ${count(tests.length, 'test')} hang on ${count(changed.length, 'definition')}`,
      lines: [
        ...changed.map(
          (one) => `${one.change === 'asked' ? 'of' : one.change} ${one.symbol}: ${one.signature}`,
        ),
        ...rows.map((row) =>
          rowLine(
            row,
            cited.idOf(row),
            `, step ${row.hop}${many ? `, of ${removed.has(row.of) ? 'removed ' : ''}${row.of.slice(row.of.indexOf('#') + 1)}` : ''}`,
          ),
        ),
        ...tests
          .slice(0, 20)
          .map(
            (test) =>
              `test ${escapePath(test.path)} ${test.name}${test.command === undefined ? '' : `: ${test.command}`}`,
          ),
      ],
      inLines: true,
      noun: 'rows',
      nothing: changed.length === 0 ? 'No definition changed.' : 'Nothing uses it.',
      data: {
        symbol: symbol ?? null,
        diff: diff ?? null,
        changed,
        completeness: lowerIfLost(reply.completeness, isCut),
        why,
        files: reply.files,
        rows: rows.map((row) => ({ ...rowData(row, cited.idOf(row)), hop: row.hop, of: row.of })),
        tests,
        evidence: null,
        cut: isCut,
      },
      evidence: cited.evidence,
      completeness: lowerIfLost(reply.completeness, isCut),
      notes: [...why, ...leftOutNote(all.length, rows.length, 'row'), ...cited.notes],
    });
  },
});
