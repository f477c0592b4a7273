/**
 * Files that a query names: `src/app.py`, `app.py`, the frames of a traceback, a dotted module such as
 * `celery.backends.base`, or a package: `django.db.models`, `core/handlers`.
 */

/** A run of the characters of paths and dotted names. Runs longer than `maxRun` are data. */
const pathLike = /[\w./\\-]+/g;
const maxRun = 300;
const fileNamePattern = /^(?:.*[/\\])?[\w-][\w.-]*\.[A-Za-z]\w{0,9}$/;
const dottedNamePattern = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
/** `core/handlers/base`: a file without its extension, or a folder. */
const slashedNamePattern = /^\w[\w-]*(?:\/[\w-]+)+$/;
/** Names of files that represent their folder. */
const packageFiles = ['__init__', 'index', 'mod', 'lib', 'main', 'package-info', 'doc'];
/** A name that fits more files than this is ambiguous, and is ignored. */
const maxFiles = 5;
/** Maximum number of names of a query that are looked up. */
const maxMentions = 200;
/** A trace often names the compiled file: `dist/core/retry.js` for `src/core/retry.ts`. */
const compiledExtension = /\.([cm]?)js(x?)$/;

/** Finds files by the end of their path. Created once for each state of the index. */
export class PathEndings {
  /** Files by the last segment of their path, with and without extension, in lower case. */
  readonly #byName = new Map<string, number[]>();
  readonly #pathOf: (file: number) => string;

  constructor(files: Iterable<number>, pathOf: (file: number) => string) {
    this.#pathOf = (file) => pathOf(file).toLowerCase();
    for (const file of files) {
      const name = lastSegment(this.#pathOf(file));
      this.#add(name, file);
      const baseName = dropExtension(name);
      if (baseName !== name) this.#add(baseName, file);
    }
  }

  #add(name: string, file: number): void {
    const files = this.#byName.get(name);
    if (files === undefined) this.#byName.set(name, [file]);
    else files.push(file);
  }

  /** Files whose path, with or without its extension, equals `ending` or ends with `/` and `ending`. */
  findFiles(ending: string): number[] {
    const tail = `/${ending}`;
    return (this.#byName.get(lastSegment(ending)) ?? []).filter((file) => {
      const path = `/${this.#pathOf(file)}`;
      return path.endsWith(tail) || dropExtension(path).endsWith(tail);
    });
  }
}

/**
 * The files that the query seems to name, each with its certainty: 1 divided by the number of files that match the
 * name. `endings` is called only if the query contains something that looks like a name.
 */
export function findMentionedFiles(text: string, endings: () => PathEndings): ReadonlyMap<number, number> {
  const certainties = new Map<number, number>();
  const addFiles = (files: readonly number[]): void => {
    for (const file of files) certainties.set(file, Math.max(certainties.get(file) ?? 0, 1 / files.length));
  };
  for (const mention of findCandidates(text)) {
    if (fileNamePattern.test(mention)) addFiles(findBySuffix(mention.split(/[/\\]/), endings()));
    if (dottedNamePattern.test(mention)) addFiles(findModule(mention.split('.'), endings()));
    if (slashedNamePattern.test(mention)) addFiles(findPackage(mention.split('/'), endings()));
  }
  return certainties;
}

function findCandidates(text: string): string[] {
  const mentions = new Set<string>();
  for (const [match] of text.matchAll(pathLike)) {
    if (match.length > maxRun || !/[./]/.test(match)) continue;
    // Drops the full stop of a sentence.
    const mention = match.replace(/[./-]+$/, '');
    if (/[./]/.test(mention)) mentions.add(mention);
    if (mentions.size === maxMentions) break;
  }
  return [...mentions];
}

/** Finds the longest module path; the rest is a name inside it, as in `celery.backends.base.KeyValueStore`. */
function findModule(parts: readonly string[], endings: PathEndings): number[] {
  for (let length = parts.length; length >= 2; length--) {
    const files = findModuleOrPackage(parts.slice(0, length).join('/').toLowerCase(), endings);
    if (files.length > 0) return files;
  }
  return [];
}

/** Finds a file, or the file that represents a folder. */
function findModuleOrPackage(path: string, endings: PathEndings): number[] {
  const files = endings.findFiles(path);
  if (files.length > 0) return files.length <= maxFiles ? files : [];
  const packageEntries = packageFiles.flatMap((name) => endings.findFiles(`${path}/${name}`));
  return packageEntries.length <= maxFiles ? packageEntries : [];
}

/**
 * Drops leading folders, which may be those of another machine, until the rest matches. A single segment is not enough,
 * since it could be any word.
 */
function findPackage(parts: readonly string[], endings: PathEndings): number[] {
  for (let firstPart = 0; parts.length - firstPart >= 2; firstPart++) {
    const files = findModuleOrPackage(parts.slice(firstPart).join('/').toLowerCase(), endings);
    if (files.length > 0) return files;
  }
  return [];
}

/** Drops leading folders, which may be those of another machine, until the rest matches. */
function findBySuffix(parts: readonly string[], paths: PathEndings): number[] {
  for (let firstPart = 0; firstPart < parts.length; firstPart++) {
    const path = parts.slice(firstPart).join('/').toLowerCase();
    const files = paths.findFiles(path);
    if (files.length === 0) files.push(...listSources(path).flatMap((source) => paths.findFiles(source)));
    if (files.length > 0) return files.length <= maxFiles ? files : [];
  }
  return [];
}

/** The TypeScript files from which a JavaScript file may be compiled; none for other files. */
function listSources(path: string): string[] {
  const [extension, kind, jsx] = compiledExtension.exec(path) ?? [];
  if (extension === undefined) return [];
  const stem = path.slice(0, -extension.length);
  return jsx === '' ? [`${stem}.${kind}ts`, ...(kind === '' ? [`${stem}.tsx`] : [])] : [`${stem}.tsx`];
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function dropExtension(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') + 1 ? path.slice(0, dot) : path;
}
