/** What a server of a workspace alone measures, and who may see it. */
import { expect, it } from 'vitest';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';

it.each([
  ['alone', []],
  ['with alerts', ['--alerts']],
])(
  'a server of a workspace, %s, tells its runs and what they spent to who may, and to nobody else',
  async (_, flags) => {
    const home = newHome();
    await sonde(['world', 'new', 'main'], { home });
    const tokenOf = async (name: string, ...flags: readonly string[]): Promise<string> =>
      (await sonde(['token', 'add', name, '--workspace', 'main', ...flags], { home })).stdout.trim();
    const [operator, author, reader, program] = [
      await tokenOf('op', '--role', 'operator'),
      await tokenOf('vera', '--role', 'author'),
      await tokenOf('ann', '--role', 'reader'),
      await tokenOf('ci', '--allow', 'agent'),
    ];
    await sonde(['token', 'add', 'alerts', '--alerts'], { home });
    const server = startSonde(['serve', '--workspace', 'main', '--port', '0', ...flags], { home });
    const url = await server.waitFor((said) => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]);
    const ask = (token: string | null) =>
      fetch(`${url}/metrics`, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
    const incident = await fetch(`${url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}` },
      body: JSON.stringify({ shape: 'incident', params: { alert: 'The disk of orders is full.' } }),
    });
    expect(incident.status).toBe(202);
    for (const token of [operator, author]) {
      const told = await ask(token);
      expect(told.status).toBe(200);
      expect(await told.text()).toMatch(/^sonde_runs\{[^}]*shape="incident"[^}]*\} \d+$/m);
    }
    for (const [token, status] of [
      [reader, 403],
      [program, 403],
      ['nothing', 401],
      [null, 401],
    ] as const) {
      const refused = await ask(token);
      expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
        status,
        flags.length > 0 ? expect.any(String) : expect.stringContaining('--role operator'),
      ]);
    }
    server.child.kill('SIGTERM');
    expect((await server.ended).status).toBe(0);
  },
);
