/**
 * The address of a workspace's page, with a code that opens it in one browser window: for the person at this machine.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { platform } from 'node:process';
import { pathToFileURL } from 'node:url';
import { SondeError } from '../../core/index.ts';
import { isServed } from '../agent/port/port.ts';
import { type Directories, directories, loadConfiguration, processEnvironment } from '../config/index.ts';
import { openRecords } from '../http/records.ts';
import { createFrontPlace } from '../tokens/place.ts';
import { withWorkspace, workspacePath } from '../workspace/workspace.ts';

export interface PageServer {
  /** Whether a server that is started for it is a front of a team. */
  readonly isFront: boolean;
  /**
   * The page's address at the server that has the workspace open; null if no server has. Throws `run_state` if that
   * server has not published its address.
   */
  findRunning(): string | null;
  /** The page's address at a running server. The code is behind the `#`, which browsers do not send. */
  address(server: string): string;
  /** The configured port, or 0 (any free port) if it is in use. */
  choosePort(): Promise<string>;
}

/** Throws the errors of a missing workspace and of a wrong setting. */
export async function pageServer(workspace: string | undefined): Promise<PageServer> {
  const { values } = loadConfiguration({
    environment: processEnvironment(),
    flags: workspace === undefined ? {} : { workspace },
  });
  const front = values.store === 'postgres' ? await createFrontPlace(values.workspace) : null;
  const frontAddress = front === null ? null : withRecords((open) => open.address(front.id));
  // A front on this machine is used; if the pages are on another machine, one is started.
  if (front !== null && frontAddress !== null && (await isAnswering(frontAddress)))
    return {
      ...createPlace(front.id),
      isFront: true,
      findRunning: () => createAddress(front.id, frontAddress),
    };
  const path = workspacePath(workspace);
  if (front !== null && !existsSync(path))
    return { ...createPlace(front.id), isFront: true, findRunning: () => null };
  const id = await withWorkspace(workspace, ({ world }) => world.workspace.id);
  return {
    ...createPlace(id),
    isFront: false,
    findRunning() {
      if (!isServed(path)) return null;
      const server = withRecords((open) => open.address(id));
      if (server !== null) return createAddress(id, server);
      throw new SondeError('run_state', {
        message: `A server has the workspace ${path} open, but has not published its address`,
        remedy: 'It is still starting, or of an older version: try again, or end it and start it again.',
      });
    },
  };
}

function withRecords<Value>(work: (open: ReturnType<typeof openRecords>) => Value): Value {
  const open = openRecords(directories(processEnvironment()));
  try {
    return work(open);
  } finally {
    open.close();
  }
}

const createAddress = (id: string, server: string): string =>
  `${server}/#code=${withRecords((open) => open.createCode(id))}`;

const createPlace = (id: string): Pick<PageServer, 'address' | 'choosePort'> => ({
  address: (server) => createAddress(id, server),
  async choosePort() {
    const { values } = loadConfiguration({ environment: processEnvironment() });
    const { serve_bind: host, serve_port: port } = values;
    return String((await isFree(host, port)) ? port : 0);
  },
});

/** Whether a server answers at this address. There is no lock file for fronts, since several may run. */
const isAnswering = (server: string): Promise<boolean> =>
  fetch(`${server}/health`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ host, port }, () => server.close(() => done(true)));
  });

const browserCommands: Readonly<
  Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>
> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens the address in the person's browser. Other users of the machine can see the arguments of a program, so the
 * browser gets a file that only its owner can read and that redirects to the address with its code.
 */
export function openAddress(address: string, onFailure: () => void): void {
  const file = writeRedirect(address, directories(processEnvironment()));
  const [command, ...args] = browserCommands[platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.once('error', onFailure);
  child.once('exit', (status) => {
    if (status !== 0) onFailure();
  });
  child.unref();
}

/**
 * The browser may read the file after this process has ended; the next one removes it, when its code is no longer
 * valid.
 */
function writeRedirect(address: string, { data }: Pick<Directories, 'data'>): string {
  const folder = join(data, 'ui');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > codeMs) rmSync(path, { force: true });
  }
  const file = join(folder, `${randomUUID()}.html`);
  writeFileSync(file, formatRedirect(address), { mode: 0o600, flag: 'wx' });
  return file;
}

/** How long a code is valid. Milliseconds. */
const codeMs = 60_000;

/** A page that redirects at once, without a script. */
function formatRedirect(address: string): string {
  const to = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${to}">
<title>Sonde</title>
<p><a href="${to}">Open Sonde</a></p>
`;
}
