import { z } from 'zod';
import { escapePath, type TestOfSymbol } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, failed } from '../entry.ts';
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
  takeFitting,
  toRowData,
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
    const inside = narrowScope(outer, wanted);
    const port = requirePort(ports.symbols);
    const asked = { ...inside.asked, ...(signal && { signal }) };
    const reply =
      symbol === undefined
        ? await port.impactOfChange({ revision: diff!, ...asked })
        : await port.impact({ symbol, ...asked });
    if (reply.kind !== 'impact') return createNoSymbolResult(symbol ?? '', keepInside(reply, inside.admits));
    const changed = reply.changed.filter(({ path }) => inside.admits(path));
    const all = reply.rows.filter(
      ({ path, of }) => inside.admits(path) && outer.admits(of.slice(0, of.indexOf('#'))),
    );
    const tests = reply.tests.filter(({ path }) => inside.admits(path));
    const rows = takeFitting(all, max, max_tokens);
    const cited = await addEvidence(
      rows,
      symbol === undefined ? 'uses what changed' : `uses ${symbol}`,
      context,
    );
    const isCut = rows.length < all.length;
    const many = diff !== undefined;
    const { completeness, why } = assessListing(reply, noteLeftOut(all.length, rows.length, 'row'), outer);
    const summary = `${formatCount(all.length, 'place')} in ${formatCount(new Set(all.map(({ path }) => path)).size, 'file')} and ${formatCount(tests.length, 'test')} hang on ${formatCount(changed.length, 'definition')}`;
    const testFiles = new Set(tests.map(({ path }) => path));
    // Tests that use the definition are listed by file, since a reviewer runs them rather than reads them.
    const formatRows = (impactRows: typeof rows, isInner: boolean): readonly string[] =>
      impactRows.flatMap((row) => {
        const same = impactRows.filter(({ path }) => path === row.path);
        const isOneOfMany = isInner && same.length > maxOfTestFile && testFiles.has(row.path);
        if (isOneOfMany && same.indexOf(row) > 1) return [];
        const line = `${isInner ? '  ' : ''}${formatRow(row, cited.idOf(row), row.hop === 1 ? '' : `, step ${row.hop}`)}`;
        if (!isOneOfMany || same.indexOf(row) === 0) return [line];
        return [line, `  ${escapePath(row.path)}: ${formatCount(same.length - 2, 'more line')}`];
      });
    return done({
      summary,
      lines: [
        ...(many && changed.length > 0 ? [`${summary}; ${completeness}`] : []),
        ...changed.flatMap((one) => [
          `${one.change === 'asked' ? 'of' : one.change} ${one.symbol}: ${one.signature}`,
          ...formatRows(
            rows.filter(({ of }) => of === one.symbol),
            many,
          ),
        ]),
        // Uses inside the scope of definitions that changed outside of it.
        ...formatRows(
          rows.filter(({ of }) => !changed.some(({ symbol: own }) => own === of)),
          false,
        ),
        ...testLines(tests),
      ],
      inLines: true,
      noun: 'rows',
      nothing: changed.length === 0 ? 'No definition changed.' : 'Nothing uses it.',
      data: {
        symbol: symbol ?? null,
        diff: diff ?? null,
        changed,
        completeness,
        why,
        files: reply.files,
        rows: rows.map((row) => ({ ...toRowData(row, cited.idOf(row)), hop: row.hop, of: row.of })),
        tests,
        evidence: null,
        cut: isCut,
      },
      evidence: cited.evidence,
      completeness,
      notes: [...why, ...cited.notes],
    });
  },
});

const maxTestLines = 20;
/** Maximum lines of a test file that are listed for each changed definition. */
const maxOfTestFile = 3;

/** The commands that run these tests, each once, and the names of the tests without a command. */
function testLines(tests: readonly TestOfSymbol[]): readonly string[] {
  if (tests.length === 0) return [];
  const lines = [
    ...joinCommands(tests.flatMap(({ command }) => command ?? [])),
    ...tests
      .filter(({ command }) => command === undefined)
      .map(({ path, name }) => `${escapePath(path)}${name === path ? '' : ` ${name}`}`),
  ];
  const left = lines.length - maxTestLines;
  return [
    `${formatCount(tests.length, 'test')} to run:`,
    ...lines.slice(0, maxTestLines).map((line) => `  ${line}`),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}

/** Joins commands that differ only in their last argument. */
function joinCommands(commands: readonly string[]): readonly string[] {
  const byRunner = Map.groupBy(new Set(commands), (command) =>
    command.replace(/ (?:'[^']*'|\S+)$/, (last) =>
      last.startsWith(" '^") || last.startsWith(' ^') ? ' ^' : '',
    ),
  );
  return [...byRunner].flatMap(([runner, all]) => {
    const lasts = all.map((command) => command.slice(command.lastIndexOf(' ') + 1));
    if (all.length === 1 || all.some((command) => / '[^']* [^']*'$/.test(command))) return all;
    // `go test` takes a single expression.
    if (runner.endsWith(' ^'))
      return [`${runner.slice(0, -1)}'^(${lasts.map((one) => one.replace(/^'?\^|\$'?$/g, '')).join('|')})$'`];
    if (runner === 'cargo test') return [`cargo test -- ${lasts.join(' ')}`];
    return [`${runner} ${lasts.join(' ')}`];
  });
}
