/** A look at drift that is killed while a system takes its time, and goes on: nothing is asked twice that was answered. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../core/index.ts';
import { startWatchedService, type WatchedService } from '../signals/prometheus/servers.contract.ts';
import { missingPrograms } from '../signals/real-server.contract.ts';
import { newHome, sonde, startSonde } from './testbed/run-sonde.ts';

const minute = 60_000;
const hour = 60 * minute;
const end = Math.floor(Date.now() / minute) * minute;

function openMetrics(): string {
  const lines = ['# TYPE queue_depth gauge'];
  for (let at = end - 50 * hour; at < end; at += minute)
    lines.push(
      `queue_depth{job="drifts"} ${(at >= end - 6 * hour ? 40 : 20) + ((at / minute) % 3)} ${at / 1_000}`,
    );
  return `${lines.join('\n')}\n# EOF\n`;
}

describe.skipIf(missingPrograms('prometheus', 'promtool', 'prometheus-alertmanager') !== null)(
  'drift',
  () => {
    let watched: WatchedService;
    let proxy: Server;
    /** What was asked and answered, in its order. */
    const answered: string[] = [];
    /** Requests that are let through; those after them get no answer. */
    let room = 0;
    beforeAll(async () => {
      watched = await startWatchedService(openMetrics());
      proxy = createServer(async (request, response) => {
        if (room <= 0) return;
        room -= 1;
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks);
        const came = await fetch(`${watched.prometheus}${request.url}`, {
          method: request.method ?? 'GET',
          headers: { 'content-type': request.headers['content-type'] ?? 'text/plain' },
          ...(body.length > 0 && { body }),
        });
        answered.push(`${request.url} ${body}`);
        response.writeHead(came.status, { 'content-type': came.headers.get('content-type') ?? 'text/plain' });
        response.end(await came.text());
      });
      await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    });
    afterAll(async () => {
      proxy?.closeAllConnections();
      proxy?.close();
      await watched?.close();
    });

    it('that was killed goes on to the answer that it would have given', async () => {
      const home = newHome();
      const env = { PROMETHEUS_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
      room = Number.POSITIVE_INFINITY;
      const whole = JSON.parse((await sonde(['drift', '--json'], { home, env })).stdout) as RunResult;
      expect(whole.answer).toContain('queue_depth {job=drifts}: up since');
      const asked = answered.length;
      expect(asked).toBeGreaterThan(2);
      const known: string[] = JSON.parse((await sonde(['runs', '--json'], { home, env })).stdout).map(
        ({ id }: { id: string }) => id,
      );
      for (let upTo = 1; upTo < asked; upTo += 1) {
        answered.length = 0;
        room = upTo;
        const started = startSonde(['drift', '--json'], { home, env });
        await started.waitFor(() => answered.length === upTo);
        await new Promise((done) => setTimeout(done, 300));
        started.child.kill('SIGKILL');
        await started.ended;
        const runs = JSON.parse((await sonde(['runs', '--json'], { home, env })).stdout) as { id: string }[];
        const left = runs.map(({ id }) => id).filter((id) => !known.includes(id));
        room = Number.POSITIVE_INFINITY;
        // Killed before there was a run: it had asked only whether the system is there.
        if (left.length === 0) continue;
        known.push(left[0]!);
        const { stdout, status } = await sonde(['resume', left[0]!, '--json'], { home, env });
        expect(status).toBe(0);
        const result = JSON.parse(stdout) as RunResult;
        const [text, wanted] = [result, whole].map(({ answer }) =>
          answer
            .replace(/From \S+ to \S+, next to the same hours from \S+ on/, '')
            .replace(/ev-[0-9a-f]{10}/g, 'ev'),
        );
        expect(text).toBe(wanted);
        expect(result.citations.every(({ status: each }) => each === 'valid')).toBe(true);
        const again = await sonde(['replay', left[0]!, '--json'], { home, env });
        expect(JSON.parse(again.stdout).answer).toBe(result.answer);
      }
    });
  },
);
