/**
 * Makes claims of the kind "incidents" for `claims.ts` out of the reports of the engine over frozen incidents: true
 * ones are what a report says, false ones the same with one thing made wrong: a number, a number of another line, the
 * service, the metric, the direction, the order of two values, a time, an event. By hand, a file adds others.
 * `node bench/claims-reports.ts FOLDER [CLAIMS.txt] > SETS/tune/reports.jsonl`: a line of the file is
 * `incident|evidence|T or F kind|claim`, its evidence `m` metrics, `p` patterns, `l` lines, `t` traces, `a` the alert,
 * `c:ID` a change.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Evidence, systemClock } from '../src/core/index.ts';
import { listEvidence } from '../src/core/runs.ts';
import { extractive } from '../src/model/index.ts';
import { openFrozen } from '../src/signals/index.ts';
import { openStore } from '../src/store/index.ts';
import { incidentRun } from '../src/tasks/incident/index.ts';

interface Lines {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Case {
  readonly incident: string;
  readonly kind: string;
  readonly isTrue: boolean;
  readonly text: string;
  readonly original: string;
  readonly lines: readonly Lines[];
}

const folder = resolve(process.argv[2] ?? join(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents'));
const incidents = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'data')))
  : [];
if (incidents.length === 0) {
  console.error(`${folder} holds no incidents: name a folder of folders with data/`);
  process.exit(0);
}
const byHand = process.argv[3] === undefined ? [] : readFileSync(process.argv[3], 'utf8').split('\n');

const store = openStore(join(mkdtempSync(join(tmpdir(), 'sonde-bench-')), 'sonde.db'));
const cases: Case[] = [];
for (const name of incidents) {
  const frozen = await openFrozen({ folder: join(folder, name), clock: systemClock });
  const { incident } = await incidentRun.start(
    { alert: frozen.alert ?? '', root: folder, ...(frozen.span !== null && { now: frozen.span.to }) },
    { store, models: { planner: extractive }, signals: [frozen.signal] },
  );
  const evidence = listEvidence(await store.events(incident.run_id));
  const names = namesIn(evidence);
  const held = new Map(evidence.map((one) => [one.id, one]));
  const add = (
    kind: string,
    isTrue: boolean,
    text: string,
    shown: readonly Evidence[],
    original = text,
  ): void => {
    cases.push({ incident: name, kind, isTrue, text, original, lines: shown.map(linesOf) });
  };
  const own = new Map(
    incident.validated_claims.concat(incident.non_validated_claims).map((one) => [one.text, one]),
  );
  for (const { text, evidence: ids } of own.values()) {
    const shown = ids.flatMap((id) => held.get(id) ?? []);
    add('report', true, text, shown);
    const contents = shown.map(({ content }) => content);
    for (const [kind, wrong] of wronged(text, contents, names)) add(kind, false, wrong, shown, text);
  }
  for (const line of byHand) {
    const [incidentOf, what = '', label = '', ...rest] = line.split('|');
    if (incidentOf !== name) continue;
    const shown = what.split(',').flatMap((one) => evidence.filter((item) => isMeant(one, item)));
    const kind = label.slice(1).trim();
    add(kind, label.startsWith('T'), rest.join('|'), shown);
  }
}
await store.close();

const mutations: Readonly<Record<string, string>> = {
  number: 'figure',
  'number of another line': 'neighbour',
  service: 'neighbour',
  metric: 'neighbour',
  'order of values': 'direction',
  order: 'direction',
};
for (const { incident, kind, isTrue, text, original, lines } of cases) {
  const id = createHash('sha256').update(`${incident}\n${kind}\n${text}`).digest('hex').slice(0, 8);
  const row = { id: `report-${incident}-${id}`, source: `report-${incident}`, kind: 'incidents' };
  const wrong = isTrue ? {} : { mutation: mutations[kind] ?? kind, original };
  console.log(JSON.stringify({ ...row, wording: 'report', claim: text, lines, truth: isTrue, ...wrong }));
}

function linesOf({ file_path: path, content }: Evidence): Lines {
  return { path, start: 1, end: content.split('\n').length, text: content };
}

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
