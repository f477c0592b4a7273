import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openStoreIn } from '../../store/index.ts';
import { scriptedReply, slowAnswers } from '../agent/channel/channel.contract.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { newHome, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { sonde } from '../testbed/sonde-here.ts';

let home: string;
let path: string;
let model: ModelServer;

beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home);
  model = await modelServer(scriptedReply);
  slowAnswers.hold();
});
afterEach(async () => {
  slowAnswers.release();
  await model.close();
});

const withModel = ['--model', 'openai-compatible:talker'];
const around = (input: string) => ({
  home,
  input,
  env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-planted-0123456789' },
});
const chat = (input: string, ...more: string[]) =>
  sonde(['chat', '--thread', 'one', ...withModel, ...more], around(input));

describe('a conversation by a pipe', () => {
  it('prints answers to standard output, and the rest beside', async () => {
    const { status, stdout, stderr } = await chat('look for it\nthanks\n');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'found true\nheard: thanks\n' });
    expect(stderr).toContain('✓ search_pages lighthouse');
    expect(stderr).toMatch(/[\d,]+ of 200,000 tokens/);
    expect(stderr).not.toContain('sk-planted');
  });

  it('answers a question with the next line, and goes on with a conversation by its name', async () => {
    const first = await chat('ask me\n');
    expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('? Which one?') });
    const second = await chat('the red\n/runs\n/budget\n');
    expect(second.stderr).toContain('? Which one?');
    const lines = second.stdout.split('\n');
    expect(lines[0]).toBe('you chose the red');
    expect(second.stdout).toMatch(/run-\w+ {2}finished +\d+ tokens {2}ask me/);
    expect(second.stdout).toContain('in all 1 turn:');
    const [listed] = (await sonde(['runs'], { home })).stdout.split('\n');
    expect(listed).toMatch(/^run-\w+ .* finished +ask me$/);
    const { stdout } = await sonde(['show', listed!.split(' ', 1)[0]!], { home });
    expect(stdout).toContain('you chose the red');
    expect(stdout).toContain('`ask_user`: ok');
    expect(stdout).toMatch(/2 calls[\s\S]*taken up again once/);
  });

  it('is cancelled by a signal, and goes on', async () => {
    const {
      child,
      ended,
      waitFor: until,
    } = startSonde(['chat', '--thread', 'one', ...withModel], around('slow thing\n'));
    await until(() => model.countRequests() > 0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130, stderr: expect.stringContaining('/continue') });
    slowAnswers.release();
    expect((await chat('/continue\nsomething else\n')).stdout).toBe(
      'heard: slow thing\nheard: something else\n',
    );
  });

  it('gives up a question, and a turn that was cancelled', async () => {
    expect((await chat('ask me\n')).stderr).toContain('? Which one?');
    const {
      child,
      ended,
      waitFor: until,
    } = startSonde(['chat', '--thread', 'one', ...withModel], around('/drop\nslow thing\n'));
    await until(() => model.countRequests() === 2);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      status: 130,
      stderr: expect.stringContaining('The turn was dropped'),
    });
    const after = await chat('/drop\nsomething else\n/drop\n');
    expect(after.stdout).toBe('heard: something else\n');
    expect(after.stderr).toContain('There is nothing to drop in one');
  });

  it('lists a turn that was killed before it had a budget', async () => {
    await chat('thanks\n');
    const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
    await openStoreIn(db).runs.create({
      ...{ id: 'run-killed', shape: 'turn', question: 'early', root: path, params: { thread: 'one' } },
    });
    db.close();
    const { stdout } = await chat('/runs\n/budget\n');
    expect(stdout).toMatch(/run-killed {2}unfinished +0 tokens {2}early/);
    expect(stdout).toContain('all 2 turns');
  });

  it('goes on after kill -9', async () => {
    const {
      child,
      ended,
      waitFor: until,
    } = startSonde(['chat', '--thread', 'one', ...withModel], around('slow thing\n'));
    await until(() => model.countRequests() > 0);
    child.kill('SIGKILL');
    await ended;
    slowAnswers.release();
    const { stdout, stderr } = await chat('/continue\n');
    expect(stderr).toContain('The last turn was not finished');
    expect(stdout).toBe('heard: slow thing\n');
  });

  it('prints events as JSON, and nothing else', async () => {
    const { stdout } = await chat('look for it\n/nonsense\n', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kinds = lines.flatMap(({ event }) => (event === undefined ? [] : [event.kind]));
    // A text may come in several pieces.
    const told = kinds.filter(
      (kind, at) => kind !== 'budget' && (kind !== 'text' || kinds[at - 1] !== 'text'),
    );
    expect(told).toEqual(['turn_started', 'tool_started', 'tool_finished', 'text', 'turn_ended']);
    expect(lines.at(-1)).toMatchObject({ error: { code: 'bad_argument' } });
  });

  it('says what it can do without a model, and does it', async () => {
    const { stdout, stderr } = await sonde(['chat'], { home, input: 'What does the lamp burn?\n' });
    expect(stderr).toContain('There is no model');
    expect(stdout).toMatch(/Lighthouse\/Lamp \[bl-\w+\]\n {3}> The lamp of the Lighthouse burns paraffin/);
    expect(stdout).toContain('No model is configured');
  });

  it('keeps a role out of the history', async () => {
    await chat('/role Speak as a pirate\nhello\n/role -\nhello again\n');
    const [first, second] = model.served.map(({ prompt }) => prompt);
    expect(first).toContain('Speak as a pirate');
    expect(second).not.toContain('Speak as a pirate');
  });
});

it.each<[string, string[], string]>([
  ['a thread that is a path', ['--thread', '../x'], 'is not a valid thread id'],
  ['a workspace that is not there', ['--workspace', 'nowhere'], 'There is no workspace'],
])('refuses %s', async (_, flags, message) => {
  const { status, stderr } = await sonde(['chat', ...flags], { home, input: '' });
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});
