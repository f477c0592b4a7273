/**
 * Frozen incidents without a model: is the verdict exact, is it wrong with confidence, how good is the confidence (Brier).
 * Beside it two guesses that need no engine: the last deploy before the alert, and the last one of the alert's service.
 * `node bench/incidents.ts FOLDER... [--part first|rest] [--only ID,ID] [--quiet]`: folders of folders with `data/` and
 * `truth.json` (or `truth/ID.json` beside them), or of JSON files that hold the files of a case as texts by name, with
 * `answer.yml`. No run reads an answer. `--part` takes the ten whose names come first by SHA-256, or the others; `--quiet`
 * counts and names no case. Exact is the blame where the answer names one, else the category or verdict. Each source has a
 * row of its own: the one that the answer names, else the folder.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { incident } from '../src/index.ts';

type Words = string | readonly string[];

interface Truth {
  /** `none` where no commit is to blame. */
  readonly root_cause_commit?: string;
  /** Where a flag is to blame. */
  readonly root_cause_flag?: string;
  /** Where nothing that is at hand shows the cause: then no verdict is the right one. */
  readonly abstain?: boolean;
  readonly first_failing_service?: string;
  readonly decoy_deploy_commits?: readonly string[];
  /** In the words of the result; several that are as right stand in a list. */
  readonly verdict?: Words;
  /** Where others are as right. */
  readonly verdicts_accepted?: readonly string[];
  /** The same, as others call it. */
  readonly accepted_verdicts?: readonly string[];
  readonly accepted_blamed_ids?: readonly string[];
  readonly root_cause_category?: Words;
  readonly blamed?:
    | Words
    | { readonly id?: Words | null; readonly kind?: string }
    | readonly (Accepted | null)[]
    | null;
  /** Where it comes from: `broken for real: ...`, `the field: ...`, `decoy`, or the title of a postmortem. */
  readonly source?: string;
}

/** Any of several that are right; null where to name nothing is. */
interface Accepted {
  readonly id: string;
  readonly aka?: readonly string[];
}

type Found = Awaited<ReturnType<typeof incident>>;

interface Case {
  /** Told in the table; the folder that is looked at has another name. */
  readonly name: string;
  readonly folder: string;
  readonly truth: Truth;
  readonly source: string;
}

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string' }, only: { type: 'string' }, quiet: { type: 'boolean' } },
});
const folders = (
  positionals.length > 0 ? positionals : [join(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents')]
).map((one) => resolve(one));
const scratch = mkdtempSync(join(tmpdir(), 'sonde-bench-'));
process.env['SONDE_HOME'] = join(scratch, 'home');

const cases = folders.flatMap((folder) => (existsSync(folder) ? casesIn(folder) : []));
if (cases.length === 0) {
  console.log(`${folders.join(', ')} holds no incidents: name a folder of folders with data/ and truth.json`);
  process.exit(0);
}

function casesIn(root: string): readonly Case[] {
  const hashed = (name: string): string =>
    createHash('sha256')
      .update(name.replace(/\.json$/, ''))
      .digest('hex');
  const names = readdirSync(root)
    .filter((name) => name.endsWith('.json') || truthAt(root, name) !== null)
    .filter((name) => options.only === undefined || options.only.split(',').includes(name))
    .toSorted((a, b) => (options.part === undefined ? (a < b ? -1 : 1) : hashed(a) < hashed(b) ? -1 : 1));
  const part =
    options.part === 'first' ? names.slice(0, 10) : options.part === 'rest' ? names.slice(10) : names;
  return part.map((name, n) => (name.endsWith('.json') ? packed(root, name, n) : unpacked(root, name)));
}

function unpacked(root: string, name: string): Case {
  const truth = JSON.parse(readFileSync(truthAt(root, name)!, 'utf8')) as Truth;
  const isNamed = existsSync(join(root, name, 'truth.json'));
  const told = /^(broken for real|the field|decoy)/.exec(truth.source ?? '')?.[1];
  const source = told ?? (truth.source === undefined ? basename(root) : 'a published postmortem');
  return { name, folder: isNamed ? join(root, name) : join(root, name, 'data'), truth, source };
}

function truthAt(root: string, name: string): string | null {
  const places = [join(root, name, 'truth.json'), join(root, 'truth', `${name}.json`)];
  return places.find((one) => existsSync(one)) ?? null;
}

/** Its files as they are, under a neutral name; the answer stays outside. */
function packed(root: string, name: string, n: number): Case {
  const files = JSON.parse(readFileSync(join(root, name), 'utf8')) as Record<string, string>;
  const place = join(scratch, `case-${n}`);
  mkdirSync(place);
  for (const [file, text] of Object.entries(files))
    if (basename(file) === file) writeFileSync(join(place, file), text);
  const category = /^root_cause_category: *(\S+)/m.exec(files['answer.yml'] ?? '')?.[1] ?? '';
  return {
    name: name.replace(/\.json$/, ''),
    folder: place,
    truth: { root_cause_category: category },
    source: basename(root),
  };
}

const verdictsOf = (truth: Truth): Words | undefined =>
  truth.verdicts_accepted ?? truth.accepted_verdicts ?? truth.verdict;

const among = (wanted: Words, had: string): boolean => [wanted].flat().includes(had);

const tellsNothing = (verdict: string): boolean => verdict === 'inconclusive' || verdict === 'unrelated';

/** An alert about something that no record explains. */
const isOther = ({ abstain, verdict }: Truth): boolean =>
  abstain === true || tellsNothing([verdict ?? ''].flat()[0] ?? '');

/** Whether what is blamed is what the answer says, else whether the verdict and the category are. */
function isExact(truth: Truth, { verdict, blamed, root_cause_category: category }: Found): boolean {
  if (truth.abstain === true) return tellsNothing(verdict);
  if (truth.root_cause_flag !== undefined) return blamed?.id === truth.root_cause_flag;
  if (truth.root_cause_commit !== undefined && truth.root_cause_commit !== 'none')
    return among(verdictsOf(truth) ?? 'code_change', verdict) && blamed?.id === truth.root_cause_commit;
  if (truth.root_cause_commit === 'none' && truth.verdict === undefined)
    return verdict === 'no_code_change' || verdict === 'state';
  if (Array.isArray(truth.blamed)) return isAccepted(truth, truth.blamed, verdict, blamed?.id ?? null);
  const named =
    typeof truth.blamed === 'object' && truth.blamed !== null && 'id' in truth.blamed
      ? truth.blamed.id
      : (truth.blamed as Words | null | undefined);
  const accepted = typeof truth.blamed === 'object' && truth.blamed !== null && 'accepted' in truth.blamed;
  const also = accepted ? ((truth.blamed as { readonly accepted?: readonly string[] }).accepted ?? []) : [];
  // Whoever sends more has as many names as there are people to tell of it.
  const isTraffic = (truth.blamed as { readonly kind?: string } | null)?.kind === 'traffic';
  const known = isTraffic && blamed?.kind === 'traffic';
  const ids =
    named === null || named === undefined || known
      ? []
      : [named, also, truth.accepted_blamed_ids ?? []].flat();
  const had = (blamed?.id ?? '').toLowerCase();
  return (
    (truth.verdict === undefined || among(verdictsOf(truth) ?? [], verdict)) &&
    (truth.root_cause_category === undefined ||
      truth.verdict !== undefined ||
      among(truth.root_cause_category, category)) &&
    (ids.length === 0 ||
      ids.some((id) => had !== '' && (had.includes(id.toLowerCase()) || id.toLowerCase().includes(had))))
  );
}

const holdsEither = (a: string, b: string): boolean =>
  a.toLowerCase().includes(b.toLowerCase()) || b.toLowerCase().includes(a.toLowerCase());

function isAccepted(
  truth: Truth,
  list: readonly (Accepted | null)[],
  verdict: string,
  had: string | null,
): boolean {
  if (truth.verdict !== undefined && !among(truth.verdict, verdict)) return false;
  return had === null
    ? list.includes(null)
    : list.some((one) => one !== null && [one.id, ...(one.aka ?? [])].some((id) => holdsEither(id, had)));
}

/** Not exact, and sure of it: it counts twice. */
const isConfidentlyWrong = (exact: boolean, { verdict, confidence }: Found): boolean =>
  !exact && (confidence ?? 0) >= 0.5 && !tellsNothing(verdict);

interface Deploy {
  readonly timestamp: string;
  readonly service: string;
  readonly commit_sha: string;
}

/** The guess that people make first. */
function lastDeploy({ folder: place }: Case, ofService: boolean): string {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(place, file), 'utf8'));
  if (!existsSync(join(place, 'data/context/deploys.json')) || !existsSync(join(place, 'data/alert.json')))
    return 'none';
  const alert = read('data/alert.json') as { readonly fired_at: string; readonly service: string };
  const before = (read('data/context/deploys.json') as readonly Deploy[])
    .filter(
      ({ timestamp, service }) => timestamp <= alert.fired_at && (!ofService || service === alert.service),
    )
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  return before[0]?.commit_sha ?? 'none';
}

const totals = {
  exact: 0,
  /** Exact, and something is blamed: only then there is a confidence. */
  blamed: 0,
  wronglyHealthy: 0,
  /** Alerts about something else, where to blame nothing is right. */
  other: 0,
  otherTold: 0,
  otherSure: 0,
  wrong: 0,
  sure: 0,
  decoy: 0,
  first: 0,
  firsts: 0,
  none: 0,
  last: 0,
  own: 0,
  brier: [] as number[],
  ms: [] as number[],
};
const rows: (readonly string[])[] = [];
interface BySource {
  n: number;
  exact: number;
  blamed: number;
  sure: number;
  wrong: number;
  brier: number[];
}
const sources = new Map<string, BySource>();
for (const one of cases) {
  const { truth } = one;
  const started = performance.now();
  const found = await incident({ replay: one.folder, settings: { model: 'extractive' } });
  const ms = performance.now() - started;
  const exact = isExact(truth, found);
  const wrong = isConfidentlyWrong(exact, found);
  const isDecoy = truth.decoy_deploy_commits?.includes(found.blamed?.id ?? '') === true;
  totals.exact += Number(exact);
  totals.wrong += Number(wrong);
  const isSure = exact && (found.confidence ?? 0) >= 0.5;
  totals.sure += Number(isSure);
  totals.blamed += Number(exact && found.confidence !== null);
  totals.wronglyHealthy += Number(!exact && found.verdict === 'healthy');
  totals.decoy += Number(isDecoy);
  totals.none += Number(tellsNothing(found.verdict));
  totals.other += Number(isOther(truth));
  totals.otherTold += Number(isOther(truth) && tellsNothing(found.verdict));
  totals.otherSure += Number(isOther(truth) && wrong);
  const own = sources.get(one.source) ?? { n: 0, exact: 0, blamed: 0, sure: 0, wrong: 0, brier: [] };
  sources.set(one.source, own);
  own.n += 1;
  own.exact += Number(exact);
  own.blamed += Number(exact && found.confidence !== null);
  own.sure += Number(isSure);
  own.wrong += Number(wrong);
  if (found.confidence !== null) own.brier.push((found.confidence - Number(exact)) ** 2);
  if (truth.first_failing_service !== undefined) {
    totals.firsts += 1;
    totals.first += Number(found.first_failing_service === truth.first_failing_service);
  }
  if (found.confidence !== null) totals.brier.push((found.confidence - Number(exact)) ** 2);
  totals.last += Number(lastDeploy(one, false) === truth.root_cause_commit);
  totals.own += Number(lastDeploy(one, true) === truth.root_cause_commit);
  totals.ms.push(ms);
  rows.push([
    one.name,
    found.verdict,
    found.root_cause_category,
    `${found.blamed?.kind ?? ''} ${(found.blamed?.id ?? '').slice(0, 28)}`.trim(),
    found.confidence === null ? '' : String(found.confidence),
    found.links.map(({ kind }) => kind).join(' '),
    exact ? 'yes' : wrong ? 'no, and sure' : 'no',
    `${ms.toFixed(0)} ms`,
  ]);
}
rmSync(scratch, { recursive: true, force: true });

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const head = ['incident', 'verdict', 'category', 'blamed', 'confidence', 'links', 'exact', 'time'];
if (options.quiet !== true)
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
const mean = (all: readonly number[]): number =>
  all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length);
/** Too few of the exact ones that blame something stand at .5 or more for the confidence to say anything. */
const calibration = (sure: number, exact: number): string => (sure >= 0.75 * exact ? '' : 'uncalibrated');
const headOfSources = [
  'source',
  'incidents',
  'exact',
  'confidently wrong',
  'at .5 or more, of the exact that blame',
  'Brier',
  '',
];
console.log(
  [
    '',
    line(headOfSources),
    line(headOfSources.map(() => '---')),
    ...[...sources]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { n, exact, blamed, sure, wrong, brier: all }]) =>
        line([
          name,
          `${n}`,
          `${exact}`,
          `${wrong}`,
          `${sure} of ${blamed}`,
          mean(all).toFixed(3),
          calibration(sure, blamed),
        ]),
      ),
  ].join('\n'),
);
const of = `of ${cases.length}`;
const middle = totals.ms.toSorted((a, b) => a - b)[totals.ms.length >> 1] ?? 0;
const brier = totals.brier.reduce((sum, one) => sum + one, 0) / Math.max(1, totals.brier.length);
console.log(
  [
    '',
    `exact ${totals.exact} ${of}; confidently wrong ${totals.wrong}; exact less twice that ${totals.exact - 2 * totals.wrong}; decoys blamed ${totals.decoy}`,
    `alerts about something else: ${totals.otherTold} of ${totals.other} told, ${totals.otherSure} confidently wrong`,
    `of the exact that blame something ${totals.sure} of ${totals.blamed} stand at .5 or more${calibration(totals.sure, totals.blamed) === '' ? '' : ': UNCALIBRATED'}; wrongly healthy ${totals.wronglyHealthy}; Brier ${brier.toFixed(3)} over ${totals.brier.length}; no verdict ${totals.none} ${of}`,
    `first failing service ${totals.first} of ${totals.firsts}; guesses: the last deploy is right ${totals.last}, the last of the alert's service ${totals.own}`,
    `time in the middle ${middle.toFixed(0)} ms, at most ${Math.max(...totals.ms).toFixed(0)} ms (the first loads the program)`,
  ].join('\n'),
);
