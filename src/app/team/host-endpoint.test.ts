import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type HostDescription, openPassCheck } from './host-endpoint.ts';

it('a renewed certificate is told to fronts, under the same key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-certificate-'));
  const certFile = join(folder, 'cert.pem');
  writeFileSync(certFile, 'first');
  const said: HostDescription[] = [];
  const seat = {
    isHeld: () => true,
    setAbout: async (about: object) => void said.push(about as HostDescription),
  };
  const place = { kind: 'workspace', workspace: 'main', id: 'sonde_w_main' } as const;
  const options = { worker: 'w', place, tell: () => {}, everyMs: 5 };
  const desk = await openPassCheck(seat, { url: 'https://127.0.0.1:1', certFile }, options);
  rmSync(certFile);
  await new Promise((done) => setTimeout(done, 20));
  writeFileSync(certFile, 'second');
  await expect.poll(() => said.map(({ certificate }) => certificate)).toEqual(['first', 'second']);
  expect(said[1]!.key).toBe(said[0]!.key);
  desk.close();
  rmSync(folder, { recursive: true });
});
