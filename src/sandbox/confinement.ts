import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { seccompFilter } from './seccomp.ts';

/** Restrictions by the operating system, in addition to Node's permission model. */
export interface Confinement {
  readonly kind: 'bubblewrap' | 'setpriv' | 'none';
  /** The system call filter to write to `filterDescriptor` of the process; null for none. */
  readonly filter: Buffer | null;
  readonly detail: string;
  /** The command line, prefixed by that of the confinement. `readable`: files and folders that the program needs. */
  wrap(
    program: string,
    args: readonly string[],
    readable: readonly string[],
    filterDescriptor: number,
  ): readonly string[];
}

/** The best confinement that works on this machine, or one by name. */
export type ConfinementChoice = 'best' | Confinement['kind'];

const run = promisify(execFile);

export async function chooseConfinement(choice: ConfinementChoice): Promise<Confinement> {
  const isWanted = (kind: Confinement['kind']) =>
    process.platform === 'linux' && (choice === 'best' || choice === kind);
  if (isWanted('bubblewrap')) {
    const found = await tryBubblewrap();
    if (found) return found;
  }
  if (isWanted('setpriv')) {
    const found = await trySetpriv();
    if (found) return found;
  }
  const why = choice === 'none' ? 'switched off' : 'neither bubblewrap nor setpriv can be used here';
  return { kind: 'none', filter: null, detail: `none: ${why}`, wrap: (program, args) => [program, ...args] };
}

/** No network, no files except `readable`, no other processes, no new privileges, and a filter for system calls. */
async function tryBubblewrap(): Promise<Confinement | null> {
  const filter = seccompFilter(process.arch);
  // The folders of Node's shared libraries, if they exist.
  const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'].filter(existsSync);
  const confinement: Confinement = {
    kind: 'bubblewrap',
    filter,
    detail: `bubblewrap: own namespaces, no network, no files but the engine and libraries${filter ? ', system calls filtered' : ''}`,
    wrap: (program, args, readable, filterDescriptor) => [
      'bwrap',
      '--unshare-all',
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
      ...[...libraries, program, ...readable].flatMap((path) => ['--ro-bind', path, path]),
      '--chdir',
      '/',
      ...(filter ? ['--seccomp', `${filterDescriptor}`] : []),
      '--',
      program,
      ...args,
    ],
  };
  return (await canRun(confinement)) ? confinement : null;
}

/** Tries the confinement with a program that ends at once: namespaces may be forbidden. */
async function canRun(confinement: Confinement): Promise<boolean> {
  const program = await realpath(process.execPath);
  const [command = '', ...args] = confinement.wrap(program, ['--version'], [], 3);
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
    // If the process could not be started for lack of memory, it has no streams.
    const pipe = child.stdio?.[3] as NodeJS.WritableStream | undefined;
    pipe?.on('error', () => {});
    pipe?.end(confinement.filter ?? '');
  });
}

/** No capabilities, and no new privileges by running another program. */
async function trySetpriv(): Promise<Confinement | null> {
  const flags = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const works = await run('setpriv', [...flags, 'true'], { timeout: 5000 }).catch(() => null);
  return (
    works && {
      kind: 'setpriv',
      filter: null,
      detail: 'setpriv: no new privileges, no capabilities',
      wrap: (program, args) => ['setpriv', ...flags, '--', program, ...args],
    }
  );
}
