import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import type { ServerEnvironment } from '../server/server-part.ts';
import { pagePart } from './page-part.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-page-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<meta name="sonde-nonce" content="__NONCE__">');
writeFileSync(join(folder, 'secret.txt'), 'not of the page');
writeFileSync(join(folder, 'assets', 'a.js'), 'let a;');
writeFileSync(join(folder, 'assets', 'a.js.gz'), gzipSync('let a;'));
afterAll(() => rmSync(folder, { recursive: true }));

function appOver(place: string) {
  const app = new Hono<ServerEnvironment>();
  pagePart(place).mount(app);
  return app;
}
const app = appOver(folder);

describe('the page', () => {
  it('allows nothing that is not its own, and styles by a nonce of this answer alone', async () => {
    const [one, other] = await Promise.all([app.request('/'), app.request('/')]);
    const policy = one!.headers.get('content-security-policy')!;
    const nonce = /style-src 'self' 'nonce-([^']{20,})'/.exec(policy)?.[1];
    expect(await one!.text()).toBe(`<meta name="sonde-nonce" content="${nonce}">`);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(other!.headers.get('content-security-policy')).not.toBe(policy);
    expect(one!.headers.get('cache-control')).toBe('no-store');
  });

  it('gives packed files to those who take them', async () => {
    const packed = await app.request('/assets/a.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const plain = await app.request('/assets/a.js');
    expect([await plain.text(), plain.headers.get('content-type')]).toEqual([
      'let a;',
      'text/javascript; charset=utf-8',
    ]);
  });

  it.each([
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/a.js.gz',
    '/assets/none.js',
    '/secret.txt',
  ])('gives no other file: %s', async (path) => {
    expect((await app.request(path)).status).toBe(404);
  });

  it('that was not built says how it is', async () => {
    const answer = await appOver(join(folder, 'nowhere')).request('/');
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build:web')]);
  });
});
