/**
 * Three workers, each with processes that the others do not see, carry twelve runs of ten steps through, while something
 * goes wrong with the first of them, with the way to the server, or with the server. Afterwards the history of each run
 * and its bill must be exact, nothing held, and no run failed.
 * `node bench/team-faults.ts [--rounds 1] [--faults 'kill;stop;…'] [--lease 2000]` starts a PostgreSQL of its own. Prints a line of JSON
 * for each round that was wrong, and one for all.
 * What else holds for a team's queue, its limit: `bench/team-limit.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresQueue, openPostgresStore } from '../src/bench.ts';
import { type BenchServer, startServer } from './team/server.ts';
import { openWire, type Wire } from './team/wire.ts';
import { stepsOfRun, topic, type WorkerTerms } from './team/worker.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    faults: { type: 'string' },
    lease: { type: 'string', default: '2000' },
  },
});
const terms: WorkerTerms = {
  leaseMs: Number(values.lease),
  resource: 'tokens',
  share: 5_000,
  asked: 100,
  billed: 70,
};
const runs = Array.from({ length: 12 }, (_, n) => `run-${n}`);
/** The name of the last statement of a transaction, as it goes over the wire. */
const commitMessage = 'commit\0';
const program = join(import.meta.dirname, 'team/worker.ts');

interface Worker {
  readonly child: ChildProcess;
  /** Signals all processes of it. */
  signal(name: NodeJS.Signals): void;
}

interface Scene {
  readonly workers: Worker[];
  readonly wire: Wire;
  readonly server: BenchServer;
  begin(): Worker;
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
}

interface Fault {
  /** Seconds by which the clocks of the workers are off. */
  readonly clocks?: readonly string[];
  /** How many begin. */
  readonly workers?: number;
  /** How many deaths of jobs it may cause: of jobs that one worker has at most. */
  readonly deaths: boolean;
  cause(scene: Scene): Promise<void>;
}

const faults: Readonly<Record<string, Fault>> = {
  none: { deaths: false, async cause() {} },
  kill: {
    deaths: true,
    async cause({ workers }) {
      workers[0]!.signal('SIGKILL');
    },
  },
  stop: {
    deaths: true,
    async cause({ workers }) {
      workers[0]!.signal('SIGSTOP');
      await sleep(4_000);
      workers[0]!.signal('SIGCONT');
    },
  },
  // The server has the beginning of a commit, and its sender stands still for longer than its lease.
  'stop inside a commit': {
    deaths: true,
    async cause({ workers, wire }) {
      wire.breaksOffAt = commitMessage;
      for (let n = 0; wire.breaksOffAt !== null && n < 500; n += 1) await sleep(1);
      workers[0]!.signal('SIGSTOP');
      await sleep(4_000);
      workers[0]!.signal('SIGCONT');
    },
  },
  'kill inside a commit': {
    deaths: true,
    async cause({ workers, wire }) {
      wire.breaksOffAt = commitMessage;
      for (let n = 0; wire.breaksOffAt !== null && n < 500; n += 1) await sleep(1);
      workers[0]!.signal('SIGKILL');
    },
  },
  cut: {
    deaths: true,
    async cause({ wire }) {
      for (let n = 0; n < 10; n += 1) {
        wire.cut();
        await sleep(150);
      }
    },
  },
  'lost replies': {
    deaths: true,
    async cause({ wire }) {
      for (let n = 0; n < 5; n += 1) {
        wire.losesAnswers = true;
        await sleep(300);
        wire.cut();
        wire.losesAnswers = false;
        await sleep(200);
      }
    },
  },
  'partition of 5 s': { deaths: true, cause: ({ wire }) => halt(wire, 5_000) },
  'partition of 12 s': { deaths: true, cause: ({ wire }) => halt(wire, 12_000) },
  'backends terminated': {
    deaths: true,
    async cause({ sql }) {
      for (let n = 0; n < 5; n += 1) {
        await sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL`,
        ).catch(() => {});
        await sleep(200);
      }
    },
  },
  'restart, fast': {
    deaths: true,
    async cause({ server }) {
      server.restart('fast');
    },
  },
  'restart, immediate': {
    deaths: true,
    async cause({ server }) {
      server.restart('immediate');
    },
  },
  'clocks an hour off': { clocks: ['+1h', '-1h'], deaths: false, async cause() {} },
  'clocks an hour off, kill': {
    clocks: ['+1h', '-1h'],
    deaths: true,
    async cause({ workers }) {
      workers[0]!.signal('SIGKILL');
    },
  },
  // They find what another one is at, and leave it to it.
  'others start': {
    workers: 1,
    deaths: false,
    async cause({ begin, workers }) {
      for (let n = 0; n < 3; n += 1) {
        workers.push(begin());
        await sleep(300);
      }
    },
  },
};

async function halt(wire: Wire, ms: number): Promise<void> {
  wire.halts = true;
  await sleep(ms);
  wire.halts = false;
}

const [clockLibrary] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

/** A worker that stands alone, as on a machine of its own, where this process may do that. */
const apart = process.getuid?.() === 0 && existsSync('/usr/bin/unshare');

function startWorker(
  url: string,
  bills: string,
  clock: string | undefined,
  told: (line: Told) => void,
): Worker {
  const command = [
    ...(apart ? ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] : []),
    ...[process.execPath, program, url, bills, '4', JSON.stringify(terms)],
  ];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Without its wrapper, which does not work where two processes have one number.
    env: {
      ...process.env,
      ...(clock !== undefined && {
        LD_PRELOAD: clockLibrary,
        FAKETIME: clock,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    },
  });
  createInterface({ input: child.stdout! }).on('line', (line) => told(JSON.parse(line)));
  const below = (pid: number): readonly number[] => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid, ...(children === '' ? [] : children.split(' ').map(Number)).flatMap(below)];
  };
  return {
    child,
    signal(name) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      for (const pid of below(child.pid!).toReversed()) process.kill(pid, name);
    },
  };
}

interface Told {
  /** Which worker. */
  readonly by?: number;
  readonly ready?: true;
  readonly step?: string;
  readonly took?: string;
  readonly deaths?: number;
  readonly at?: number;
  readonly left?: string;
  readonly code?: string;
  readonly message?: string;
}

const number = (row: Record<string, unknown> | undefined, name: string): number => Number(row?.[name]);

async function trial(server: BenchServer, { cause, clocks = [], workers: count = 3, deaths }: Fault) {
  const url = await server.fresh();
  const place = mkdtempSync(join(tmpdir(), 'sonde-bench-faults-'));
  const bills = join(place, 'bills');
  const store = openPostgresStore({ url });
  const queue = openPostgresQueue({ url });
  await store.accounts.open({
    id: 'team',
    parent: null,
    limits: { tokens: runs.length * terms.share },
    reserve: {},
  });
  for (const id of runs)
    await store.runs.create({ id, shape: 'research', question: 'Who?', root: '/', params: {} });
  await queue.enqueue(runs.map((key) => ({ topic, key, team: 'a', payload: null })));
  const wire = await openWire({ host: '127.0.0.1', port: server.port });
  const through = new URL(url);
  through.port = String(wire.port);
  const lines: Told[] = [];
  // The first one goes the way that breaks.
  const begin = (nth: number): Worker =>
    startWorker(
      nth === 0 ? String(through) : url,
      bills,
      clocks[nth],
      (line) => void lines.push({ ...line, by: nth, at: performance.now() }),
    );
  const workers = Array.from({ length: count }, (_, nth) => begin(nth));
  const sql: Scene['sql'] = async (text) => {
    const client = new pg.Client({ connectionString: url, options: '-c search_path=sonde' });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const late = performance.now() + 90_000;
  const isUnderWay = (): boolean =>
    lines.filter(({ step }) => step !== undefined).length >= 20 &&
    lines.some(({ by, step }) => by === 0 && step !== undefined);
  while (!isUnderWay() && performance.now() < late) await sleep(10);
  const wasUnderWay = isUnderWay();
  const broke = performance.now();
  if (wasUnderWay) await cause({ workers, wire, server, begin: () => begin(workers.length), sql });
  const over = performance.now();
  let left = runs.length;
  while (left > 0 && performance.now() < late) {
    await sleep(50);
    const rows = await sql(
      `SELECT count(*) AS n FROM queue_jobs WHERE state IN ('waiting', 'running')`,
    ).catch(() => []);
    left = rows.length === 0 ? left : number(rows[0], 'n');
  }
  const ms = Math.round(performance.now() - over);
  const again = lines.filter(({ took, deaths: lost = 0 }) => took !== undefined && lost > 0);
  const takenUp = again.map(({ at = broke }) => Math.round(at - broke));
  // What was late may still come.
  await sleep(300);
  const [jobs] = await sql(
    `SELECT count(*) FILTER (WHERE state = 'done') AS done, sum(deaths) AS deaths FROM queue_jobs`,
  );
  const [history] = await sql(`SELECT
    (SELECT count(*) FROM runs WHERE status = 'finished') AS finished,
    (SELECT count(*) FROM journal WHERE key ~ '^step-[0-9]+$') AS steps,
    (SELECT count(*) FROM events WHERE key ~ '^told-') AS told,
    (SELECT count(*) FROM events WHERE key = 'run-finished') AS ends,
    (SELECT count(*) FROM (SELECT run FROM events GROUP BY run HAVING max(seq) <> count(*)) AS gaps) AS gaps`);
  const booked = await sql(`SELECT id, account, state, (asked::json->>'tokens')::bigint AS asked,
    (spent::json->>'tokens')::bigint AS spent FROM reservations WHERE run NOT LIKE '%.part'`);
  const all = new Set(booked.map(({ id }) => String(id)));
  const effects = readFileSync(bills, 'utf8').trim().split('\n');
  const due = booked.reduce(
    (sum, row) => sum + (row['state'] === 'settled' ? number(row, 'spent') : number(row, 'asked')),
    0,
  );
  const [held] = await sql(`SELECT (SELECT count(*) FROM reservations WHERE state = 'open') AS open,
    (SELECT sum(held) FROM balances) AS held, (SELECT spent FROM balances WHERE account = 'team' AND resource = 'tokens') AS team,
    (SELECT sum(spent) FROM balances WHERE account <> 'team' AND resource = 'tokens') AS runs,
    (SELECT count(*) FROM leases WHERE host IS NOT NULL) AS leases`);
  const unpaid = effects.filter((line) => {
    const [run, step, fence] = line.split(' ');
    return !all.has(`${run}/step-${step}#${fence}`);
  });
  const foreign = lines.filter(
    ({ code }) => code !== undefined && !/^(lease_lost|run_state|store_)/.test(code),
  );
  const steps = runs.length * stepsOfRun;
  const wrong = [
    ...(left > 0 || number(jobs, 'done') !== runs.length ? ['runs left'] : []),
    ...(number(history, 'finished') !== runs.length || number(history, 'ends') !== runs.length
      ? ['ends']
      : []),
    ...(number(history, 'steps') !== steps || number(history, 'told') !== steps ? ['steps'] : []),
    ...(number(history, 'gaps') > 0 ? ['gaps'] : []),
    ...(number(held, 'team') !== due || number(held, 'runs') !== due || unpaid.length > 0 ? ['bill'] : []),
    ...(number(held, 'open') > 0 || number(held, 'held') > 0 || number(held, 'leases') > 0 ? ['held'] : []),
    ...(foreign.length > 0 ? ['failed'] : []),
    ...(!deaths && number(jobs, 'deaths') > 0 ? ['deaths'] : []),
  ];
  for (const worker of workers) worker.signal('SIGKILL');
  wire.close();
  await store.close();
  await queue.close();
  rmSync(place, { recursive: true, force: true });
  const recovered = booked.filter(({ state }) => state === 'recovered').length;
  const seen = { ...jobs, ...history, ...held, due, unpaid, foreign: foreign.slice(0, 3), left };
  return {
    wasUnderWay,
    wrong,
    ms,
    takenUp,
    recovered,
    deaths: number(jobs, 'deaths'),
    again: effects.length - steps,
    brokenOff: wire.brokenOff,
    seen,
  };
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);

const names = values.faults?.split(';') ?? Object.keys(faults);
const server = await startServer();
try {
  const table = [];
  for (const name of names) {
    const fault = faults[name];
    if (fault === undefined) throw new Error(`There is no fault ${name}: ${Object.keys(faults).join(', ')}`);
    const trials = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      // Where the others had carried all through before the first one was there, nothing went wrong: it is tried again.
      let one = await trial(server, fault);
      for (let again = 0; !one.wasUnderWay && again < 5; again += 1) one = await trial(server, fault);
      if (one.wrong.length > 0) console.log(JSON.stringify({ fault: name, round, ...one }));
      trials.push(one);
    }
    table.push({
      fault: name,
      rounds: trials.length,
      right: trials.filter(({ wrong }) => wrong.length === 0).length,
      // From the end of the fault to that of the last run.
      median_ms: median(trials.map(({ ms }) => ms)),
      max_ms: Math.max(...trials.map(({ ms }) => ms)),
      // From its beginning until a run that was lost with its worker goes on at another.
      max_taken_up_ms: Math.max(0, ...trials.flatMap(({ takenUp }) => takenUp)),
      deaths: sum(trials.map(({ deaths }) => deaths)),
      counted_unknown: sum(trials.map(({ recovered }) => recovered)),
      asked_again: sum(trials.map(({ again }) => again)),
      broken_off: sum(trials.map(({ brokenOff }) => brokenOff)),
    });
    console.log(JSON.stringify(table.at(-1)));
  }
} finally {
  server.stop();
}
