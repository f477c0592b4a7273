/**
 * Asks a real system what its recording was asked, and tells how its answers differ in shape from the recorded
 * ones. The system is configured as for `sonde incident` (docs/configuration.md), keys come from the environment:
 *
 *   GRAFANA_URL=... GRAFANA_TOKEN=... node scripts/record-signals.ts grafana \
 *     [--hours 1] [--ask 'grafana_query={"source_uid":"prom","query":"up"}'] [--write FILE]
 *
 * `--ask` puts a question with arguments that mean something there. `--write` keeps what was asked and answered,
 * without credentials and with what looks like a secret masked; names and texts are the system's own, so read it
 * before you show it. Ends with 1 where a place is of another kind, or where the client can't read an answer.
 */
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { loadConfiguration, processEnvironment } from '../src/app/config/index.ts';
import { openSignals } from '../src/app/incident/signals.ts';
import { recordedSystems } from '../src/signals/recorded-systems.contract.ts';
import {
  driftOf,
  type Exchange,
  observe,
  type Recording,
  readRecording,
  recorder,
  windowOf,
} from '../src/signals/recording.contract.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    hours: { type: 'string', default: '1' },
    ask: { type: 'string', multiple: true, default: [] },
    write: { type: 'string' },
  },
});
const [system = ''] = positionals;
const known = recordedSystems[system];
if (known === undefined) {
  console.error(`Name one of ${Object.keys(recordedSystems).join(', ')}.`);
  process.exit(2);
}

const recording = readRecording(known.folder);
const { fetch, takeCalls } = recorder(globalThis.fetch);
globalThis.fetch = fetch;
const configuration = loadConfiguration({ environment: processEnvironment() });
const { signals, close } = await openSignals(configuration, null);
const signal = signals.find((one) => one.system === system);
if (signal === undefined) {
  console.error(`${system} is not configured: see docs/configuration.md.`);
  process.exit(2);
}
const health = await signal.health();
console.log(
  `${signal.source}: ${health.kind}${health.kind === 'healthy' ? ` ${health.version ?? ''}` : `, ${health.reason}`}`,
);

const to = Date.now();
const span = Number(flags.hours) * 3_600_000;
const [from, baselineFrom] = [to - span, to - 2 * span];
const times = { baseline_from: baselineFrom, from, to };
const window = Object.fromEntries(
  Object.entries(times).map(([name, at]) => [name, new Date(at).toISOString()]),
) as unknown as Recording['window'];

const own = flags.ask.map((text) => {
  const [, question = text, args = '{}'] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return { question, arguments: JSON.parse(args) as Exchange['arguments'] };
});
const fine = recording.exchanges.filter(({ calls }) => calls.every(({ reply }) => reply.status === 200));
const put = [...own, ...fine.filter(({ question }) => !own.some((one) => one.question === question))];

let bad = health.kind !== 'healthy';
const exchanges: Exchange[] = [];
takeCalls();
for (const { question, arguments: args } of put) {
  const observed = await observe(signal, { question, arguments: args }, windowOf({ ...recording, window }));
  const calls = takeCalls();
  exchanges.push({ question, arguments: args, calls, observed });
  const alike = fine.filter((one) => one.question === question);
  const same = alike.filter((one) => isDeepStrictEqual(one.arguments, args));
  const before = (same.length > 0 ? same : alike).flatMap((one) => one.calls);
  const answered = calls.filter(({ reply }) => reply.status < 300);
  const { gone, added, changed } = driftOf(before, answered, recording.free_keys);
  const unread =
    answered.length < calls.length || /^(bad_reply|refused|unreachable|timeout): /.test(observed[0] ?? '');
  console.log(`\n${question} ${JSON.stringify(args)}: ${unread ? observed[0] : `${observed.length} lines`}`);
  for (const place of changed) console.log(`  changed ${place}`);
  for (const place of answered.length > 0 ? gone : []) console.log(`  gone    ${place}`);
  for (const place of added) console.log(`  new     ${place}`);
  bad ||= unread || changed.length > 0;
}
await close();

if (flags.write !== undefined) {
  const version = `${health.kind === 'healthy' ? (health.version ?? 'no version told') : 'unhealthy'}, ${window.to}`;
  const real = { what: 'a real system', version, url: recording.compared_with[0]!.url };
  const kept: Recording = { ...recording, compared_with: [real], window, exchanges };
  writeFileSync(flags.write, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  console.log(`\nWritten to ${flags.write}. Read it before you show it to anybody.`);
}
process.exitCode = bad ? 1 : 0;
