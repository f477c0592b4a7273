/**
 * `sonde chat` and `sonde schedule run` beside `sonde serve`: they have no key of a model, and so no agent of their own.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedReply, slowAnswers } from '../agent/channel/channel.contract.ts';
import { portPath } from '../agent/port/port.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { type Serving, startServing, waitForExit } from '../testbed/serving.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

let home: string;
let path: string;
let model: ModelServer;
let serving: Serving;

beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home);
  model = await modelServer(scriptedReply);
  slowAnswers.hold();
  serving = await startServing({ home, model });
});
afterEach(async () => {
  slowAnswers.release();
  await serving.end();
  await model.close();
});

const started = (input: string, ...more: string[]) =>
  startSonde(['chat', '--thread', 'one', ...more], { home, input });
const chat = (input: string, ...more: string[]) => started(input, ...more).ended;
const idle = (thread: string, text: string) =>
  serving.waitUntil(thread, ({ state, last }) => state === 'idle' && last?.text === text);
async function killServer(): Promise<void> {
  serving.host.kill('SIGKILL');
  await waitForExit(serving.host);
}

describe('a conversation beside a server', () => {
  it('is as without one: answers, tools, costs, questions, commands', async () => {
    const { status, stdout, stderr } = await chat('look for it\nask me\nthe red\n/edit say it\n/runs\n');
    expect(stdout).toMatch(/^found true\nyou chose the red\nheard: say it\nrun-/);
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /of the server that has the workspace[\s\S]*✓ search_pages lighthouse[\s\S]*\? Which one\?/,
      ),
    });
    const events = (await chat('look for it\n', '--json')).stdout.trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line).event.kind)).toEqual(
      expect.arrayContaining(['turn_started', 'tool_started', 'tool_finished', 'text', 'turn_ended']),
    );
    expect(
      (await sonde(['chat', '--fork', 'one', '--thread', 'two'], { home, input: 'thanks\n' })).stdout,
    ).toBe('heard: thanks\n');
  });

  it('is cancelled by Ctrl-C, and goes on', async () => {
    const { child, ended, waitFor: until } = started('slow thing\n');
    await until(() => model.countRequests() > 0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130, stderr: expect.stringContaining('/continue') });
    slowAnswers.release();
    expect((await chat('/continue\nsomething else\n')).stdout).toBe(
      'heard: slow thing\nheard: something else\n',
    );
  });

  it('behind a turn of another client has its own answer, and not that one’s', async () => {
    await serving.waitUntil('one', () => true);
    expect(await serving.call('one/messages', { text: 'slow thing', message_id: 'm' })).toMatchObject({
      status: 202,
    });
    await slowAnswers.waitForPrompts();
    const { ended, waitFor: until } = started('mine\n');
    await until((said) => said.includes('Another turn of this conversation is running'));
    slowAnswers.release();
    expect(await ended).toMatchObject({ status: 0, stdout: 'heard: mine\n' });
  });

  it('refuses another model and another version, and says what to do', async () => {
    expect(await chat('hello\n', '--model', 'openai-compatible:other')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Leave --model out'),
    });
    await serving.end();
    const other = createServer((socket) => socket.write('{"type":"port","version":"99.0.0"}\n'));
    process.umask(0o177);
    await new Promise<void>((done) => other.listen(portPath(path), () => done()));
    process.umask(0o022);
    expect(await chat('hello\n')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is Sonde 99.0.0'),
    });
    other.close();
  });
});

describe('a server that is killed in the middle', () => {
  it('and comes back: the answer comes, once', async () => {
    const { ended, waitFor: until } = started('slow thing\nmore\n');
    await until(() => model.countRequests() > 0);
    await killServer();
    await until((said) => said.includes('waiting for the server to come back'));
    slowAnswers.release();
    serving = await startServing({ home, model });
    expect(await ended).toMatchObject({ status: 0, stdout: 'heard: slow thing\nheard: more\n' });
    await idle('one', 'heard: more');
    expect((await chat('/checkpoints\n')).stdout.match(/answered/g)).toHaveLength(2);
  });

  it('and does not: it says how to go on, and what was said is done by the next', async () => {
    const { ended, waitFor: until } = started('slow thing\n');
    await until(() => model.countRequests() > 0);
    await killServer();
    expect(await ended).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /The server that had the agent is gone[\s\S]*sonde serve goes on with it/,
      ),
    });
    slowAnswers.release();
    serving = await startServing({ home, model });
    await idle('one', 'heard: slow thing');
    expect((await chat('thanks\n')).stdout).toBe('heard: thanks\n');
  });
});

it('a schedule that is run by hand is run by the agent of the server', async () => {
  await sonde(['schedule', 'add', 'daily', 'look for it', '--cron', '0 9 * * *'], { home });
  const { status, stdout } = await sonde(['schedule', 'run', 'daily', '--json'], { home });
  expect({ status, ran: JSON.parse(stdout) }).toMatchObject({
    status: 0,
    ran: [{ schedule: 'daily', status: 'answered', text: 'found true' }],
  });
  // It says what a schedule's turn is told, and the keys stay with the agent.
  expect(model.served.map(({ prompt }) => prompt).join('\n')).toContain('daily');
  expect(readFileSync(path).includes('sk-planted')).toBe(false);
});
