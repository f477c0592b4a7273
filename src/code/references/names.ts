/**
 * What names mean across files: pure functions over the facts at hand. Where facts are missing, they say
 * which; the caller reads them and asks again.
 */
import type { Definition, FileFacts, Import } from '../facts/facts.ts';
import { externCrate } from '../facts/rust.ts';
import type { LanguageName } from '../syntax/languages.ts';
import { goModule, type Module, type ModuleMap, pythonModule, rustModule, scriptModule } from './modules.ts';

/** A definition by its place. */
export interface DefinitionRef {
  readonly path: string;
  readonly index: number;
}

export type Meaning =
  | ({ readonly kind: 'definition' } & DefinitionRef)
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'external' }
  | { readonly kind: 'unknown' };

export type Family = 'python' | 'script' | 'go' | 'rust' | 'c' | 'other';

export function familyOf(language: LanguageName): Family {
  if (language === 'python' || language === 'go' || language === 'rust') return language;
  if (language === 'typescript' || language === 'tsx' || language === 'javascript') return 'script';
  return language === 'c' || language === 'cpp' ? 'c' : 'other';
}

export const external = { kind: 'external' } as const;
export const unknown = { kind: 'unknown' } as const;

const maxDepth = 8;
/** Files of one folder that are read to know a package. */
const maxFolder = 60;

export class Names {
  readonly #facts: ReadonlyMap<string, FileFacts | null>;
  readonly map: ModuleMap;
  /** Files whose facts were asked for and are not there yet. */
  readonly wanted = new Set<string>();

  constructor(facts: ReadonlyMap<string, FileFacts | null>, map: ModuleMap) {
    this.#facts = facts;
    this.map = map;
  }

  facts(path: string): FileFacts | null {
    const found = this.#facts.get(path);
    if (found === undefined) this.wanted.add(path);
    return found ?? null;
  }

  definition({ path, index }: DefinitionRef): Definition | undefined {
    return this.facts(path)?.definitions[index];
  }

  /** A name at the top of a file. */
  inFile(path: string, name: string, depth = 0): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const index = topLevel(facts, name);
    if (index >= 0) return { kind: 'definition', path, index };
    const imports = importsIn(facts, -1);
    const found = imports.filter(({ local }) => local === name).at(-1);
    if (found === undefined) return this.#byStar(path, facts, name, depth, imports);
    const meaning = this.resolveImport(path, found, depth + 1);
    // Of two that a build chooses from, it is not known which.
    if (meaning.kind === 'external' && familyOf(facts.language) === 'rust') {
      const starred = this.#byStar(path, facts, name, depth, imports);
      if (starred.kind !== 'external') return unknown;
    }
    return meaning;
  }

  /** Of Rust: what a name is that a module within a file has from others. */
  inInlineModule(path: string, facts: FileFacts, name: string, index: number): Meaning {
    return this.#byStar(path, facts, name, 0, importsIn(facts, index));
  }

  #byStar(path: string, facts: FileFacts, name: string, depth: number, imports: readonly Import[]): Meaning {
    let best: Meaning | null = null;
    for (const each of imports)
      if (each.local === '*' && each.name === '*') {
        const found = this.#fromModule(
          this.moduleOf(path, facts.language, each.module),
          facts.language,
          name,
          depth + 1,
        );
        if (found.kind === 'definition') return found;
        if (found.kind === 'unknown') best = found;
      }
    return best ?? external;
  }

  moduleOf(path: string, language: LanguageName, module: string): Module {
    switch (familyOf(language)) {
      case 'python':
        return pythonModule(this.map, path, module);
      case 'script':
        return scriptModule(this.map, path, module);
      case 'go':
        return goModule(this.map, module);
      case 'rust': {
        const parts = module.split('::').filter((part) => part !== '');
        const found = rustModule(this.map, path, parts);
        const isOwn =
          found.module.kind === 'external' &&
          this.facts(path)?.definitions.some(({ name, kind }) => name === parts[0] && kind === 'namespace');
        return isOwn === true || (found.module.kind === 'file' && found.used < parts.length)
          ? { kind: 'unknown' }
          : found.module;
      }
      default:
        return { kind: 'unknown' };
    }
  }

  /** What an import brings in. */
  resolveImport(path: string, { module, name }: Import, depth = 0): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const { language } = facts;
    if (familyOf(language) === 'rust' && module === externCrate) {
      const crate = this.map.crates.get(name);
      return crate === undefined ? external : { kind: 'module', path: crate };
    }
    if (familyOf(language) === 'rust')
      return this.rustPath(path, [...module.split('::').filter((part) => part !== ''), name], depth + 1);
    const found = this.moduleOf(path, language, module);
    if (name === '*') return meaningOf(found);
    const own = this.#fromModule(found, language, name, depth + 1);
    if (familyOf(language) !== 'python' || own.kind === 'definition' || own.kind === 'module') return own;
    // A module of a package is a name of it, too.
    const sub = pythonModule(this.map, path, module.endsWith('.') ? `${module}${name}` : `${module}.${name}`);
    return sub.kind === 'file'
      ? { kind: 'module', path: sub.path }
      : found.kind === 'external'
        ? external
        : own;
  }

  #fromModule(module: Module, language: LanguageName, name: string, depth: number): Meaning {
    if (module.kind === 'external') return external;
    if (module.kind === 'unknown') return unknown;
    if (module.kind === 'folder') return this.inFolder(module.path, name);
    if (familyOf(language) === 'script') return this.resolveExport(module.path, name, depth);
    const found = this.inFile(module.path, name, depth);
    // A module of its own has all its names; one that is not seen is made in another way.
    return found.kind === 'external' ? unknown : found;
  }

  /** A name that a module of TypeScript or JavaScript gives out. */
  resolveExport(path: string, name: string, depth = 0): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const own = facts.exports.filter(
      (each) => each.name === name || (name === 'default' && each.name === '='),
    );
    for (const each of own) {
      const found =
        each.module === undefined
          ? this.inFile(path, each.local, depth + 1)
          : this.#reExported(path, facts, each.module, each.local, depth);
      if (found.kind !== 'unknown') return found;
    }
    const index = topLevel(facts, name);
    if (index >= 0 && own.length === 0) return { kind: 'definition', path, index };
    for (const each of facts.exports)
      if (each.name === '*' && each.module !== undefined && name !== 'default') {
        const found = this.#reExported(path, facts, each.module, name, depth);
        if (found.kind === 'definition' || found.kind === 'module') return found;
      }
    // The whole of `module.exports = X` holds its members.
    return unknown;
  }

  #reExported(path: string, { language }: FileFacts, module: string, name: string, depth: number): Meaning {
    const found = this.moduleOf(path, language, module);
    return name === '*' ? meaningOf(found) : this.#fromModule(found, language, name, depth + 1);
  }

  /** Of Go: all files of a folder are one package. */
  inFolder(folder: string, name: string, pack?: string): Meaning {
    const paths = this.folderPaths(folder);
    for (const path of paths) {
      const facts = this.#facts.get(path);
      if (facts === null || facts === undefined || (pack !== undefined && facts.package !== pack)) continue;
      const index = topLevel(facts, name);
      if (index >= 0) return { kind: 'definition', path, index };
    }
    if (paths.length > maxFolder) return unknown;
    const missing = paths.filter((path) => !this.#facts.has(path));
    for (const path of missing) this.wanted.add(path);
    return missing.length > 0 || paths.some((path) => this.#facts.get(path) === null) ? unknown : external;
  }

  folderPaths(folder: string): readonly string[] {
    const found: string[] = [];
    for (const path of this.map.paths)
      if (
        path.endsWith('.go') &&
        path.startsWith(folder === '' ? '' : `${folder}/`) &&
        !path.slice(folder === '' ? 0 : folder.length + 1).includes('/')
      )
        found.push(path);
    return found;
  }

  /** `a::b::name`, as it is seen from a file. */
  rustPath(path: string, parts: readonly string[], depth = 0): Meaning {
    if (depth > maxDepth || parts.length === 0) return unknown;
    const { module, used } = rustModule(this.map, path, parts);
    if (module.kind !== 'file') {
      // The first part may be a name of this file: a type, or what it imports.
      const [first, ...more] = parts;
      const own = this.inFile(path, first!, depth + 1);
      return more.length === 0 ? own : this.rustMember(own, more, depth + 1);
    }
    const rest = parts.slice(used);
    if (rest.length === 0) return { kind: 'module', path: module.path };
    const found = this.inFile(module.path, rest[0]!, depth + 1);
    const known = found.kind === 'external' ? unknown : found;
    return rest.length === 1 ? known : this.rustMember(known, rest.slice(1), depth + 1);
  }

  rustMember(of: Meaning, parts: readonly string[], depth: number): Meaning {
    if (of.kind === 'module') return this.rustPath(of.path, ['self', ...parts], depth + 1);
    if (of.kind !== 'definition') return of;
    const facts = this.facts(of.path);
    const definition = facts?.definitions[of.index];
    const [name, ...more] = parts;
    if (facts === null || definition === undefined || name === undefined) return unknown;
    if (definition.kind !== 'namespace') return more.length === 0 ? unknown : unknown;
    const index = facts.definitions.findIndex((one) => one.parent === of.index && one.name === name);
    if (index < 0) return unknown;
    const found: Meaning = { kind: 'definition', path: of.path, index };
    return more.length === 0 ? found : this.rustMember(found, more, depth + 1);
  }
}

/** Of Rust: the module within a file that holds a line; -1: the file. */
export function inlineModuleAt({ definitions }: FileFacts, line: number): number {
  let best = -1;
  for (const [index, { kind, flags, start, end }] of definitions.entries())
    if (kind === 'namespace' && !flags.includes('declaration') && start < line && line <= end)
      if (best < 0 || start >= definitions[best]!.start) best = index;
  return best;
}

/** Those of a module within a file; -1: of the file. */
const importsIn = (facts: FileFacts, index: number): readonly Import[] =>
  facts.language === 'rust' && facts.definitions.some(({ kind }) => kind === 'namespace')
    ? facts.imports.filter(({ line }) => inlineModuleAt(facts, line) === index)
    : facts.imports;

const meaningOf = (module: Module): Meaning =>
  module.kind === 'file' ? { kind: 'module', path: module.path } : module;

/** The one with a body, where there are several. */
function topLevel(facts: FileFacts, name: string): number {
  let best = -1;
  for (const [index, one] of facts.definitions.entries()) {
    if (one.name !== name || one.flags.includes('local') || one.owner !== undefined) continue;
    if (one.parent >= 0 && facts.definitions[one.parent]?.kind !== 'variable') continue;
    if (one.parent >= 0) continue;
    if (best < 0 || facts.definitions[best]!.flags.includes('declaration')) best = index;
  }
  return best;
}
