/**
 * What a model makes of a research with and without what reads code as code (`outline`, `find_references`, `find_impact`,
 * `trace_path`, `expand_symbol`, `list_tree`, `hover`, `git_show`, the first look around, evidence in units of syntax):
 * round trips, tokens, and how many of the lines that belong into the answer it cites.
 *
 * `node bench/research.ts SET.jsonl --url http://127.0.0.1:8089/v1 [--without] [--ids a,b] [--out FILE]`
 * A row: {id, root, question, gold: {lines: [{path, start, end}]}}. The questions are asked side by side. The model is whatever
 * speaks Chat Completions there; a person can answer in its place.
 */
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunResult, run } from '../src/index.ts';

interface Span {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

interface Row {
  readonly id: string;
  readonly root: string;
  readonly question: string;
  readonly gold: { readonly lines: readonly Span[] };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8089/v1' },
    without: { type: 'boolean', default: false },
    ids: { type: 'string' },
    out: { type: 'string' },
  },
});
const [set] = positionals;
if (set === undefined) {
  console.log('skipped: give a file with questions, and the address of a model');
  process.exit(0);
}
const wanted = values.ids?.split(',');
const rows = readFileSync(set, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line): Row => JSON.parse(line))
  .filter(({ id }) => wanted?.includes(id) ?? true);

process.env['SONDE_HOME'] = mkdtempSync(join(tmpdir(), 'sonde-research-'));

await Promise.all(
  rows.map(async ({ id, root, question, gold }) => {
    const result = await run('research', {
      question,
      root,
      settings: {
        model: 'openai-compatible:hand',
        openai_base_url: values.url,
        reader: 'off',
        max_time: '2h',
        max_tokens: 1_000_000,
      },
      ...(values.without && { callerParts: { unparsed: true } }),
    });
    const cited = gold.lines.filter((line) => isCited(line, result));
    const row = {
      id,
      way: values.without ? 'without' : 'with',
      turns: result.spent.calls,
      tokens: result.spent.tokens,
      status: result.status,
      gold: gold.lines.length,
      cited: cited.length,
      missed: gold.lines.filter((line) => !cited.includes(line)),
      answer: result.answer,
      citations: result.citations.map(
        ({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`,
      ),
    };
    const { answer, citations, missed, ...figures } = row;
    console.log(JSON.stringify(figures));
    if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(row)}\n`);
  }),
);

function isCited({ path, start, end }: Span, { citations }: RunResult): boolean {
  return citations.some(
    (citation) => citation.path === path && citation.start_line <= end && citation.end_line >= start,
  );
}
