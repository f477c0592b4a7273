/**
 * The folder of a frozen incident. The files that may be read are listed once: files in the folder, and links to files
 * in it. The recorded solution of the incident (`truth.json` and the like) is never read, also not by a link.
 */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { decodeSentText, SondeError } from '../../core/index.ts';

export interface FrozenFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** The absolute path, with links resolved. */
  readonly place: string;
  readonly bytes: number;
}

export interface FrozenFolder {
  /** The path as it was given. */
  readonly folder: string;
  readonly files: readonly FrozenFile[];
  /** The files that were left out, and why; one line each. */
  readonly notes: readonly string[];
  readText(file: FrozenFile): Promise<string>;
}

/** Maximum size of a file, since files are read whole. Bytes. */
const maxFileBytes = 64 * 1024 * 1024;
const maxDepth = 3;
const maxFiles = 500;

/** Takes the incident's folder, or the `data` folder in it. Throws `not_found`. */
export async function openFolder(folder: string): Promise<FrozenFolder> {
  const givenPath = await realpath(folder).catch(() => null);
  if (givenPath === null || !(await stat(givenPath)).isDirectory())
    throw new SondeError('not_found', {
      message: `There is no folder ${folder} with a frozen incident.`,
      remedy:
        'Name a folder that holds alert.json, logs.ndjson, metrics.csv or context/; docs/incidents.md lists its files.',
    });
  const dataFolder = join(givenPath, 'data');
  const hasDataFolder = await stat(dataFolder)
    .then((found) => found.isDirectory())
    .catch(() => false);
  const root = hasDataFolder ? await realpath(dataFolder) : givenPath;
  const solutions = await solutionsNear(root);
  const files: FrozenFile[] = [];
  const notes: string[] = [];

  let leftOutCount = 0;

  const listFolder = async (directory: string, depth: number): Promise<void> => {
    for (const name of (await readdir(directory)).sort()) {
      const path = relative(root, join(directory, name)).split(sep).join('/');
      if (name.startsWith('.')) continue;
      if (files.length >= maxFiles) {
        leftOutCount += 1;
        continue;
      }
      const realPath = await realpath(join(directory, name)).catch(() => null);
      if (realPath === null) continue;
      const stats = await lstat(realPath);
      if (realPath !== root && !realPath.startsWith(root + sep)) {
        notes.push(`${path} is left out: it leads out of the folder.`);
      } else if (
        isSolution(name) ||
        isSolution(basename(realPath)) ||
        solutions.has(`${stats.dev}:${stats.ino}`)
      ) {
        // The recorded solution: not even its name is noted.
      } else if (stats.isDirectory()) {
        if (depth < maxDepth) await listFolder(realPath, depth + 1);
        else notes.push(`${path} is left out: it is ${maxDepth} folders deep.`);
      } else if (stats.isFile()) files.push(Object.freeze({ path, place: realPath, bytes: stats.size }));
    }
  };
  await listFolder(root, 1);
  if (leftOutCount > 0)
    notes.push(`${leftOutCount} more files and folders are left out: the limit is ${maxFiles}.`);
  return Object.freeze({
    folder,
    files: Object.freeze(files),
    notes: Object.freeze(notes),
    async readText(file: FrozenFile) {
      if (!files.includes(file) || (await realpath(file.place)) !== file.place)
        throw new SondeError('outside_root', {
          message: `${file.path} is not a file of the frozen incident.`,
          remedy: 'Read only files in its folder, and follow no link out of it.',
        });
      if (file.bytes > maxFileBytes)
        throw new SondeError('not_text', {
          message: `${file.path} is larger than ${maxFileBytes} bytes.`,
          remedy: 'Split it into smaller files.',
        });
      return decodeSentText(await readFile(file.place));
    },
  });
}

function isSolution(name: string): boolean {
  return /^(?:truth|answers?|scenario|solution|expected|ground_?truth|qa_?validation)(?:[._-]|$)/i.test(name);
}

/** Device and inode of solutions in the folder and next to it, so that hard links to them are recognised. */
async function solutionsNear(root: string): Promise<ReadonlySet<string>> {
  const solutionIds = new Set<string>();
  for (const directory of [root, dirname(root)])
    for (const name of await readdir(directory).catch(() => []))
      if (isSolution(name)) {
        const entry = await stat(join(directory, name)).catch(() => null);
        if (entry?.isFile()) solutionIds.add(`${entry.dev}:${entry.ino}`);
      }
  return solutionIds;
}
