/** The mark in a synchronised folder. It names the workspace, so that no other workspace uses the folder. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SondeError } from '../../core/index.ts';

export const markName = '.sonde-sync';

export interface Mark {
  readonly vault: string;
  /** Id of the workspace. The path of its database is in `file`. */
  readonly workspace: string;
  readonly file: string;
}

export const newVaultId = (): string => `sync-${randomBytes(6).toString('hex')}`;

export function readMark(root: string): Mark | null {
  let text: string;
  try {
    text = readFileSync(join(root, markName), 'utf8');
  } catch {
    return null;
  }
  try {
    const { vault, workspace, file } = JSON.parse(text);
    if ([vault, workspace, file].every((field) => typeof field === 'string'))
      return { vault, workspace, file };
  } catch {
    // Invalid JSON: reported below.
  }
  throw new SondeError('run_state', {
    message: `${join(root, markName)} does not say which workspace the folder belongs to`,
    remedy: 'Remove that file, if no other workspace is synchronised with the folder.',
  });
}

export function writeMark(root: string, mark: Mark): void {
  const temporaryPath = join(root, `${markName}-${randomBytes(6).toString('hex')}`);
  writeFileSync(temporaryPath, `${JSON.stringify(mark)}\n`, { flag: 'wx' });
  renameSync(temporaryPath, join(root, markName));
}

/** Throws `run_state` if the folder belongs to another workspace, or lies in a synchronised folder. */
export function refuseOtherWorkspace(
  root: string,
  mark: Mark | null,
  workspace: { id: string; file: string },
): void {
  for (let parent = dirname(root); ; parent = dirname(parent)) {
    if (lstatSync(join(parent, markName), { throwIfNoEntry: false })?.isFile() === true)
      throw ownershipError(
        `${root} lies in ${parent}, which is already synchronised with a workspace`,
        parent,
      );
    if (parent === dirname(parent)) break;
  }
  if (mark === null) return;
  if (mark.workspace !== workspace.id)
    throw ownershipError(`${root} is synchronised with another workspace, ${mark.file}`, root);
  if (mark.file !== workspace.file && isOtherFile(mark.file, workspace.file))
    throw ownershipError(
      `${root} is synchronised with ${mark.file}, of which ${workspace.file} is a copy`,
      root,
    );
}

/** Throws `run_state` if a folder below `root` is synchronised with a workspace. */
export function refuseInnerVaults(root: string, folders: readonly string[]): void {
  const [firstFolder] = folders;
  if (firstFolder === undefined) return;
  const inner = join(root, firstFolder);
  throw ownershipError(`${inner}, within ${root}, is synchronised with a workspace of its own`, inner);
}

const ownershipError = (message: string, place: string): SondeError =>
  new SondeError('run_state', {
    message,
    remedy: `Use that one. To give it up, remove ${join(place, markName)}.`,
  });

function isOtherFile(firstPath: string, secondPath: string): boolean {
  const [firstStats, secondStats] = [firstPath, secondPath].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  return (
    firstStats !== undefined &&
    secondStats !== undefined &&
    (firstStats.ino !== secondStats.ino || firstStats.dev !== secondStats.dev)
  );
}
