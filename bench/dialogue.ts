/**
 * What recorded runs cost by the rules of two prompt caches: tokens sent, tokens sent again, how many of these a cache
 * gave back, and billed input (tokens at the price of input without a cache). With two folders: the tasks that both
 * hold, and the first folder's figures divided by the second's.
 *
 * `node bench/dialogue.ts FOLDER [FOLDER AFTER] [--json] [--runs] [--minimum 1024]`
 * A folder holds runs as `dialogue/recorded.ts` describes them; `--minimum` is the shortest prefix that the model of
 * Anthropic keeps; `--runs` prints each run as well.
 */
import { parseArgs } from 'node:util';
import {
  type Cut,
  cutsOf,
  type Group,
  groupsOf,
  idOf,
  type Localisations,
  localisationsOf,
  type Measured,
  measure,
} from './dialogue/measure.ts';
import { readRuns } from './dialogue/recorded.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'boolean', default: false },
    minimum: { type: 'string', default: '1024' },
  },
});
const [first, second] = positionals;
if (first === undefined) refuse('Name a folder of recorded runs, and a second one to compare with.');
const minimum = Number(flags.minimum);
if (!Number.isInteger(minimum)) refuse(`--minimum is a whole number of tokens, not ${flags.minimum}.`);

const before = measured(first);
if (second === undefined) show(reportOf(before));
else compare(before, measured(second));

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

function compare(all: readonly Measured[], others: readonly Measured[]): void {
  const both = (some: readonly Measured[], twins: readonly Measured[]) => {
    const ids = new Set(twins.map(({ run }) => idOf(run)));
    return some.filter(({ run }) => ids.has(idOf(run)));
  };
  const shared = both(all, others);
  if (shared.length === 0) refuse('No task stands in both folders.');
  const cuts = cutsOf(shared);
  const reports = { before: reportOf(shared, cuts), after: reportOf(both(others, all), cuts) };
  const ratios = ratiosOf(reports.before, reports.after);
  if (flags.json) {
    console.log(
      JSON.stringify({ before: plain(reports.before), after: plain(reports.after), ratios }, null, 1),
    );
    return;
  }
  console.log('## before');
  show(reports.before);
  console.log('\n## after');
  show(reports.after);
  console.log(`\n## before divided by after\n\n${tableOf(ratios)}`);
}

interface Report {
  readonly groups: readonly Group[];
  readonly localisations?: Localisations;
  readonly runs: readonly Measured[];
}

function measured(folder: string): readonly Measured[] {
  const { runs, unfinished } = readRuns(folder);
  if (unfinished.length > 0) console.error(`left out, without a last answer: ${unfinished.join(', ')}`);
  if (runs.length === 0) refuse(`${folder} holds no finished run.`);
  return runs.map((run) => measure(run, minimum));
}

function reportOf(runs: readonly Measured[], cuts?: readonly Cut[]): Report {
  const localisations = localisationsOf(runs);
  return { groups: groupsOf(runs, cuts), ...(localisations && { localisations }), runs };
}

/** Without the texts that were sent. */
function plain({ runs, ...rest }: Report) {
  return {
    ...rest,
    runs: runs.map(({ run, ...figures }) => ({ id: run.id, shape: run.shape, wire: run.wire, ...figures })),
  };
}

function show(report: Report): void {
  if (flags.json) {
    console.log(JSON.stringify(plain(report), null, 1));
    return;
  }
  const { groups, localisations, runs } = report;
  console.log(`\n${tableOf(groups.map(groupRow))}`);
  if (localisations) console.log(`\n${tableOf([localisationRow(localisations)])}`);
  if (flags.runs) console.log(`\n${tableOf(runs.map(runRow))}`);
}

type Row = Readonly<Record<string, string>>;

function groupRow(group: Group): Row {
  const { anthropic, openai } = group;
  return {
    '': group.name,
    runs: whole(group.runs),
    calls: whole(group.calls),
    input: whole(group.input),
    'sent before': whole(group.repeated),
    'Anthropic: runs': whole(anthropic.runs),
    'of it read': anthropic.runs === 0 ? '' : percent(anthropic.hit),
    billed: anthropic.runs === 0 ? '' : whole(anthropic.billed),
    'OpenAI: of it read': percent(openai.hit),
    'billed ': whole(openai.billed),
    'round trips, median': String(group.roundTrips),
    'fixed part': whole(group.fixed),
  };
}

function localisationRow({ runs, gold, right, billed, roundTrips }: Localisations): Row {
  return {
    localisations: whole(runs),
    'right files among the first five': `${right} of ${gold}`,
    'billed, median': whole(billed),
    'round trips, median': String(roundTrips),
  };
}

function runRow({ run, calls, roundTrips, repeated, anthropic, openai }: Measured): Row {
  return {
    run: run.id,
    shape: run.shape,
    calls: whole(calls),
    'round trips': whole(roundTrips),
    input: whole(openai.input),
    'sent before': whole(repeated),
    'Anthropic: read': anthropic ? whole(anthropic.read) : '',
    billed: anthropic ? whole(anthropic.billed) : '',
    'OpenAI: read': whole(openai.read),
    'billed ': whole(openai.billed),
  };
}

function ratiosOf(one: Report, other: Report): readonly Row[] {
  const groups = one.groups.flatMap((group) => {
    const twin = other.groups.find(({ name }) => name === group.name);
    if (!twin) return [];
    return [
      {
        '': group.name,
        calls: ratio(group.calls, twin.calls),
        input: ratio(group.input, twin.input),
        'Anthropic: billed': ratio(group.anthropic.billed, twin.anthropic.billed),
        'OpenAI: billed': ratio(group.openai.billed, twin.openai.billed),
        'round trips, median': ratio(group.roundTrips, twin.roundTrips),
        'fixed part': ratio(group.fixed, twin.fixed),
      },
    ];
  });
  if (!one.localisations || !other.localisations) return groups;
  const name = 'localisations, medians';
  const { billed, roundTrips } = one.localisations;
  const own = ratio(billed, other.localisations.billed);
  const trips = ratio(roundTrips, other.localisations.roundTrips);
  const row = { '': name, calls: '', input: '', 'Anthropic: billed': own, 'OpenAI: billed': own };
  return [...groups, { ...row, 'round trips, median': trips, 'fixed part': '' }];
}

function tableOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(names.map((name) => name.trim())),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => row[name] ?? ''))),
  ].join('\n');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function ratio(one: number, other: number): string {
  return other === 0 ? '' : (one / other).toFixed(2);
}
