/** Finds the program of a server: one that the user installed, never one inside the tree that it will read. */
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import type { ServerProfile } from './profiles.ts';

export interface ServerWish {
  /** Absent: the default command. */
  readonly command?: readonly string[] | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

export interface SearchEnvironment {
  /** The tree's real path. */
  readonly root: string;
  /** The PATH of the user's shell. */
  readonly searchPath: string;
  /** The user trusts programs of this tree. */
  readonly isTrusted: boolean;
}

export type Program =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      /** The only folders in which the server finds programs. */
      readonly searchPath: string;
    }
  | { readonly kind: 'none'; readonly why: string; readonly remedy: string };

export function findProgram(
  profile: ServerProfile,
  wish: ServerWish,
  environment: SearchEnvironment,
): Program {
  const [name = '', ...args] = wish.command ?? profile.command;
  const none = (why: string, remedy: string): Program => ({ kind: 'none', why, remedy });
  if (process.platform === 'win32')
    return none('language servers are not started on this system', 'Ask without one.');
  // Looks for the program first: nobody should be asked to trust a folder for a program that is missing.
  const found = findProgramPath(name, environment);
  if (typeof found === 'string') return none(found, profile.install);
  const isKnown = profile.known.test(basename(name));
  if (!environment.isTrusted && (!isKnown || profile.runsCode !== undefined))
    return none(
      isKnown
        ? `${name} could run what the folder holds: ${profile.runsCode}`
        : `it is not known that ${name} runs nothing of a folder`,
      'Put the folder into trusted_projects if its code may run here.',
    );
  const stray = args.find(
    (one) => isAbsolute(one) && isWithin(environment.root, resolveRealPath(one) ?? one),
  );
  if (stray !== undefined)
    return none(`${stray} lies in the folder itself`, 'Name a program that lies elsewhere.');
  const folders: string[] = [];
  for (const other of profile.starts ?? []) {
    const path = findProgramPath(other, environment);
    if (typeof path === 'string') return none(path, profile.install);
    folders.push(dirname(path.path), dirname(path.real));
  }
  const [command, ...first] = isNodeScript(found.real) ? [process.execPath, found.real] : [found.path];
  return {
    kind: 'program',
    command: command!,
    args: [...first, ...args],
    searchPath: [...new Set(folders)].join(delimiter),
  };
}

interface ProgramPath {
  /** The path as found, without resolving links: some programs depend on the name they are started by. */
  readonly path: string;
  readonly real: string;
}

/** The path of a program, or the reason why it is not used. */
function findProgramPath(name: string, { root, searchPath }: SearchEnvironment): ProgramPath | string {
  const isPath = name.includes(sep);
  if (isPath && !isAbsolute(name)) return `${name} is no whole path`;
  const places = isPath
    ? [name]
    : searchPath
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, name));
  let inside: string | null = null;
  let plain: string | null = null;
  for (const path of places) {
    if (!isFile(path)) continue;
    if (!isExecutable(path)) {
      plain ??= path;
      continue;
    }
    const target = resolveRealPath(path);
    if (target === null) continue;
    if (!isWithin(root, target) && !isWithin(root, resolveRealPath(dirname(path)) ?? path))
      return { path, real: target };
    inside ??= path;
  }
  if (inside !== null) return `${inside} lies in the folder itself`;
  return plain === null ? `${name} is not installed` : `${plain} is not executable`;
}

const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

function resolveRealPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Such a script would look for `node` on the PATH. */
function isNodeScript(path: string): boolean {
  const start = Buffer.alloc(64);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, start, 0, start.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return /^#![^\n]*\bnode\b/.test(start.toString('latin1'));
}
