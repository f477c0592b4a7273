/** A conversation that began with an agent of its own, and a server that takes the workspace afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { scriptedReply } from '../agent/channel/channel.contract.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { environmentOf, launcher, newHome } from '../testbed/run-sonde.ts';
import { key, type Serving, startServing, waitForExit } from '../testbed/serving.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

let model: ModelServer;
let serving: Serving | undefined;
let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  await serving?.end();
  await model.close();
  serving = undefined;
});

/** Lines one by one, as a person types them. */
function chat(home: string, ...more: readonly string[]) {
  const env = environmentOf({
    home,
    env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-of-the-chat-0123456789' },
  });
  const started = spawn(process.execPath, [launcher, 'chat', '--thread', 'one', ...more], { env });
  child = started;
  let said = '';
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return {
    child: started,
    type: (line: string) => started.stdin.write(`${line}\n`),
    async until(text: string): Promise<void> {
      while (!said.includes(text)) {
        if (started.exitCode !== null) throw new Error(said);
        await new Promise((done) => setTimeout(done, 10));
      }
    },
  };
}

/** Who asked the model last. */
const lastKey = (): string => model.served.at(-1)!.authorization;

it('goes on with the agent of the server at its next turn, and with that alone', async () => {
  model = await modelServer(scriptedReply);
  const home = newHome();
  await createSmallWorld(home);
  const talk = chat(home, '--model', 'openai-compatible:planned');
  talk.type('first');
  await talk.until('heard: first');
  expect(lastKey()).toContain('sk-of-the-chat');
  serving = await startServing({ home, model });
  await serving.waitUntil('one', ({ state }) => state === 'idle');
  talk.type('second');
  await talk.until('its agent continues this conversation');
  await talk.until('heard: second');
  expect(lastKey()).toContain(key);
  talk.type('ask me');
  await talk.until('? Which one?');
  talk.type('the red');
  await talk.until('you chose the red');
  expect(lastKey()).toContain(key);
  talk.child.stdin.end();
  await waitForExit(talk.child);
  expect(talk.child.exitCode).toBe(0);
});

it('with a model that the server has not, it says so and asks nobody', async () => {
  model = await modelServer(scriptedReply);
  const home = newHome();
  await createSmallWorld(home);
  const talk = chat(home, '--model', 'openai-compatible:other');
  talk.type('first');
  await talk.until('heard: first');
  serving = await startServing({ home, model });
  await serving.waitUntil('one', ({ state }) => state === 'idle');
  const before = model.countRequests();
  talk.type('second');
  await talk.until('A server has this workspace open, and its agent talks with openai-compatible:planned');
  expect(model.countRequests()).toBe(before);
});
