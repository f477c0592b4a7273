/** Finds the file of a module by the rules of each language. Reads only files that configure modules. */
import { posix } from 'node:path';

export type Module =
  | { readonly kind: 'file'; readonly path: string }
  /** For Go: all files of a folder. */
  | { readonly kind: 'folder'; readonly path: string }
  /** Certainly outside of the tree. */
  | { readonly kind: 'external' }
  | { readonly kind: 'unknown' };

/** What configuration files of the tree say about the location of modules. */
export interface ModuleMap {
  readonly paths: ReadonlySet<string>;
  /** Prefixes of module names with the folders that they may stand for, the longest first. */
  readonly scriptRoots: readonly { readonly prefix: string; readonly folders: readonly string[] }[];
  /** For Go: the folder of each go.mod, and the name of its module. */
  readonly goRoots: readonly { readonly folder: string; readonly name: string }[];
  /** For Rust: the names of crates, and the root file of each. */
  readonly crates: ReadonlyMap<string, string>;
}

const external: Module = { kind: 'external' };
const unknown: Module = { kind: 'unknown' };
const toFile = (path: string): Module => ({ kind: 'file', path });
const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
const joinPath = (...parts: readonly string[]): string => {
  const path = posix.normalize(parts.filter((part) => part !== '').join('/'));
  return path === '.' ? '' : path.replace(/\/$/, '');
};

const knownFolders = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

/** All folders that contain a file, at any depth. */
function listFolders(paths: ReadonlySet<string>): ReadonlySet<string> {
  const known = knownFolders.get(paths);
  if (known !== undefined) return known;
  const folders = new Set<string>();
  for (const path of paths)
    for (let up = folderOf(path); up !== '' && !folders.has(up); up = folderOf(up)) folders.add(up);
  knownFolders.set(paths, folders);
  return folders;
}

export function resolvePythonModule({ paths }: ModuleMap, from: string, module: string): Module {
  const findFile = (base: string): string | undefined =>
    [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`, `${base}/__init__.pyi`].find((path) =>
      paths.has(path),
    );
  const dots = /^\.+/.exec(module)?.[0].length ?? 0;
  const rest = module
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  if (dots > 0) {
    let folder = folderOf(from);
    for (let up = 1; up < dots; up += 1) folder = folderOf(folder);
    const base = joinPath(folder, ...rest);
    const found =
      rest.length === 0
        ? [`${base === '' ? '' : `${base}/`}__init__.py`].find((path) => paths.has(path))
        : findFile(base);
    return found === undefined ? unknown : toFile(found);
  }
  const modulePath = rest.join('/');
  // The root, the usual source folders, and the folders above the file, since a script sees its neighbours.
  const folders = ['', 'src', 'lib', 'python'];
  for (let up = folderOf(from); up !== ''; up = folderOf(up)) folders.push(up, `${up}/src`);
  for (const folder of folders) {
    const found = findFile(joinPath(folder, modulePath));
    if (found !== undefined) return toFile(found);
  }
  const [packageName = ''] = rest;
  for (const folder of folders) {
    const base = joinPath(folder, packageName);
    if (listFolders(paths).has(base) || paths.has(`${base}.py`)) return unknown;
  }
  return external;
}

const scriptEndings = ['', '.ts', '.tsx', '.d.ts', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

export function resolveScriptModule({ paths, scriptRoots }: ModuleMap, from: string, module: string): Module {
  const findFile = (base: string): string | undefined => {
    for (const stem of [base, base.replace(/\.(?:[mc]?js|jsx)$/, '')])
      for (const ending of [...scriptEndings, ...scriptEndings.slice(1).map((each) => `/index${each}`)])
        if (paths.has(`${stem}${ending}`)) return `${stem}${ending}`;
    const typescriptPath = base.replace(/\.([mc])js$/, '.$1ts');
    return paths.has(typescriptPath) ? typescriptPath : undefined;
  };
  const cleanModule = module.replace(/[?#].*$/, '');
  if (/^\.{1,2}(?:\/|$)/.test(cleanModule)) {
    const found = findFile(joinPath(folderOf(from), cleanModule));
    return found === undefined ? unknown : toFile(found);
  }
  let isInTree = false;
  for (const { prefix, folders } of scriptRoots) {
    if (
      cleanModule !== prefix &&
      !cleanModule.startsWith(prefix.endsWith('/') || prefix === '' ? prefix : `${prefix}/`)
    )
      continue;
    if (prefix !== '') isInTree = true;
    const rest = cleanModule.slice(prefix.length);
    for (const folder of folders) {
      const found = findFile(joinPath(folder, rest));
      if (found !== undefined) return toFile(found);
    }
  }
  return isInTree ? unknown : external;
}

export function resolveGoModule({ goRoots, paths }: ModuleMap, module: string): Module {
  for (const { folder, name } of goRoots)
    if (module === name || module.startsWith(`${name}/`)) {
      const path = joinPath(folder, module.slice(name.length + 1));
      return { kind: 'folder', path };
    }
  // Without a go.mod, as in an old workspace: a folder whose path ends like the module.
  if (goRoots.length === 0 && module.includes('/'))
    for (const path of paths)
      if (path.endsWith('.go') && `/${folderOf(path)}`.endsWith(`/${module.split('/').slice(-2).join('/')}`))
        return { kind: 'folder', path: folderOf(path) };
  return external;
}

/** Finds the file of a path of Rust modules. `used`: how many leading parts of the path name that file. */
export function resolveRustModule(
  map: ModuleMap,
  from: string,
  parts: readonly string[],
): { readonly module: Module; readonly used: number } {
  const { paths, crates } = map;
  const [firstPart, ...more] = parts;
  if (firstPart === undefined) return { module: unknown, used: 0 };
  let modulePath: string | undefined;
  let used = 1;
  if (firstPart === 'crate') modulePath = findCrateRoot(map, from);
  else if (firstPart === 'self') modulePath = from;
  else if (firstPart === 'super') {
    modulePath = findParentModule(map, from);
    while (modulePath !== undefined && more[used - 1] === 'super') {
      modulePath = findParentModule(map, modulePath);
      used += 1;
    }
  } else {
    const child = findChildModule(paths, from, firstPart);
    modulePath = child ?? crates.get(firstPart);
    if (modulePath === undefined) return { module: external, used: 0 };
  }
  if (modulePath === undefined) return { module: unknown, used };
  while (used < parts.length) {
    const next = findChildModule(paths, modulePath, parts[used]!);
    if (next === undefined) break;
    modulePath = next;
    used += 1;
  }
  return { module: toFile(modulePath), used };
}

const isFolderModule = (path: string): boolean => /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path);

function findChildModule(paths: ReadonlySet<string>, modulePath: string, name: string): string | undefined {
  const base = isFolderModule(modulePath) ? folderOf(modulePath) : modulePath.replace(/\.rs$/, '');
  return [joinPath(base, `${name}.rs`), joinPath(base, name, 'mod.rs')].find((path) => paths.has(path));
}

function findParentModule({ paths }: ModuleMap, modulePath: string): string | undefined {
  const folder = /(?:^|\/)mod\.rs$/.test(modulePath) ? folderOf(folderOf(modulePath)) : folderOf(modulePath);
  return [
    joinPath(folder, 'mod.rs'),
    `${folder}.rs`,
    joinPath(folder, 'lib.rs'),
    joinPath(folder, 'main.rs'),
  ].find((path) => paths.has(path) && path !== modulePath);
}

function findCrateRoot({ paths }: ModuleMap, from: string): string | undefined {
  for (let folder = folderOf(from); ; folder = folderOf(folder)) {
    const found = [joinPath(folder, 'lib.rs'), joinPath(folder, 'main.rs')].find((path) => paths.has(path));
    if (found !== undefined) return found;
    if (folder === '') return undefined;
  }
}

/** Lists the files that configure modules, such as package.json and go.mod. */
export const listMapFiles = (paths: readonly string[]): readonly string[] =>
  paths
    .filter(
      (path) =>
        /(?:^|\/)(?:package|tsconfig[\w.-]*|jsconfig)\.json$|(?:^|\/)(?:go\.mod|Cargo\.toml)$/.test(path) &&
        !/(?:^|\/)node_modules\//.test(path),
    )
    .slice(0, 500);

export function createModuleMap(paths: ReadonlySet<string>, texts: ReadonlyMap<string, string>): ModuleMap {
  const roots = new Map<string, Set<string>>();
  const goRoots: { folder: string; name: string }[] = [];
  const crates = new Map<string, string>();
  const add = (prefix: string, folder: string) =>
    roots.set(prefix, (roots.get(prefix) ?? new Set()).add(folder));
  for (const [path, text] of texts) {
    const folder = folderOf(path);
    if (path.endsWith('go.mod')) {
      const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
      if (name !== undefined) goRoots.push({ folder, name });
    } else if (path.endsWith('Cargo.toml')) {
      const name = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1];
      const libraryName = /^\[lib\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1];
      const libraryPath = /^\[lib\][^[]*?^path\s*=\s*"([^"]+)"/ms.exec(text)?.[1];
      const rootFile = [
        ...(libraryPath === undefined ? [] : [joinPath(folder, libraryPath)]),
        joinPath(folder, 'src/lib.rs'),
        joinPath(folder, 'src/main.rs'),
      ].find((one) => paths.has(one));
      if (rootFile !== undefined)
        for (const crateName of [name, libraryName])
          if (crateName !== undefined) crates.set(crateName.replaceAll('-', '_'), rootFile);
    } else if (/package\.json$/.test(path)) {
      const name = parseJson(text)?.['name'];
      if (typeof name === 'string' && name !== '')
        for (const place of [joinPath(folder, 'src'), folder, joinPath(folder, 'lib')]) add(name, place);
    } else {
      const options = parseJson(text)?.['compilerOptions'] as Readonly<Record<string, unknown>> | undefined;
      const baseUrl = typeof options?.['baseUrl'] === 'string' ? options['baseUrl'] : undefined;
      if (baseUrl !== undefined) add('', joinPath(folder, baseUrl));
      for (const [pattern, targets] of Object.entries(
        (options?.['paths'] ?? {}) as Readonly<Record<string, unknown>>,
      ))
        for (const target of Array.isArray(targets) ? targets : [])
          if (typeof target === 'string')
            add(pattern.replace(/\*$/, ''), joinPath(folder, baseUrl ?? '', target.replace(/\*$/, '')));
    }
  }
  return {
    paths,
    scriptRoots: [...roots]
      .map(([prefix, folders]) => ({ prefix, folders: [...folders] }))
      .sort((a, b) => b.prefix.length - a.prefix.length),
    goRoots: goRoots.sort((a, b) => b.name.length - a.name.length),
    crates,
  };
}

/** Parses JSON with comments and trailing commas, as TypeScript's configuration files have them. */
function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  const strictJson = text
    .replace(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_, quoted: string | undefined) => quoted ?? '',
    )
    .replace(/,(\s*[}\]])/g, '$1');
  try {
    const value: unknown = JSON.parse(strictJson);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
