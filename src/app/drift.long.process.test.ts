/** What drifted, over a real Prometheus: by the command, and by a scheduled turn that hands it on and cites it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../core/index.ts';
import { startWatchedService, type WatchedService } from '../signals/prometheus/servers.contract.ts';
import { missingPrograms } from '../signals/real-server.contract.ts';
import { type ModelServer, modelServer } from './testbed/model-server.ts';
import { newHome, sonde } from './testbed/run-sonde.ts';
import { key } from './testbed/serving.ts';
import { createSmallWorld } from './testbed/small-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const end = Math.floor(Date.now() / minute) * minute;
const changed = end - 6 * hour;

/** Fifty hours: one series doubles six hours ago, and one has the rhythm of a day. */
function openMetrics(): string {
  const lines = ['# TYPE queue_depth gauge'];
  for (let at = end - 50 * hour; at < end; at += minute)
    lines.push(`queue_depth{job="drifts"} ${(at >= changed ? 40 : 20) + ((at / minute) % 3)} ${at / 1_000}`);
  lines.push('# TYPE visitors gauge');
  for (let at = end - 50 * hour; at < end; at += minute)
    lines.push(
      `visitors{job="keeps"} ${500 + Math.round(300 * Math.sin((2 * Math.PI * at) / (24 * hour)))} ${at / 1_000}`,
    );
  return `${lines.join('\n')}\n# EOF\n`;
}

const decision = (text: string, ...calls: { name: string; args: object }[]): string =>
  JSON.stringify({ text, calls: calls.map(({ name, args }) => ({ name, args: JSON.stringify(args) })) });

/** Hands the question on, and repeats the finding about the queue as it came back. */
function digest(prompt: string): string {
  const found = /- (queue_depth \{job=drifts\}: [^\n]*\[ev-[0-9a-f]{10}\])/.exec(prompt)?.[1];
  if (found !== undefined) return decision(`Since yesterday ${found}.`);
  return prompt.includes('task (')
    ? decision('nothing')
    : decision('', { name: 'task', args: { shape: 'drift', params: {} } });
}

describe.skipIf(missingPrograms('prometheus', 'promtool', 'prometheus-alertmanager') !== null)(
  'drift',
  () => {
    let watched: WatchedService;
    let model: ModelServer;
    let home: string;
    let env: Readonly<Record<string, string>>;
    const seen: string[] = [];
    beforeAll(async () => {
      watched = await startWatchedService(openMetrics());
      model = await modelServer((prompt) => {
        seen.push(prompt);
        return digest(prompt);
      });
      home = newHome();
      await createSmallWorld(home);
      env = {
        PROMETHEUS_URL: watched.prometheus,
        OPENAI_BASE_URL: model.address,
        OPENAI_API_KEY: key,
        SONDE_MODEL: 'openai-compatible:planned',
      };
    });
    afterAll(async () => {
      await watched?.close();
      await model?.close();
    });

    it('tells a series that drifts from one that does not, with what shows it', async () => {
      const { stdout, stderr, status } = await sonde(['drift', '--json'], { home, env });
      expect(status).toBe(0);
      expect(stderr).not.toContain('model');
      const result = JSON.parse(stdout) as RunResult;
      expect(result.answer).toMatch(
        /- queue_depth \{job=drifts\}: up since .*, from 2\d(?:\.5)? to 4\d(?:\.5)? \[ev-/,
      );
      expect(result.answer).not.toContain('visitors');
      expect(result.citations.every(({ status: each }) => each === 'valid')).toBe(true);
      const { stdout: evidence } = await sonde(['show', result.run_id, '--evidence'], { home, env });
      expect(evidence).toContain('visitors');
      const again = await sonde(['replay', result.run_id, '--json'], { home, env });
      expect((JSON.parse(again.stdout) as RunResult).answer).toBe(result.answer);
    });

    it('is told by a schedule that comes ready, and its turn cites the run', async () => {
      expect((await sonde(['schedule', 'enable', 'drift-digest'], { home, env })).status).toBe(0);
      const { stdout } = await sonde(['schedule', 'run', 'drift-digest', '--json'], { home, env });
      const [turn] = JSON.parse(stdout) as { thread: string; status: string; text: string }[];
      expect(turn).toMatchObject({ status: 'answered' });
      expect(turn!.text).toMatch(/^Since yesterday queue_depth .*\[ev-[0-9a-f]{10}\]\.?$/);
      const runs = JSON.parse((await sonde(['runs', '--json'], { home, env })).stdout) as {
        run_id: string;
        question: string;
      }[];
      const own = runs.find(({ question }) => question.startsWith('Say in at most'))!.run_id;
      const { stdout: claims } = await sonde(['show', own, '--claims'], { home, env });
      expect(claims).toContain('computed');
    });

    it('where no system is configured, it says so and offers nothing', async () => {
      const { PROMETHEUS_URL: _, ...bare } = env;
      const { stderr, status } = await sonde(['drift'], { home, env: bare });
      expect(status).toBe(2);
      expect(stderr).toContain('No system is configured');
      seen.length = 0;
      await sonde(['schedule', 'run', 'drift-digest', '--json'], { home, env: bare });
      expect(seen.join('\n')).not.toContain('Says what drifted');
    });
  },
);
