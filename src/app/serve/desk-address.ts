/** Where the page of a workspace is opened, with a code that lets one window in: for whoever sits at this machine. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { platform } from 'node:process';
import { pathToFileURL } from 'node:url';
import { SondeError } from '../../core/index.ts';
import { isServed } from '../agent/port.ts';
import { type Directories, directories, loadConfiguration, processEnvironment } from '../config/index.ts';
import { openRecords } from '../http/records.ts';
import { withWorkspace } from '../workspace/workspace.ts';

export interface DeskPlace {
  /** At the server that has the workspace; null: none has. Throws `run_state` where it does not say where it is. */
  running(): string | null;
  /** At a server that is there. Nobody is sent what stands behind the `#`. */
  address(server: string): string;
  /** That of the settings, or any other where somebody else has it. */
  freePort(): Promise<string>;
}

/** Throws what a missing workspace and a wrong setting throw. */
export async function desk(workspace: string | undefined): Promise<DeskPlace> {
  const place = await withWorkspace(workspace, ({ path, world }) => ({ path, id: world.workspace.id }));
  const records = <Value>(work: (open: ReturnType<typeof openRecords>) => Value): Value => {
    const open = openRecords(directories(processEnvironment()));
    try {
      return work(open);
    } finally {
      open.close();
    }
  };
  const address = (server: string): string => `${server}/#code=${records((open) => open.makeCode(place.id))}`;
  return {
    address,
    running() {
      if (!isServed(place.path)) return null;
      const server = records((open) => open.address(place.id));
      if (server !== null) return address(server);
      throw new SondeError('run_state', {
        message: `A server has the workspace ${place.path}, and does not say where it is`,
        remedy: 'It is just starting, or of an older version: try again, or end it and start it anew.',
      });
    },
    async freePort() {
      const { values } = loadConfiguration({ environment: processEnvironment() });
      const { serve_bind: host, serve_port: port } = values;
      return String((await isFree(host, port)) ? port : 0);
    },
  };
}

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ host, port }, () => server.close(() => done(true)));
  });

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * In the browser of this person. How a program was started can be read by everybody at this machine, and so the browser
 * is not given the address with its code, but a file that only its owner can read, which goes on to the address.
 */
export function openAddress(address: string, failed: () => void): void {
  const file = writeForward(address, directories(processEnvironment()));
  const [command, ...args] = openers[platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.once('error', failed);
  child.once('exit', (status) => {
    if (status !== 0) failed();
  });
  child.unref();
}

/** The browser may read it when this process is gone: it is removed by the next one, when its code is worth nothing. */
function writeForward(address: string, { data }: Pick<Directories, 'data'>): string {
  const folder = join(data, 'ui');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > forwardMs) rmSync(path, { force: true });
  }
  const file = join(folder, `${randomUUID()}.html`);
  writeFileSync(file, forwardTo(address), { mode: 0o600, flag: 'wx' });
  return file;
}

/** As long as a code is worth something. Milliseconds. */
const forwardMs = 60_000;

/** A page that goes on at once, without a script. */
function forwardTo(address: string): string {
  const to = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${to}">
<title>Sonde</title>
<p><a href="${to}">Open Sonde</a></p>
`;
}
