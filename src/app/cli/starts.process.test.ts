/** Commands once as real processes, with no key and no network; what they do is tested in this process elsewhere. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { createProgram } from './program.ts';

/** As in starts.long.process.test.ts; else those that open most. */
const everyTrial = process.env['TRIALS'] === 'all';
const few = ['world', 'ask', 'investigate', 'chat', 'mcp', 'serve'];
const tried = <One>(all: Readonly<Record<string, One>>) =>
  Object.entries(all).filter(([command]) => everyTrial || few.includes(command));

const question = 'How is a failed delivery retried?';
const key = 'sk-planted-0123456789abcdef';
const home = newHome();
const tree = createSmallTree();
const vault = mkdtempSync(join(tmpdir(), 'sonde-vault-'));
let run: string;

beforeAll(async () => {
  writeFileSync(join(vault, 'Plan.md'), '# Plan\n\nShip on Friday.\n');
  const env = { OPENAI_API_KEY: key };
  const asked = await sonde(['ask', question, tree, '--json', '--model', 'extractive'], { home, env });
  expect(asked.stdout + asked.stderr).not.toContain(key);
  run = JSON.parse(asked.stdout).run_id;
});

interface Start {
  readonly args: () => readonly string[];
  readonly input?: string;
  readonly status?: number;
  readonly says: RegExp;
}

const starts: Readonly<Record<string, Start>> = {
  ask: { args: () => ['ask', question, 'src'], says: /^ {2}src\/delivery\.ts:\d+/m },
  world: { args: () => ['world', 'import', vault], says: /1 new/ },
  chat: { args: () => ['chat', '--thread', 'one', '--json'], input: '/help\n', says: /^\{"shown"/m },
  investigate: { args: () => ['investigate', question, '--json'], says: /"verification":"quotes"/ },
  incident: { args: () => ['incident', '--json'], status: 2, says: /"code":"bad_argument"/ },
  drift: { args: () => ['drift', '--json'], status: 2, says: /"code":"bad_argument"/ },
  search: { args: () => ['search', 'parcel', '.', '--json'], says: /"path":"src\// },
  outline: { args: () => ['outline', 'src/delivery.ts', '.', '--json'], says: /"items":\[\{"name"/ },
  refs: { args: () => ['refs', 'backoffMs', '.', '--json'], says: /"sure":true/ },
  impact: {
    args: () => ['impact', '--diff', 'src', '--json'],
    status: 2,
    says: /"code":"bad_argument","message":"--diff took \\"src\\" for a revision.*--diff -- src/,
  },
  path: { args: () => ['path', 'acceptParcel', 'backoffMs', '.', '--json'], says: /"steps":\[\{/ },
  hover: { args: () => ['hover', 'no_such_name', '.', '--json'], status: 5, says: /"found":"nowhere"/ },
  tree: { args: () => ['tree', '.', '--json'], says: /"path":"src\// },
  expand: { args: () => ['expand', 'deliver', '.', '--json'], says: /"along":"calls"/ },
  acp: {
    args: () => ['acp'],
    input: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n',
    says: /^\{"jsonrpc":"2\.0","id":1,"result":\{"protocolVersion":1.*"loadSession":true/m,
  },
  eval: {
    args: () => ['eval', 'compare', 'no-file', 'no-file', '--json'],
    status: 2,
    says: /there is no such file/,
  },
  index: { args: () => ['index', '.'], says: /4 files/ },
  resume: { args: () => ['resume', run, '--json'], says: /"stop_reason":"finalized"/ },
  replay: { args: () => ['replay', run, '--json'], says: /"stop_reason":"finalized"/ },
  runs: { args: () => ['runs'], says: /run-/ },
  show: { args: () => ['show', run], says: /^# Run/ },
  verify: {
    args: () => ['verify', '-', '--path', tree, '--json'],
    input: '{"path": "nowhere.ts", "start": 1, "end": 1}\n',
    status: 1,
    says: /"missing_file"/,
  },
  python: { args: () => ['python', '--jsonl'], input: '{"code": "6 * 7"}\n', says: /"value":42/ },
  memory: { args: () => ['memory', 'ls', '--json'], says: /^\[\]/ },
  channel: { args: () => ['channel', 'add', 'ops'], says: /The channel ops exists now/ },
  role: { args: () => ['role', 'ls', '--json'], says: /^\[/ },
  schedule: { args: () => ['schedule', 'ls', '--json'], says: /^\[\]/ },
  init: { args: () => ['init', 'incident', '--json'], says: /"reachable"/ },
  doctor: { args: () => ['doctor'], says: /^ok +node/m },
  token: { args: () => ['token', 'ls', '--json'], says: /^\[\]/ },
  prune: { args: () => ['prune', '--json'], says: /^\{/ },
  store: { args: () => ['store', 'status', '--json'], says: /^\{/ },
  worker: { args: () => ['worker', '--repositories', '.', '--json'], status: 2, says: /"code":"bad_\w+"/ },
  queue: { args: () => ['queue', 'ls', '--json'], status: 2, says: /"code":"bad_config"/ },
  audit: { args: () => ['audit', '--json'], says: /^\[/ },
  team: { args: () => ['team', 'ls', '--json'], status: 2, says: /"code":"bad_config"/ },
  alerts: { args: () => ['alerts', 'ls', '--json'], says: /^[[{]/ },
  config: { args: () => ['config', '--json'], says: /"settings"/ },
};

// They end when they are told to, and have something to say before.
const servers: Readonly<Record<string, readonly string[]>> = {
  mcp: ['mcp', '--workspace', 'main', '--http'],
  serve: ['serve', '--port', '0'],
  ui: ['ui', '--port', '0', '--no-open'],
};

it.each(tried(starts))('%s', async (_command, { args, input, status = 0, says }) => {
  const ended = await sonde(args(), { home, cwd: tree, ...(input !== undefined && { input }) });
  expect(ended).toMatchObject({ status, stdout: expect.stringMatching(says) });
});

it.each(tried(servers))('%s', async (_command, args) => {
  const { child, ended, waitFor: until } = startSonde(args, { home, cwd: tree });
  await until((said) => /http:\/\/127\.0\.0\.1:\d+/.exec(said));
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});

it('there is a start of each command', async () => {
  const names = (await createProgram()).commands.map((command) => command.name());
  expect(names.filter((name) => !(name in starts) && !(name in servers))).toEqual([]);
});
