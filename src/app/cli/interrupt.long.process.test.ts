/** Ctrl-C, closed pipes, and other ways in which a command ends early. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { writeIncident } from '../testbed/pool-incident.ts';
import {
  environmentOf,
  launcher,
  newHome,
  type StartedProcess,
  sonde,
  startSonde,
} from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sameSignalMs } from './interrupt.ts';

const question = 'How is a failed delivery retried?';
const search =
  '{"reasoning": "look", "action": {"name": "hybrid_search", "query": "delivery retry", "k": 5}}';

/** A model that searches once, and then thinks for a minute. */
function slowTree(): { tree: string; model: string; script: string } {
  const tree = createSmallTree();
  const outside = createSmallTree({ 'script.jsonl': `${search}\n{"delay_ms": 60000}\n${search}\n` });
  const script = join(outside, 'script.jsonl');
  return { tree, model: `scripted:${script}`, script };
}

/** Resolves once the run has asked the model a second time. */
const thinking = ({ waitFor: until }: StartedProcess): Promise<true> =>
  until((said) => said.split('"kind":"model_called"').length > 2);

describe('Ctrl-C', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the run with what was found; it can be resumed',
    async (signal) => {
      const { tree, model, script } = slowTree();
      const home = newHome();
      const started = startSonde(['ask', question, tree, '--model', model, '--json', '--debug'], { home });
      await thinking(started);
      started.child.kill(signal);
      const { status, stdout } = await started.ended;
      expect(status).toBe(130);
      const result = JSON.parse(stdout);
      expect(result).toMatchObject({ stop_reason: 'cancelled', citations: expect.any(Array) });
      expect(result.citations.length).toBeGreaterThan(0);
      const runs = JSON.parse((await sonde(['runs', '--json'], { home })).stdout);
      expect(runs).toMatchObject([{ run_id: result.run_id, state: 'interrupted' }]);
      const shown = await sonde(['show', result.run_id], { home });
      expect(shown).toMatchObject({ status: 130, stdout: expect.stringContaining('cancelled') });
      const replayed = await sonde(['replay', result.run_id, '--json'], { home });
      expect(replayed).toMatchObject({ status: 130, stdout });
      expect(replayed.stderr).toContain(`sonde resume ${result.run_id}`);
      // The model has thought of an answer in the meantime.
      const delivery = result.citations.find((one: object) =>
        JSON.stringify(one).includes('src/delivery.ts'),
      );
      const said = 'It "waits twice as long after every failed attempt, up to a minute"';
      const answer = { name: 'finalize', answer: `${said} [${delivery.id}].`, confidence: 1 };
      writeFileSync(script, `${search}\n${JSON.stringify({ reasoning: 'done', action: answer })}\n`);
      const resumed = await sonde(['resume', result.run_id, '--json'], { home });
      expect(JSON.parse(resumed.stdout)).toMatchObject({
        run_id: result.run_id,
        stop_reason: 'finalized',
        status: 'verified',
        answer: expect.stringContaining(said),
        spent: { calls: expect.any(Number), steps: 2 },
      });
    },
  );

  it.each([
    ['investigate', (tree: string) => ['investigate', question, tree]],
    ['incident', () => ['incident', '--replay', writeIncident()]],
  ] as const)('%s: show and replay end as it did', async (_name, args) => {
    const { tree, model } = slowTree();
    const home = newHome();
    const started = startSonde([...args(tree), '--model', model, '--json', '--debug'], { home });
    await started.waitFor((said) => said.includes('"kind":"model_called"'));
    started.child.kill('SIGINT');
    const { status, stdout } = await started.ended;
    const { run_id } = JSON.parse(stdout);
    expect(status).toBe(130);
    expect(await sonde(['show', run_id], { home })).toMatchObject({ status: 130 });
    expect(await sonde(['replay', run_id, '--json'], { home })).toMatchObject({ status: 130, stdout });
  });

  it('a second one leaves at once', async () => {
    const { tree, model } = slowTree();
    const started = startSonde(['ask', question, tree, '--model', model, '--json', '--debug']);
    await thinking(started);
    started.child.kill('SIGINT');
    await sleep(2 * sameSignalMs);
    started.child.kill('SIGINT');
    expect((await started.ended).status).toBe(130);
  });

  it('two at the same moment are one', async () => {
    const { tree, model } = slowTree();
    const started = startSonde(['ask', question, tree, '--model', model, '--json', '--debug']);
    await thinking(started);
    started.child.kill('SIGINT');
    started.child.kill('SIGTERM');
    const { status, stdout } = await started.ended;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ stop_reason: 'cancelled' });
  });
});

describe('two at once', () => {
  it('a run that somebody is working on can be read, and not resumed', async () => {
    const { tree, model } = slowTree();
    const home = newHome();
    const started = startSonde(['ask', question, tree, '--model', model, '--json', '--debug'], { home });
    await thinking(started);
    const [row] = JSON.parse((await sonde(['runs', '--json'], { home })).stdout);
    expect(row.state).toBe('running');
    expect((await sonde(['show', row.run_id], { home })).stdout).toContain('not finished');
    for (const command of ['resume', 'replay']) {
      const { status, stdout } = await sonde([command, row.run_id, '--json'], { home });
      expect({ command, status }).toEqual({ command, status: 2 });
      expect(JSON.parse(stdout).error.code).toBe('run_state');
    }
    started.child.kill('SIGINT');
    expect((await started.ended).status).toBe(130);
  });
});

describe('pipes', () => {
  it('a reader that goes away early is no error', async () => {
    const tree = createSmallTree(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [`src/parcel-${n}.ts`, `export const parcel = ${n};\n`]),
      ),
    );
    const command = `"${process.execPath}" "${launcher}" search parcel "${tree}" --wide | head -1; echo "status \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], { env: environmentOf({}) });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\S+:\d+-\d+ .*\nstatus (0|141)\n$/);
  });
});
