/**
 * Resolves names across files with pure functions over the facts read so far. If facts are missing, the functions
 * name the files; the caller reads them and asks again.
 */
import {
  type Binding,
  type Definition,
  enclosingDefinition,
  type FileFacts,
  type Import,
} from '../facts/facts.ts';
import { externCrate } from '../facts/rust.ts';
import type { LanguageName } from '../syntax/languages.ts';
import { goModule, type Module, type ModuleMap, pythonModule, rustModule, scriptModule } from './modules.ts';

/** A definition: its file and its index there. */
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
/** Maximum number of files of one folder that are read to know a package. */
const maxFolder = 60;

export class Names {
  readonly #facts: ReadonlyMap<string, FileFacts | null>;
  readonly map: ModuleMap;
  /** Final answers: they can't change when more facts are read. */
  readonly #settled = new Map<string, Meaning>();
  readonly #embedded = new Map<string, boolean>();
  readonly #answers = new Map<string, boolean>();
  /** Names being resolved for the current answer, to stop at cycles. */
  #asked: Map<string, Meaning> | null = null;
  /** Files whose facts were needed but not read yet. */
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

  /** For Go: whether any known struct embeds a type of this name. */
  isEmbedded(name: string): boolean {
    let known = this.#embedded.get(name);
    if (known === undefined) {
      known = [...this.#facts.values()].some(
        (facts) =>
          facts?.language === 'go' &&
          facts.definitions.some(
            ({ bases }) => bases?.some((base) => base.split('.').at(-1) === name) === true,
          ),
      );
      this.#embedded.set(name, known);
    }
    return known;
  }

  /** Caches the answer to a frequent question about the same facts. */
  remember(key: string, ask: () => boolean): boolean {
    const known = this.#answers.get(key) ?? ask();
    this.#answers.set(key, known);
    return known;
  }

  /** Resolves a top-level name of a file. */
  inFile(path: string, name: string, depth = 0): Meaning {
    return this.#once(`top ${path} ${name}`, () => this.#inFile(path, name, depth));
  }

  /**
   * Resolves each name once per question: modules may import each other, in many ways. A name met again while it is
   * being resolved adds nothing.
   */
  #once(key: string, ask: () => Meaning): Meaning {
    const known = this.#settled.get(key) ?? this.#asked?.get(key);
    if (known !== undefined) return known;
    const outermost = this.#asked === null;
    this.#asked ??= new Map();
    this.#asked.set(key, external);
    const meaning = ask();
    this.#asked.set(key, meaning);
    if (outermost) {
      this.#asked = null;
      this.#settled.set(key, meaning);
    }
    return meaning;
  }

  #inFile(path: string, name: string, depth: number): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const index = topLevel(facts, name);
    const meanings: readonly Meaning[] = index < 0 ? [] : [{ kind: 'definition', path, index }];
    const imports = importsIn(facts, -1);
    const named = imports.filter(({ local }) => local === name);
    if (!mayChoose(facts)) {
      const [first = named.length > 0 ? this.resolveImport(path, named.at(-1)!, depth + 1) : undefined] =
        meanings;
      return first ?? this.#byStar(path, facts, name, depth, imports);
    }
    const atTop = named.filter(({ line }) => enclosingDefinition(facts, line) < 0);
    const meaning = oneOf([
      ...meanings,
      ...(atTop.length > 0 ? atTop : named).map((each) => this.resolveImport(path, each, depth + 1)),
    ]);
    if (meaning === null) return this.#byStar(path, facts, name, depth, imports);
    if (familyOf(facts.language) !== 'rust' || !imports.some(({ local }) => local === '*')) return meaning;
    // A named import hides the same name from a star import, unless a build chooses between them.
    const starred = this.#byStar(path, facts, name, depth, imports);
    return (starred.kind === 'definition' && !isSame(starred, meaning)) ||
      (meaning.kind === 'external' && starred.kind !== 'external')
      ? unknown
      : meaning;
  }

  /** Resolves a binding within a file. If a build or a `try` chooses between several, the result is unknown. */
  ofBinding(path: string, binding: Binding): Meaning {
    const facts = this.facts(path);
    if (facts === null || binding.kind === 'local') return unknown;
    const one = binding.kind === 'import' ? facts.imports[binding.index]! : null;
    const definition = binding.kind === 'definition' ? facts.definitions[binding.index]! : null;
    const name = one?.local ?? definition!.name;
    const meaning: Meaning =
      one === null
        ? { kind: 'definition', path, index: (binding as { index: number }).index }
        : this.resolveImport(path, one);
    if (!mayChoose(facts)) return meaning;
    const around = one === null ? definition!.parent : enclosingDefinition(facts, one.line);
    const rivals = facts.imports.filter(
      (each) => each !== one && each.local === name && enclosingDefinition(facts, each.line) === around,
    );
    const index = one !== null && around < 0 ? topLevel(facts, name) : -1;
    return (
      oneOf([
        meaning,
        ...rivals.map((each) => this.resolveImport(path, each)),
        ...(index < 0 ? [] : [{ kind: 'definition' as const, path, index }]),
      ]) ?? meaning
    );
  }

  /** For Rust: the meaning of a name that a module within a file imports. */
  inInlineModule(path: string, facts: FileFacts, name: string, index: number): Meaning {
    return this.#byStar(path, facts, name, 0, importsIn(facts, index));
  }

  #byStar(path: string, facts: FileFacts, name: string, depth: number, imports: readonly Import[]): Meaning {
    const found: Meaning[] = [];
    for (const each of imports)
      if (each.local === '*' && each.name === '*') {
        const module = this.moduleOf(path, facts.language, each.module);
        const meaning = this.#fromModule(module, facts.language, name, depth + 1);
        if (meaning.kind !== 'external') found.push(meaning);
      }
    // The one found is the answer, unless several were found.
    const meanings = found.filter(({ kind }) => kind !== 'unknown');
    return oneOf(meanings.length > 0 ? meanings : found) ?? external;
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

  /** Resolves the name that an import brings in. */
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
    const meaning = this.#fromModule(found, language, name, depth + 1);
    if (familyOf(language) !== 'python' || meaning.kind === 'definition' || meaning.kind === 'module')
      return meaning;
    // A submodule is also a name of its package.
    const sub = pythonModule(this.map, path, module.endsWith('.') ? `${module}${name}` : `${module}.${name}`);
    return sub.kind === 'file'
      ? { kind: 'module', path: sub.path }
      : found.kind === 'external'
        ? external
        : meaning;
  }

  #fromModule(module: Module, language: LanguageName, name: string, depth: number): Meaning {
    if (module.kind === 'external') return external;
    if (module.kind === 'unknown') return unknown;
    if (module.kind === 'folder') return this.inFolder(module.path, name);
    if (familyOf(language) === 'script') return this.resolveExport(module.path, name, depth);
    const found = this.inFile(module.path, name, depth);
    // A module that was found exports all its names; one that was not found may be generated.
    return found.kind === 'external' ? unknown : found;
  }

  /** Resolves an exported name of a TypeScript or JavaScript module. */
  resolveExport(path: string, name: string, depth = 0): Meaning {
    return this.#once(`export ${path} ${name}`, () => this.#resolveExport(path, name, depth));
  }

  #resolveExport(path: string, name: string, depth: number): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const exports = facts.exports.filter(
      (each) => each.name === name || (name === 'default' && each.name === '='),
    );
    for (const each of exports) {
      const found =
        each.module === undefined
          ? this.inFile(path, each.local, depth + 1)
          : this.#reExported(path, facts, each.module, each.local, depth);
      if (found.kind !== 'unknown') return found;
    }
    const index = topLevel(facts, name);
    if (index >= 0 && exports.length === 0) return { kind: 'definition', path, index };
    for (const each of facts.exports)
      if (each.name === '*' && each.module !== undefined && name !== 'default') {
        const found = this.#reExported(path, facts, each.module, name, depth);
        if (found.kind === 'definition' || found.kind === 'module') return found;
      }
    // With `module.exports = X`, the members of X are the exports.
    return unknown;
  }

  #reExported(path: string, { language }: FileFacts, module: string, name: string, depth: number): Meaning {
    const found = this.moduleOf(path, language, module);
    return name === '*' ? meaningOf(found) : this.#fromModule(found, language, name, depth + 1);
  }

  /** For Go: the package that a file imports under a name. The path may differ: `x/go-toml/v2` is `toml`. */
  goImport(path: string, name: string): Meaning {
    return this.#once(`go ${path} ${name}`, () => this.#goImport(path, name));
  }

  #goImport(path: string, name: string): Meaning {
    const imports = this.facts(path)?.imports ?? [];
    const named = imports.find(({ local }) => local === name);
    if (named !== undefined) return meaningOf(this.moduleOf(path, 'go', named.module));
    let isKnown = true;
    for (const { module } of imports) {
      const found = this.moduleOf(path, 'go', module);
      if (found.kind !== 'folder') continue;
      const own = this.folderPaths(found.path).filter((one) => !one.endsWith('_test.go'));
      const known = own.flatMap((one) => this.#facts.get(one) ?? []);
      if (known.some((facts) => facts.package === name)) return { kind: 'folder', path: found.path };
      // A file left out of the build may declare another package name.
      const missing = own.filter((one) => !this.#facts.has(one)).slice(0, 2 - known.length);
      for (const one of missing) this.wanted.add(one);
      isKnown &&= missing.length === 0 && (known.length > 0 || own.length === 0);
    }
    return isKnown ? external : unknown;
  }

  /** For Go: all files of a folder form one package. */
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

  /** Resolves `a::b::name` from a file. */
  rustPath(path: string, parts: readonly string[], depth = 0): Meaning {
    if (depth > maxDepth || parts.length === 0) return unknown;
    const { module, used } = rustModule(this.map, path, parts);
    if (module.kind !== 'file') {
      // The first part may be a name of this file: a type or an import.
      const [first, ...more] = parts;
      const meaning = this.inFile(path, first!, depth + 1);
      return more.length === 0 ? meaning : this.rustMember(meaning, more, depth + 1);
    }
    const rest = parts.slice(used);
    if (rest.length === 0)
      return this.#isFunctionToo(path, parts, depth) ? unknown : { kind: 'module', path: module.path };
    const found = this.inFile(module.path, rest[0]!, depth + 1);
    const known = found.kind === 'external' ? unknown : found;
    return rest.length === 1 ? known : this.rustMember(known, rest.slice(1), depth + 1);
  }

  /** A function and a module may have one name. */
  #isFunctionToo(path: string, parts: readonly string[], depth: number): boolean {
    const name = parts.at(-1)!;
    if (depth > maxDepth || /^(?:crate|self|super)$/.test(name)) return false;
    const above = parts.length > 1 ? rustModule(this.map, path, parts.slice(0, -1)).module : null;
    const at = above === null ? path : above.kind === 'file' ? above.path : null;
    const definitions = at === null ? [] : (this.facts(at)?.definitions ?? []);
    return definitions.some(
      (definition) =>
        definition.name === name &&
        definition.kind === 'function' &&
        definition.parent < 0 &&
        definition.owner === undefined,
    );
  }

  rustMember(of: Meaning, parts: readonly string[], depth: number): Meaning {
    if (of.kind === 'module') return this.rustPath(of.path, ['self', ...parts], depth + 1);
    if (of.kind !== 'definition') return of;
    const facts = this.facts(of.path);
    const definition = facts?.definitions[of.index];
    const [name, ...more] = parts;
    if (facts === null || definition === undefined || name === undefined) return unknown;
    if (definition.kind !== 'namespace') return more.length === 0 ? unknown : unknown;
    const index = facts.definitions.findIndex(
      (definition) => definition.parent === of.index && definition.name === name,
    );
    if (index < 0) return unknown;
    const found: Meaning = { kind: 'definition', path: of.path, index };
    return more.length === 0 ? found : this.rustMember(found, more, depth + 1);
  }
}

/** Languages in which a name may have several definitions, one of which is chosen at build time. */
const mayChoose = ({ language }: FileFacts): boolean => language === 'python' || language === 'rust';

const isSame = (a: Meaning, b: Meaning): boolean =>
  a.kind === b.kind &&
  (a as { path?: string }).path === (b as { path?: string }).path &&
  (a as { index?: number }).index === (b as { index?: number }).index;

/**
 * The only meaning within the tree; null if there are none or several. A definition that replaces an external one, or
 * is replaced by it, exists only in some builds.
 */
function oneOf(all: readonly Meaning[]): Meaning | null {
  const [first = null, ...others] = all.filter(({ kind }) => kind !== 'external');
  if (first === null) return all[0] ?? null;
  if (others.length + 1 < all.length) return unknown;
  return others.every((meaning) => isSame(first, meaning)) ? first : unknown;
}

/** For Rust: the index of the module within a file that contains a line; -1: the file itself. */
export function inlineModuleAt({ definitions }: FileFacts, line: number): number {
  let best = -1;
  for (const [index, { kind, flags, start, end }] of definitions.entries())
    if (kind === 'namespace' && !flags.includes('declaration') && start < line && line <= end)
      if (best < 0 || start >= definitions[best]!.start) best = index;
  return best;
}

const knownImports = new WeakMap<FileFacts, ReadonlyMap<number, readonly Import[]>>();

/** The imports of a module inside a file; -1: of the file itself. */
function importsIn(facts: FileFacts, index: number): readonly Import[] {
  if (facts.language !== 'rust') return facts.imports;
  let known = knownImports.get(facts);
  if (known === undefined) {
    known = Map.groupBy(facts.imports, ({ line }) => inlineModuleAt(facts, line));
    knownImports.set(facts, known);
  }
  return known.get(index) ?? [];
}

const meaningOf = (module: Module): Meaning =>
  module.kind === 'file' ? { kind: 'module', path: module.path } : module;

/** If there are several declarations, the one with a body. */
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
