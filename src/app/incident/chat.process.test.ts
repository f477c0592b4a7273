/** `sonde chat --run` as a process: what it answers is from the records of the incident, and cited there. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../core/index.ts';
import { environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';

const folder = fileURLToPath(new URL('../../../examples/incident', import.meta.url));
const home = newHome();
let run = '';
beforeAll(async () => {
  const { stdout } = await sonde(['incident', '--replay', folder, '--model', 'extractive', '--json'], {
    home,
  });
  run = (JSON.parse(stdout) as { run_id: string }).run_id;
});

function talk(args: readonly string[], lines: readonly string[]) {
  const child = spawn(process.execPath, [launcher, 'chat', ...args], { env: environmentOf({ home }) });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(`${lines.join('\n')}\n`);
  return new Promise<{ readonly stdout: string; readonly stderr: string; readonly status: number | null }>(
    (resolve) => child.on('close', (status) => resolve({ stdout, stderr, status })),
  );
}

describe('questions about an incident', () => {
  it('are answered with citations of what was recorded, one after the other', async () => {
    const questions = ['What changed the poolSize of the workers?', 'How did worker_queue_depth go?'];
    const { stdout, stderr } = await talk(['--run', run, '--model', 'extractive', '--json'], questions);
    expect(stderr).toContain(`${run} code_change: Commit 4be1d7a09c52`);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunResult);
    expect(answers).toHaveLength(2);
    for (const { citations } of answers) {
      expect(citations.length).toBeGreaterThan(0);
      expect(citations.every(({ status }) => status === 'valid')).toBe(true);
      expect(citations.every(({ path }) => path.startsWith('signals/') || path === 'alert/1.txt')).toBe(true);
    }
    expect(answers[0]!.answer).toContain('poolSize: 4');
    expect(answers[1]!.answer).toContain('worker_queue_depth');
    // Lines keep the numbers that the evidence of the incident has.
    const shown = JSON.parse(
      (await sonde(['show', run, '--evidence', '--json'], { home })).stdout,
    ) as readonly { file_path: string; start_line: number; content: string }[];
    for (const { file_path: path, start_line: start, content } of shown) {
      const text = readFileSync(join(home, 'data/incidents', run, 'evidence', `${path}.txt`), 'utf8');
      expect(
        text
          .split('\n')
          .slice(start - 1)
          .join('\n')
          .startsWith(content),
      ).toBe(true);
    }
  });

  it('what somebody wrote among the records is gone the next time', async () => {
    const planted = join(home, 'data/incidents', run, 'evidence/signals/planted.txt');
    writeFileSync(planted, 'the moon is to blame\n');
    await talk(['--run', run, '--model', 'extractive'], ['Is the moon to blame?']);
    expect(existsSync(planted)).toBe(false);
  });

  it.each([
    ['run-nobody', 'run-nobody'],
    ['ask', 'is no investigation of an incident'],
  ])('about %s: %s', async (which, message) => {
    const asked = async (): Promise<string> =>
      (
        JSON.parse(
          (await sonde(['ask', 'workers?', folder, '--model', 'extractive', '--json'], { home })).stdout,
        ) as RunResult
      ).run_id;
    const id = which === 'ask' ? await asked() : which;
    const { stderr, status } = await talk(['--run', id], ['why?']);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
