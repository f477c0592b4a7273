/**
 * Frozen incidents without a model: is the verdict exact, at what rank stands the guilty commit, does a decoy stand
 * above it, is the first failing service right, how often is there no verdict, how long does it take. Beside it two
 * guesses that need no engine: the last deploy before the alert, and the last one of the service that the alert names.
 * `node bench/incidents.ts FOLDER`: each folder below holds `data/` and `truth.json`; no run reads the latter.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { investigate } from '../src/index.ts';

interface Truth {
  /** `none` where no commit is to blame. */
  readonly root_cause_commit: string;
  /** Where a flag is to blame. */
  readonly root_cause_flag?: string;
  /** Where nothing that is at hand shows the cause: then no verdict is the right one. */
  readonly abstain?: boolean;
  readonly first_failing_service: string;
  readonly decoy_deploy_commits: readonly string[];
}

interface Deploy {
  readonly timestamp: string;
  readonly service: string;
  readonly commit_sha: string;
}

const folder = resolve(process.argv[2] ?? join(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents'));
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'truth.json')))
  : [];
if (names.length === 0) {
  console.log(`${folder} holds no incidents: name a folder of folders with data/ and truth.json`);
  process.exit(0);
}
process.env['SONDE_HOME'] = mkdtempSync(join(tmpdir(), 'sonde-bench-'));

const read = (name: string, file: string): unknown =>
  JSON.parse(readFileSync(join(folder, name, file), 'utf8'));

/** The guess that people make first. */
function lastDeploy(name: string, ofService: boolean): string {
  const path = join(folder, name, 'data/context/deploys.json');
  if (!existsSync(path)) return 'none';
  const alert = read(name, 'data/alert.json') as { readonly fired_at: string; readonly service: string };
  const before = (read(name, 'data/context/deploys.json') as readonly Deploy[])
    .filter(
      ({ timestamp, service }) => timestamp <= alert.fired_at && (!ofService || service === alert.service),
    )
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  return before[0]?.commit_sha ?? 'none';
}

const rows: (readonly string[])[] = [];
const totals = {
  exact: 0,
  third: 0,
  culprits: 0,
  decoy: 0,
  first: 0,
  abstained: 0,
  last: 0,
  lastOfService: 0,
  ms: [] as number[],
  validity: 0,
};

for (const name of names) {
  const truth = read(name, 'truth.json') as Truth;
  const started = performance.now();
  const incident = await investigate(null, { replay: join(folder, name), settings: { model: 'extractive' } });
  const ms = performance.now() - started;
  const ids = incident.suspects.map(({ id }) => id);
  const rank = ids.indexOf(truth.root_cause_commit) + 1;
  const guilty = truth.root_cause_commit !== 'none';
  const exact =
    truth.abstain === true
      ? incident.verdict === 'inconclusive'
      : guilty
        ? incident.verdict === 'code_change' && rank === 1
        : truth.root_cause_flag !== undefined
          ? incident.verdict === 'config_change' && ids[0] === truth.root_cause_flag
          : incident.verdict === 'no_code_change';
  const decoys = guilty
    ? truth.decoy_deploy_commits.filter(
        (id) => ids.includes(id) && (rank === 0 || ids.indexOf(id) + 1 < rank),
      ).length
    : 0;
  const first = incident.first_failing_service === truth.first_failing_service;
  totals.exact += Number(exact);
  totals.culprits += Number(guilty);
  totals.third += Number(guilty && rank > 0 && rank <= 3);
  totals.decoy += decoys;
  totals.first += Number(first);
  totals.abstained += Number(incident.verdict === 'inconclusive');
  totals.last += Number(lastDeploy(name, false) === truth.root_cause_commit);
  totals.lastOfService += Number(lastDeploy(name, true) === truth.root_cause_commit);
  totals.ms.push(ms);
  totals.validity += incident.validity_score;
  rows.push([
    name,
    incident.verdict,
    exact ? 'yes' : 'no',
    guilty ? String(rank || '-') : '',
    String(decoys),
    first ? 'yes' : 'no',
    incident.validity_score.toFixed(2),
    `${ms.toFixed(0)} ms`,
  ]);
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const head = [
  'incident',
  'verdict',
  'exact',
  'rank of the guilty commit',
  'decoys above it',
  'first failing service',
  'validity',
  'time',
];
console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
const of = `of ${names.length}`;
const middle = totals.ms.toSorted((a, b) => a - b)[totals.ms.length >> 1] ?? 0;
console.log(
  [
    '',
    `exact ${totals.exact} ${of}; guilty commit within three ${totals.third} of ${totals.culprits}; decoys above it ${totals.decoy}`,
    `first failing service ${totals.first} ${of}; no verdict ${totals.abstained} ${of}; validity ${(totals.validity / names.length).toFixed(2)}`,
    `guesses: the last deploy is right ${totals.last} ${of}, the last of the alert's service ${totals.lastOfService} ${of}`,
    `time in the middle ${middle.toFixed(0)} ms, at most ${Math.max(...totals.ms).toFixed(0)} ms (the first loads the program)`,
  ].join('\n'),
);
