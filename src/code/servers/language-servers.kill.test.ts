import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { folderFixture } from '../git/repository-fixture.ts';
import { languageServers } from './language-servers.ts';

const here = import.meta.dirname;

const runs = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

it('leaves no server and nothing that one has started when its own process is killed', async () => {
  const place = folderFixture({ 'a.py': 'def load(): pass\n' });
  const folder = mkdtempSync(join(tmpdir(), 'sonde-servers-'));
  const pids = join(folder, 'pids');
  const options = {
    root: place.root,
    wishes: { python: { command: [process.execPath, join(here, 'fake-server.contract.ts'), 'child', pids] } },
    folder,
    searchPath: '',
    home: folder,
    isTrusted: true,
  };
  const question = { path: 'a.py', line: 1, column: 4, text: 'def load(): pass\n', known: [] };
  const host = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { languageServers } from ${JSON.stringify(join(here, 'language-servers.ts'))};
       const found = await languageServers(${JSON.stringify(options)}).uses({ ...${JSON.stringify(question)}, candidates: new Map() });
       console.log(found.kind);
       setInterval(() => {}, 1_000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [said] = (await host.stdout
      .setEncoding('utf8')
      .iterator()
      .next()
      .then(({ value }) => [value])) as [string];
    expect(said.trim()).toBe('answered');
    expect(existsSync(pids)).toBe(true);
    const server = Number(readFileSync(pids, 'utf8'));
    const [child] = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number);
    expect([runs(server), runs(child!)]).toEqual([true, true]);
    host.kill('SIGKILL');
    await vi.waitUntil(() => !runs(server) && !runs(child!));
    // What a killed server has left is removed when the next one starts.
    const temporary = join(folder, 'python', 'tmp');
    const left = readdirSync(temporary);
    expect(left).toHaveLength(1);
    const servers = languageServers(options);
    await servers.uses({ ...question, candidates: new Map() });
    expect(readdirSync(temporary)).not.toEqual(expect.arrayContaining(left));
    await servers.close();
    await vi.waitUntil(() => readdirSync(temporary).length === 0);
  } finally {
    host.kill('SIGKILL');
    place.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
