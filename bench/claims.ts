/**
 * How well code tells claims that evidence shows from those that it does not. True claims are those of the reports
 * over frozen incidents, and what a file adds by hand; false ones are the same with one thing made wrong: a number, a
 * number of another line, the service, the metric, the direction, the order of two values, a time, an event. Beside
 * the check stands one that only looks whether each number, time, hash and quote stands anywhere in the evidence.
 * `node bench/claims.ts FOLDER [CLAIMS.txt]`: a line of the file is `incident|evidence|T or F kind|claim`, its evidence
 * `m` metrics, `p` patterns, `l` lines, `t` traces, `a` the alert, `c:ID` a change.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Evidence, evidenceOf, systemClock } from '../src/core/index.ts';
import { extractive } from '../src/model/index.ts';
import { openFrozen } from '../src/signals/index.ts';
import { openStore } from '../src/store/index.ts';
import { type Known, unshown } from '../src/tasks/incident/diagnose/proof/prove.ts';
import { incidentRun } from '../src/tasks/index.ts';

interface Case {
  readonly incident: string;
  readonly kind: string;
  readonly isTrue: boolean;
  readonly text: string;
  readonly contents: readonly string[];
  readonly known: Known;
}

const folder = resolve(process.argv[2] ?? join(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents'));
const incidents = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'data')))
  : [];
if (incidents.length === 0) {
  console.log(`${folder} holds no incidents: name a folder of folders with data/`);
  process.exit(0);
}
const byHand = process.argv[3] === undefined ? [] : readFileSync(process.argv[3], 'utf8').split('\n');
const verbose = process.argv.includes('--verbose');

const store = openStore(join(mkdtempSync(join(tmpdir(), 'sonde-bench-')), 'sonde.db'));
const cases: Case[] = [];
for (const name of incidents) {
  const frozen = await openFrozen({ folder: join(folder, name), clock: systemClock });
  const { incident } = await incidentRun.start(
    { alert: frozen.alert ?? '', root: folder, ...(frozen.span !== null && { now: frozen.span.to }) },
    { store, models: { planner: extractive }, signals: [frozen.signal] },
  );
  const evidence = evidenceOf(store.events(incident.run_id));
  const names = namesIn(evidence);
  const known: Known = { names, firstFailing: incident.first_failing_service };
  const held = new Map(evidence.map(({ id, content }) => [id, content]));
  const add = (kind: string, isTrue: boolean, text: string, contents: readonly string[]): void => {
    cases.push({ incident: name, kind, isTrue, text, contents, known });
  };
  const own = new Map(
    incident.validated_claims.concat(incident.non_validated_claims).map((one) => [one.text, one]),
  );
  for (const { text, evidence: ids } of own.values()) {
    const contents = ids.flatMap((id) => held.get(id) ?? []);
    add('report', true, text, contents);
    for (const [kind, wrong] of wronged(text, contents, names)) add(kind, false, wrong, contents);
  }
  for (const line of byHand) {
    const [incidentOf, what = '', label = '', ...rest] = line.split('|');
    if (incidentOf !== name) continue;
    const contents = what
      .split(',')
      .flatMap((one) => evidence.filter((item) => isMeant(one, item)).map(({ content }) => content));
    const kind = label.slice(1).trim();
    add(`by hand${kind === '' ? '' : `: ${kind}`}`, label.startsWith('T'), rest.join('|'), contents);
  }
}
store.close();

function isMeant(what: string, { file_path: path, symbol_id: id }: Evidence): boolean {
  if (what.startsWith('c:')) return id?.startsWith(what.slice(2)) === true && path.endsWith('/1');
  const parts: Readonly<Record<string, RegExp>> = {
    m: /metrics\/1$/,
    p: /patterns\/1$/,
    l: /lines\/\d+$/,
    t: /traces\/1$/,
    a: /^alert/,
    s: /status\/1$/,
  };
  return parts[what]?.test(path) === true;
}

/** As the engine knows them from its rows; here from the texts. */
function namesIn(evidence: readonly Evidence[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { content, symbol_id: id, symbol_kind: kind } of evidence) {
    for (const [, metric] of content.matchAll(/^([a-z_][\w:]*)\{/gm)) names.add(metric!);
    for (const [, service] of content.matchAll(/service="([^"]+)"|^\S+ \S+ at \S+Z of (\S+?)(?: by .*)?:/gm))
      if (service !== undefined) names.add(service);
    for (const [, service] of content.matchAll(/^\d+x \([^)]*\) (\S+) (?:ERROR|WARN|INFO|FATAL|TRACE)/gm))
      names.add(service!);
    if (kind !== 'commit' && id !== null && id !== undefined) names.add(id);
  }
  return names;
}

/** The claim with one thing made wrong, each with what was done. */
function wronged(
  text: string,
  contents: readonly string[],
  names: ReadonlySet<string>,
): readonly (readonly [string, string])[] {
  const made: (readonly [string, string])[] = [];
  const move = /^(.*?)(\S+)( of (\S+))? went (up|down) from (\S+) to (\S+) since (\S+)\.$/.exec(text);
  const others = [
    ...contents.join('\n').matchAll(/^(\S+) (\S+): (?:up|down) since \S+ \(\w+\), from (\S+) to (\S+)$/gm),
  ];
  if (move !== null) {
    const [, , metric = '', of = '', service = '', way = '', from = '', to = '', since = ''] = move;
    const said = (parts: {
      metric?: string;
      of?: string;
      way?: string;
      from?: string;
      to?: string;
      since?: string;
    }): string =>
      `${parts.metric ?? metric}${parts.of ?? of} went ${parts.way ?? way} from ${parts.from ?? from} to ${parts.to ?? to} since ${parts.since ?? since}.`;
    made.push(['direction', said({ way: way === 'up' ? 'down' : 'up', from: to, to: from })]);
    made.push(['direction', said({ way: way === 'up' ? 'down' : 'up' })]);
    made.push(['order of values', said({ from: to, to: from })]);
    made.push(['number', said({ to: String(Number((Number(to) * 1.37 + 0.7).toPrecision(5))) })]);
    made.push([
      'time',
      said({
        since: since.replace(
          /T(\d\d):(\d\d)/,
          (_, h: string, m: string) => `T${h}:${String((Number(m) + 17) % 60).padStart(2, '0')}`,
        ),
      }),
    ]);
    const other = others.find(([, , name, a]) => name !== metric && a !== from);
    if (other !== undefined) {
      made.push(['number of another line', said({ to: other[4]! })]);
      made.push(['metric', said({ metric: other[2]!, of: ` of ${other[1]}` })]);
    }
    // Two series may have moved alike: then it would be true of both.
    const foreign = others.find(
      ([, who, name, a, b]) => who !== service && (name !== metric || (a !== from && b !== to)),
    );
    const stranger = foreign?.[1];
    const isAlike = others.some(
      ([, who, name, a, b]) => who === stranger && name === metric && a === from && b === to,
    );
    if (stranger !== undefined && !isAlike && of !== '')
      made.push(['service', said({ of: ` of ${stranger}` })]);
  }
  const logs = /^The logs of (\S+) hold (\d+) times (`.*`)\.$/.exec(text);
  if (logs !== null) {
    const [, service = '', count = '', template = ''] = logs;
    made.push(['number', `The logs of ${service} hold ${Number(count) + 11} times ${template}.`]);
    made.push(['event', `${service} was restarted ${count} times.`]);
    made.push(['event', `${service} lost ${count} customers.`]);
    const patterns = [...contents.join('\n').matchAll(/^(\d+)x (?:\([^)]*\) )?(\S+) /gm)];
    const other = patterns.find(([, n]) => n !== count);
    if (other !== undefined)
      made.push(['number of another line', `The logs of ${service} hold ${other[1]} times ${template}.`]);
    const stranger = patterns.find(([, , who]) => who !== service)?.[2];
    if (stranger !== undefined)
      made.push(['service', `The logs of ${stranger} hold ${count} times ${template}.`]);
  }
  const change = /^Commit (\w+), (".*?"), was deployed to (\S+) at (\S+Z)/.exec(text);
  if (change !== null) {
    const [, id = '', title = '', service = '', at = ''] = change;
    made.push([
      'time',
      `Commit ${id}, ${title}, was deployed to ${service} at ${at.replace(/T\d\d/, 'T03')}.`,
    ]);
    const stranger = [...names].find((one) => one !== service && /^[a-z-]{3,}$/.test(one));
    if (stranger !== undefined)
      made.push(['service', `Commit ${id}, ${title}, was deployed to ${stranger} at ${at}.`]);
    made.push(['event', `Commit ${id}, ${title}, deleted the customers of ${service}.`]);
    made.push(['order', `Commit ${id} was deployed to ${service} at ${at}, after it had been rolled back.`]);
  }
  return made;
}

/** What is weaker: everything exact stands somewhere, and one word is shared. */
function standsAnywhere({ text, contents }: Case): boolean {
  const all = contents.join('\n').replace(/\s+/g, ' ');
  const plain = (number: string): string => String(Number(number.replaceAll(',', '')));
  const stamps = /\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d{1,2}:\d\d(?::\d\d)?\b/g;
  const numbers = /(?<![\w.])\d[\d,]*(?:\.\d+)?/g;
  const held = new Set((all.match(numbers) ?? []).map(plain));
  const quotes = [...text.matchAll(/"([^"]{3,})"|`([^`]{2,})`/g)].map(([, a, b]) => a ?? b ?? '');
  const bare = text.replace(/"[^"]{3,}"|`[^`]{2,}`/g, ' ');
  const exact = [
    ...(bare.match(stamps) ?? []),
    ...(bare.match(/\b(?=\w*\d)[0-9a-f]{7,40}\b|\b[a-z]\w*_\w+/g) ?? []),
  ];
  const counted =
    bare
      .replace(stamps, ' ')
      .replace(/\b[0-9a-f]{7,40}\b/g, ' ')
      .match(numbers) ?? [];
  const words = bare.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return (
    quotes.every((one) => all.includes(one.replace(/\s+/g, ' '))) &&
    exact.every((one) => all.includes(one)) &&
    counted.every((one) => held.has(plain(one))) &&
    words.some((word) => all.toLowerCase().includes(word))
  );
}

const judged = cases.map((one) => {
  const reason = unshown(one.text, one.contents, one.known);
  return { ...one, reason, shown: reason === null, peer: standsAnywhere(one) };
});
if (verbose)
  for (const { incident, kind, isTrue, text, reason } of judged)
    if (isTrue === (reason !== null))
      console.log(
        `${isTrue ? 'refused' : 'SHOWN'} [${incident}, ${kind}] ${text}${reason === null ? '' : `\n    ${reason}`}`,
      );

const share = (part: number, all: number): string =>
  all === 0 ? '' : `${((100 * part) / all).toFixed(1)} %`;
const lineOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const kinds = [...new Set(judged.map(({ kind }) => kind))].sort();
console.log(lineOf(['claims', 'true?', 'number', 'taken for shown', 'by the weaker check']));
console.log(lineOf(['---', '---', '--:', '--:', '--:']));
for (const isTrue of [true, false])
  for (const kind of kinds) {
    const some = judged.filter((one) => one.kind === kind && one.isTrue === isTrue);
    if (some.length > 0)
      console.log(
        lineOf([
          kind,
          isTrue ? 'true' : 'false',
          some.length,
          some.filter(({ shown }) => shown).length,
          some.filter(({ peer }) => peer).length,
        ]),
      );
  }
for (const [name, of] of [
  ['this check', (one: (typeof judged)[number]) => one.shown],
  ['the weaker check', (one: (typeof judged)[number]) => one.peer],
] as const) {
  const taken = judged.filter(of);
  const right = taken.filter(({ isTrue }) => isTrue).length;
  const all = judged.filter(({ isTrue }) => isTrue).length;
  const wrong = judged.length - all;
  console.log(
    `${name}: precision ${share(right, taken.length)}, recall ${share(right, all)}, false claims refused ${share(wrong - (taken.length - right), wrong)} (${all} true, ${wrong} false)`,
  );
}
