import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What the operating system adds to Node's own permission model, where it offers something. */
export interface Confinement {
  readonly kind: 'setpriv' | 'none';
  readonly facts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

const run = promisify(execFile);

/** Dropped for good: the process can't gain rights by running another program, and has no capability to lose. */
const setprivFlags = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];

/** Tries what is there. Takes a few milliseconds. */
export async function detectConfinement(): Promise<Confinement> {
  const name = 'confinement';
  if (process.platform !== 'linux') {
    return { kind: 'none', facts: [{ name, ok: true, detail: `none on ${process.platform}` }] };
  }
  const works = await run('setpriv', [...setprivFlags, 'true'], { timeout: 5000 }).then(
    () => true,
    () => false,
  );
  return works
    ? { kind: 'setpriv', facts: [{ name, ok: true, detail: 'no-new-privileges, no capabilities (setpriv)' }] }
    : {
        kind: 'none',
        facts: [{ name, ok: true, detail: 'none: setpriv is not installed, or may not be used' }],
      };
}

/** The command line with the confinement put before it. */
export function confine(
  confinement: Confinement,
  program: string,
  args: readonly string[],
  _readable: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  if (confinement.kind === 'none') return { command: program, args };
  return { command: 'setpriv', args: [...setprivFlags, '--', program, ...args] };
}
