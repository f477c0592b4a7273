/**
 * Three teams at two fronts of one store. The workspace `main` was given to red and blue, who share its pages and
 * conversations, `side` to green; each team has runs of its own, and one run is nobody's. Each place has words that stand
 * nowhere else: `asked` may be sent by anybody, `hidden` are in texts alone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  admitFronts,
  jobFor,
  openPostgresQueue,
  openPostgresStore,
  openPostgresTeams,
  upgradeSchema,
  writerOf,
} from '../../src/bench.ts';
import type { RunEvent } from '../../src/index.ts';
import { openIssuer } from './issuer.ts';
import { begin, killAll, type Process, run } from './processes.ts';
import type { BenchServer } from './server.ts';

export const teams = ['red', 'blue', 'green'] as const;
export type Team = (typeof teams)[number];
export const workspaces = ['main', 'side'] as const;
export type Workspace = (typeof workspaces)[number];
export type Place = Team | Workspace | 'house';

/** What there is of a place. */
export interface Planted {
  /** By what they are ids of. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly asked: readonly string[];
  readonly hidden: readonly string[];
}

export interface Front {
  readonly workspace: Workspace;
  readonly address: string;
}

export interface Identity {
  readonly team: Team;
  readonly token: string;
  /** What it may see, where it may come in. */
  readonly sees: ReadonlySet<Place>;
  readonly home: Workspace;
}

export interface Scene {
  readonly fronts: Readonly<Record<Workspace, Front>>;
  readonly identities: readonly Identity[];
  readonly planted: Readonly<Record<Place, Planted>>;
  /** As whom fronts connect. */
  readonly frontUrl: string;
  /** Plants more runs of a team. */
  plantMore(team: Team, count: number): Promise<void>;
  /** What others must not have changed. */
  untouched(): Promise<string>;
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

const runsOfTeam = 3;

export async function openScene(server: BenchServer, verbose = false): Promise<Scene> {
  const place = mkdtempSync(join(tmpdir(), 'sonde-bench-foreign-'));
  const url = await server.fresh();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = async (text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as Record<string, unknown>[];
  const issuer = await openIssuer();
  const queue = openPostgresQueue({ url });
  const store = openPostgresStore({ url });
  const rows = openPostgresTeams({ url });
  const processes: Process[] = [];
  const at = (name: string): string => join(place, name);
  const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: url };
  const worker = { ...env, SONDE_HOME: at('worker'), SONDE_MODEL: 'extractive' };
  async function close(): Promise<void> {
    await killAll(processes);
    for (const one of [queue, store, rows]) await one.close().catch(() => {});
    await client.end().catch(() => {});
    await issuer.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Runs of a team that were queued and are over; the house's are of no team. */
  async function makeRuns(team: Team | 'house', count: number): Promise<readonly string[]> {
    const words = wordsOf(team);
    const orders = Array.from({ length: count }, (_, n) =>
      jobFor({
        question: `What is ${words.asked[0]} ${words.hidden[1]} (${n})?`,
        repository: team,
        ...(team !== 'house' && { team }),
      }),
    );
    await queue.enqueue(orders);
    for (const claim of await queue.claim({ topic: 'runs', max: count, offers: [team] })) {
      const id = claim.job.key;
      const { question } = claim.job.payload as { readonly question: string };
      const start = { shape: 'research', question, params: {} };
      const { lease } = await store.runs.begin({ id, root: `/${team}`, ...start });
      const writer = writerOf(store, lease);
      writer.begin({ kind: 'run_started', ...start, limits: { tokens: 1_000 } });
      writer.tell('found', { kind: 'evidence_registered', step: 1, evidence: evidenceOf(words, id) });
      const spent = { tokens: 1, usd: 0, wall_ms: 0, fuel: 0, calls: 0, steps: 0 };
      writer.finish({ kind: 'run_finished', result: resultOf(words, { run_id: id, spent }), spent });
      await writer.commit();
      await lease.release();
      await queue.settle(claim, { kind: 'done', result: { run: id, status: 'answered' } });
    }
    return orders.map(({ key }) => key);
  }

  async function allEnded(): Promise<void> {
    for (;;) {
      const [row] = await sql(`SELECT
        (SELECT count(*) FROM sonde.queue_jobs WHERE state IN ('waiting', 'running')) +
        (SELECT count(*) FROM sonde_w_main.queue_jobs WHERE state IN ('waiting', 'running')) +
        (SELECT count(*) FROM sonde_w_side.queue_jobs WHERE state IN ('waiting', 'running')) AS open`);
      if (Number(row!['open']) === 0) return;
      await sleep(200);
    }
  }

  try {
    await sql(`CREATE ROLE front_${url.replace(/.*_/, '')} LOGIN`);
    const frontUrl = url.replace(/\/\/[^@]*@/, `//front_${url.replace(/.*_/, '')}@`);
    for (const workspace of workspaces) {
      const { asked, hidden } = wordsOf(workspace);
      const vault = at(`vault-${workspace}`);
      mkdirSync(vault);
      writeFileSync(join(vault, `${asked[0]}.md`), `The ${asked[1]} is ${hidden[0]}. See [[${asked[2]}]].\n`);
      writeFileSync(join(vault, `${asked[2]}.md`), `Of the ${asked[0]}: ${hidden[1]}. #${asked[3]}\n`);
      await run(['world', 'import', vault, '--workspace', workspace], { SONDE_HOME: at('worker') });
    }
    for (const schema of ['sonde', ...workspaces.map((name) => `sonde_w_${name}`)])
      await upgradeSchema({ url, schema });
    await admitFronts({ url }, new URL(frontUrl).username);
    const by = { name: 'user:bench', team: '' };
    for (const [team, workspace, role] of [
      ['red', 'main', 'author'],
      ['blue', 'main', 'operator'],
      ['green', 'side', 'author'],
    ] as const) {
      await rows.add(team, by);
      await rows.give(team, { kind: 'workspace', name: workspace, role }, by);
      await rows.give(team, { kind: 'repository', name: team, role: 'reader' }, by);
    }
    processes.push(begin(['worker', '--workspaces', workspaces.join(','), '--json'], worker, verbose));
    await processes[0]!.until(/"ready":(true)/);
    for (const workspace of workspaces)
      await processes[0]!.until(new RegExp(`(${workspace}): this worker is its host`));
    const runs = {} as Record<Team | 'house', readonly string[]>;
    for (const team of [...teams, 'house'] as const) runs[team] = await makeRuns(team, runsOfTeam);
    const fronts = {} as Record<Workspace, Front>;
    const began = workspaces.map((workspace) =>
      begin(
        ['serve', '--workspace', workspace, '--port', '0'],
        {
          ...{ ...env, SONDE_STORE_URL: frontUrl, SONDE_HOME: at(`front-${workspace}`) },
          ...{ SONDE_OIDC_ISSUER: issuer.issuer, SONDE_OIDC_AUDIENCE: 'sonde' },
        },
        verbose,
      ),
    );
    processes.push(...began);
    for (const [nth, workspace] of workspaces.entries())
      fronts[workspace] = { workspace, address: await began[nth]!.until(/workspace at (http\S+)/) };
    const identities = await Promise.all(
      teams.map(async (team): Promise<Identity> => {
        const home = team === 'green' ? 'side' : 'main';
        const token = await issuer.token(`person-${team}`, [team], 'sonde');
        return { team, token, home, sees: new Set([team, home]) };
      }),
    );

    /** Conversations, memory and schedules, by whoever may. */
    async function plantIn(workspace: Workspace): Promise<Planted> {
      const { asked, hidden } = wordsOf(workspace);
      const { token } = identities.find(({ home }) => home === workspace)!;
      const api = async (path: string, body?: object) => {
        for (let tried = 0; ; tried += 1) {
          const answer = await fetch(`${fronts[workspace].address}/api/v1${path}`, {
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
          });
          // biome-ignore lint/suspicious/noExplicitAny: whatever a route answers
          if (answer.ok) return (await answer.json()) as any;
          if (answer.status < 500 || tried === 40)
            throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
          await sleep(500);
        }
      };
      const threads = [0, 1].map((n) => `${asked[4]}-${n}`);
      for (const [n, id] of threads.entries()) {
        await api('/threads', { id, title: `${hidden[2]} ${n}` });
        const said = { text: `What is ${asked[1]} ${hidden[3]}?`, message_id: `m-${asked[4]}-${n}` };
        await api(`/threads/${id}/messages`, said);
      }
      const schedule = asked[5]!;
      await api(`/workspaces/${workspace}/schedules`, {
        ...{ id: schedule, prompt: `Look for ${hidden[4]}`, on: ['create_page'], thread: threads[0] },
      });
      await allEnded();
      const pages = (await api(`/workspaces/${workspace}/pages`)).items as readonly Record<string, unknown>[];
      const turns = (await api('/runs')).items as readonly {
        readonly id: string;
        readonly thread: unknown;
      }[];
      return {
        asked,
        hidden,
        ids: {
          page: pages.flatMap((page) => [String(page['id']), String(page['path'])]),
          thread: threads,
          run: turns.filter(({ thread }) => threads.includes(String(thread))).map(({ id }) => id),
          schedule: [schedule],
          message: [`m-${asked[4]}-0`],
          workspace: [`sonde_w_${workspace}`],
        },
      };
    }
    await allEnded();
    const planted = {} as Record<Place, Planted>;
    for (const team of [...teams, 'house'] as const) {
      planted[team] = {
        ...wordsOf(team),
        ids: {
          run: runs[team],
          evidence: runs[team].map((id) => evidenceOf(wordsOf(team), id).id),
          team: [team],
        },
      };
    }
    for (const workspace of workspaces) planted[workspace] = await plantIn(workspace);
    const all = Object.values(runs).flat();
    return {
      ...{ fronts, identities, planted, frontUrl, sql, close },
      async plantMore(team, count) {
        await makeRuns(team, count);
      },
      async untouched() {
        const [row] = await sql(
          `SELECT (SELECT md5(string_agg(r::text, '|' ORDER BY id)) FROM sonde.runs r WHERE id = ANY($1)) AS runs,
            (SELECT md5(string_agg(e::text, '|' ORDER BY run, seq)) FROM sonde.events e WHERE run = ANY($1)) AS events,
            (SELECT md5(string_agg(j::text, '|' ORDER BY id)) FROM sonde.queue_jobs j WHERE key = ANY($1)) AS jobs,
            (SELECT md5(string_agg(g::text, '|' ORDER BY g::text)) FROM sonde.team_grants g) AS grants`,
          [all],
        );
        return JSON.stringify(row);
      },
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

type Result = Extract<RunEvent, { kind: 'run_finished' }>['result'];

/** Complete, so that every route can answer with it. */
const resultOf = ({ hidden }: Words, run: Pick<Result, 'run_id' | 'spent'>): Result => ({
  ...run,
  ...{
    answer: `It is ${hidden[2]}.`,
    status: 'unverified',
    citations: [],
    unsupported: [],
    confidence: null,
  },
  ...{ stop_reason: 'finalized', model: 'none' },
  coverage: {
    ...{ files: 1, skipped: 0, searches: 1, files_read: 1, evidence: 1, completeness: 'complete', notes: [] },
  },
});

type Evidence = Extract<RunEvent, { kind: 'evidence_registered' }>['evidence'];

const evidenceOf = ({ asked, hidden }: Words, run: string): Evidence => ({
  id: `ev-${run.slice(-10)}`,
  ...{ file_path: `${asked[0]}.ts`, start_line: 1, end_line: 1, content: hidden[3]!, reason: 'asked' },
  ...{ provenance: 'manual', score: null, symbol_id: null, symbol_kind: null, hash: 'h', commit: null },
});

interface Words {
  readonly asked: readonly string[];
  readonly hidden: readonly string[];
}

/** Words of letters alone, so that any search takes them as they are. */
function wordsOf(place: Place): Words {
  const words = (kind: string): readonly string[] =>
    Array.from({ length: 6 }, (_, n) => `${kind}${place}${'abcdef'[n]}x`);
  return { asked: words('quay'), hidden: words('vault') };
}
