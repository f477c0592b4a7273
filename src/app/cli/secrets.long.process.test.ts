/** A key that is planted in the environment is nowhere to be found afterwards. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelServer, searchPlan } from '../testbed/model-server.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sonde } from '../testbed/sonde-here.ts';

const key = 'sk-planted-0123456789abcdef';
const other = 'ghp_planted9876543210';
const question = 'How is a failed delivery retried?';

function filesBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}

it.each([
  ['a model that answers', searchPlan, 0],
  ['a server that repeats the key in its errors', () => 401, 4],
  ['a server that is down for a while', () => 503, 4],
] as const)('%s', async (_name, reply, expected) => {
  const server = await modelServer(reply);
  const [home, tree] = [newHome(), createSmallTree()];
  const env = { OPENAI_BASE_URL: server.address, OPENAI_API_KEY: key, GITHUB_TOKEN: other };
  const around = { home, env };
  const said: string[] = [];
  const hear = async (args: readonly string[]) => {
    const { stdout, stderr, status } = await sonde(args, around);
    said.push(stdout, stderr);
    return { stdout, status };
  };
  const asked = await hear([
    'ask',
    question,
    tree,
    '--model',
    'openai-compatible:planned',
    '--json',
    '--debug',
  ]);
  expect(asked.status).toBe(expected);
  const { run_id } = JSON.parse(asked.stdout);
  for (const flag of ['--trace', '--evidence', '--report', '--json']) await hear(['show', run_id, flag]);
  for (const args of [
    ['config', tree],
    ['config', tree, '--json'],
    ['doctor', tree],
    ['runs', '--json'],
  ])
    await hear(args);
  await hear(['ask', question, tree, '--model', `openai:${key}x`, '--scope', '../']);
  if (expected === 0) expect(server.served[0]?.authorization).toBe(`Bearer ${key}`);
  await server.close();
  for (const secret of [key, other]) {
    expect(said.join('\n')).not.toContain(secret);
    const files = filesBelow(home);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((bytes) => bytes.includes(secret))).toEqual([]);
  }
});

it('a key in a settings file is refused without being repeated', async () => {
  const [home, tree] = [newHome(), createSmallTree()];
  writeFileSync(join(home, 'sonde.json'), JSON.stringify({ openai_api_key: key }));
  const { status, stdout, stderr } = await sonde(['ask', question, tree], { home });
  expect(status).toBe(2);
  expect(stderr).toContain('OPENAI_API_KEY');
  expect(stdout + stderr).not.toContain(key);
});
