/**
 * Resolves names across files with pure functions over the facts read so far. If facts are missing, the functions
 * name the files; the caller reads them and asks again.
 */
import {
  type Binding,
  type Definition,
  type FileFacts,
  findEnclosingDefinition,
  type Import,
} from '../facts/facts.ts';
import { externCrate } from '../facts/rust.ts';
import type { LanguageName } from '../syntax/languages.ts';
import {
  type Module,
  type ModuleMap,
  resolveGoModule,
  resolvePythonModule,
  resolveRustModule,
  resolveScriptModule,
} from './modules.ts';

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
/** Maximum number of files of a folder that are read to find the names of its package. */
const maxFolderFiles = 60;

export class NameResolver {
  readonly #facts: ReadonlyMap<string, FileFacts | null>;
  readonly moduleMap: ModuleMap;
  /** Answers to outermost questions. They stay valid, since a resolver is made for one set of facts. */
  readonly #meanings = new Map<string, Meaning>();
  readonly #embedded = new Map<string, boolean>();
  readonly #answers = new Map<string, boolean>();
  /** Answers to the parts of the current question. A name in progress counts as external, which ends cycles. */
  #meaningsInProgress: Map<string, Meaning> | null = null;
  /** Files whose facts were needed but not read yet. */
  readonly missingFiles = new Set<string>();

  constructor(facts: ReadonlyMap<string, FileFacts | null>, map: ModuleMap) {
    this.#facts = facts;
    this.moduleMap = map;
  }

  facts(path: string): FileFacts | null {
    const found = this.#facts.get(path);
    if (found === undefined) this.missingFiles.add(path);
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
  cacheAnswer(key: string, compute: () => boolean): boolean {
    const known = this.#answers.get(key) ?? compute();
    this.#answers.set(key, known);
    return known;
  }

  /** Resolves a top-level name of a file. */
  resolveInFile(path: string, name: string, depth = 0): Meaning {
    return this.#resolveOnce(`top ${path} ${name}`, () => this.#findInFile(path, name, depth));
  }

  /**
   * Resolves each name once per question, since modules may import each other. On a cycle the name counts as external,
   * which `pickSingle` ignores.
   */
  #resolveOnce(key: string, resolve: () => Meaning): Meaning {
    const known = this.#meanings.get(key) ?? this.#meaningsInProgress?.get(key);
    if (known !== undefined) return known;
    const isOutermost = this.#meaningsInProgress === null;
    this.#meaningsInProgress ??= new Map();
    this.#meaningsInProgress.set(key, external);
    const meaning = resolve();
    this.#meaningsInProgress.set(key, meaning);
    if (isOutermost) {
      this.#meaningsInProgress = null;
      this.#meanings.set(key, meaning);
    }
    return meaning;
  }

  #findInFile(path: string, name: string, depth: number): Meaning {
    const facts = this.facts(path);
    if (facts === null || depth > maxDepth) return unknown;
    const index = findTopLevel(facts, name);
    const meanings: readonly Meaning[] = index < 0 ? [] : [{ kind: 'definition', path, index }];
    const imports = listImports(facts, -1);
    const namedImports = imports.filter(({ local }) => local === name);
    if (!allowsSeveralDefinitions(facts)) {
      const [
        first = namedImports.length > 0
          ? this.resolveImport(path, namedImports.at(-1)!, depth + 1)
          : undefined,
      ] = meanings;
      return first ?? this.#resolveByStar(path, facts, name, depth, imports);
    }
    const topLevelImports = namedImports.filter(({ line }) => findEnclosingDefinition(facts, line) < 0);
    const meaning = pickSingle([
      ...meanings,
      ...(topLevelImports.length > 0 ? topLevelImports : namedImports).map((each) =>
        this.resolveImport(path, each, depth + 1),
      ),
    ]);
    if (meaning === null) return this.#resolveByStar(path, facts, name, depth, imports);
    if (familyOf(facts.language) !== 'rust' || !imports.some(({ local }) => local === '*')) return meaning;
    // A named import hides the same name from a star import. If both differ, conditional compilation may pick either,
    // so the meaning is unknown.
    const starMeaning = this.#resolveByStar(path, facts, name, depth, imports);
    return (starMeaning.kind === 'definition' && !isSameMeaning(starMeaning, meaning)) ||
      (meaning.kind === 'external' && starMeaning.kind !== 'external')
      ? unknown
      : meaning;
  }

  /** Resolves a binding within a file. If a build or a `try` chooses between several, the result is unknown. */
  resolveBinding(path: string, binding: Binding): Meaning {
    const facts = this.facts(path);
    if (facts === null || binding.kind === 'local') return unknown;
    const imported = binding.kind === 'import' ? facts.imports[binding.index]! : null;
    const definition = binding.kind === 'definition' ? facts.definitions[binding.index]! : null;
    const name = imported?.local ?? definition!.name;
    const meaning: Meaning =
      imported === null
        ? { kind: 'definition', path, index: (binding as { index: number }).index }
        : this.resolveImport(path, imported);
    if (!allowsSeveralDefinitions(facts)) return meaning;
    const enclosing = imported === null ? definition!.parent : findEnclosingDefinition(facts, imported.line);
    const rivals = facts.imports.filter(
      (each) =>
        each !== imported && each.local === name && findEnclosingDefinition(facts, each.line) === enclosing,
    );
    const index = imported !== null && enclosing < 0 ? findTopLevel(facts, name) : -1;
    return (
      pickSingle([
        meaning,
        ...rivals.map((each) => this.resolveImport(path, each)),
        ...(index < 0 ? [] : [{ kind: 'definition' as const, path, index }]),
      ]) ?? meaning
    );
  }

  /** For Rust: resolves a name in an inline module that imports it by `use …::*`. */
  resolveInInlineModule(path: string, facts: FileFacts, name: string, index: number): Meaning {
    return this.#resolveByStar(path, facts, name, 0, listImports(facts, index));
  }

  #resolveByStar(
    path: string,
    facts: FileFacts,
    name: string,
    depth: number,
    imports: readonly Import[],
  ): Meaning {
    const found: Meaning[] = [];
    for (const each of imports)
      if (each.local === '*' && each.name === '*') {
        const module = this.resolveModule(path, facts.language, each.module);
        const meaning = this.#resolveFromModule(module, facts.language, name, depth + 1);
        if (meaning.kind !== 'external') found.push(meaning);
      }
    // Unknown meanings count only if nothing else was found.
    const meanings = found.filter(({ kind }) => kind !== 'unknown');
    return pickSingle(meanings.length > 0 ? meanings : found) ?? external;
  }

  resolveModule(path: string, language: LanguageName, module: string): Module {
    switch (familyOf(language)) {
      case 'python':
        return resolvePythonModule(this.moduleMap, path, module);
      case 'script':
        return resolveScriptModule(this.moduleMap, path, module);
      case 'go':
        return resolveGoModule(this.moduleMap, module);
      case 'rust': {
        const parts = module.split('::').filter((part) => part !== '');
        const found = resolveRustModule(this.moduleMap, path, parts);
        const isInlineModule =
          found.module.kind === 'external' &&
          this.facts(path)?.definitions.some(({ name, kind }) => name === parts[0] && kind === 'namespace');
        return isInlineModule === true || (found.module.kind === 'file' && found.used < parts.length)
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
      const crate = this.moduleMap.crates.get(name);
      return crate === undefined ? external : { kind: 'module', path: crate };
    }
    if (familyOf(language) === 'rust')
      return this.resolveRustPath(
        path,
        [...module.split('::').filter((part) => part !== ''), name],
        depth + 1,
      );
    const found = this.resolveModule(path, language, module);
    if (name === '*') return toMeaning(found);
    const meaning = this.#resolveFromModule(found, language, name, depth + 1);
    if (familyOf(language) !== 'python' || meaning.kind === 'definition' || meaning.kind === 'module')
      return meaning;
    // A submodule is also a name of its package.
    const submodule = resolvePythonModule(
      this.moduleMap,
      path,
      module.endsWith('.') ? `${module}${name}` : `${module}.${name}`,
    );
    return submodule.kind === 'file'
      ? { kind: 'module', path: submodule.path }
      : found.kind === 'external'
        ? external
        : meaning;
  }

  #resolveFromModule(module: Module, language: LanguageName, name: string, depth: number): Meaning {
    if (module.kind === 'external') return external;
    if (module.kind === 'unknown') return unknown;
    if (module.kind === 'folder') return this.resolveInFolder(module.path, name);
    if (familyOf(language) === 'script') return this.resolveExport(module.path, name, depth);
    const found = this.resolveInFile(module.path, name, depth);
    // All names of the module are visible, so a missing one may be generated.
    return found.kind === 'external' ? unknown : found;
  }

  /** Resolves an exported name of a TypeScript or JavaScript module. */
  resolveExport(path: string, name: string, depth = 0): Meaning {
    return this.#resolveOnce(`export ${path} ${name}`, () => this.#resolveExport(path, name, depth));
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
          ? this.resolveInFile(path, each.local, depth + 1)
          : this.#resolveReExport(path, facts, each.module, each.local, depth);
      if (found.kind !== 'unknown') return found;
    }
    const index = findTopLevel(facts, name);
    if (index >= 0 && exports.length === 0) return { kind: 'definition', path, index };
    for (const each of facts.exports)
      if (each.name === '*' && each.module !== undefined && name !== 'default') {
        const found = this.#resolveReExport(path, facts, each.module, name, depth);
        if (found.kind === 'definition' || found.kind === 'module') return found;
      }
    // Unknown, not external: with `module.exports = X`, the name may be a member of X.
    return unknown;
  }

  #resolveReExport(
    path: string,
    { language }: FileFacts,
    module: string,
    name: string,
    depth: number,
  ): Meaning {
    const found = this.resolveModule(path, language, module);
    return name === '*' ? toMeaning(found) : this.#resolveFromModule(found, language, name, depth + 1);
  }

  /** For Go: the package that a file imports under a name. The path may differ: `x/go-toml/v2` is `toml`. */
  resolveGoImport(path: string, name: string): Meaning {
    return this.#resolveOnce(`go ${path} ${name}`, () => this.#findGoImport(path, name));
  }

  #findGoImport(path: string, name: string): Meaning {
    const imports = this.facts(path)?.imports ?? [];
    const namedImport = imports.find(({ local }) => local === name);
    if (namedImport !== undefined) return toMeaning(this.resolveModule(path, 'go', namedImport.module));
    let areAllPackagesRead = true;
    for (const { module } of imports) {
      const found = this.resolveModule(path, 'go', module);
      if (found.kind !== 'folder') continue;
      const packagePaths = this.listFolderPaths(found.path).filter((one) => !one.endsWith('_test.go'));
      const packageFacts = packagePaths.flatMap((one) => this.#facts.get(one) ?? []);
      if (packageFacts.some((facts) => facts.package === name)) return { kind: 'folder', path: found.path };
      // Two files of each folder are read, since one that the build leaves out may declare another package.
      const missing = packagePaths.filter((one) => !this.#facts.has(one)).slice(0, 2 - packageFacts.length);
      for (const one of missing) this.missingFiles.add(one);
      areAllPackagesRead &&= missing.length === 0 && (packageFacts.length > 0 || packagePaths.length === 0);
    }
    return areAllPackagesRead ? external : unknown;
  }

  /** For Go: all files of a folder form one package. */
  resolveInFolder(folder: string, name: string, packageName?: string): Meaning {
    const paths = this.listFolderPaths(folder);
    for (const path of paths) {
      const facts = this.#facts.get(path);
      if (
        facts === null ||
        facts === undefined ||
        (packageName !== undefined && facts.package !== packageName)
      )
        continue;
      const index = findTopLevel(facts, name);
      if (index >= 0) return { kind: 'definition', path, index };
    }
    if (paths.length > maxFolderFiles) return unknown;
    const missing = paths.filter((path) => !this.#facts.has(path));
    for (const path of missing) this.missingFiles.add(path);
    return missing.length > 0 || paths.some((path) => this.#facts.get(path) === null) ? unknown : external;
  }

  listFolderPaths(folder: string): readonly string[] {
    const found: string[] = [];
    for (const path of this.moduleMap.paths)
      if (
        path.endsWith('.go') &&
        path.startsWith(folder === '' ? '' : `${folder}/`) &&
        !path.slice(folder === '' ? 0 : folder.length + 1).includes('/')
      )
        found.push(path);
    return found;
  }

  /** Resolves `a::b::name` from a file. */
  resolveRustPath(path: string, parts: readonly string[], depth = 0): Meaning {
    if (depth > maxDepth || parts.length === 0) return unknown;
    const { module, used } = resolveRustModule(this.moduleMap, path, parts);
    if (module.kind !== 'file') {
      // The first part may be a name of this file: a type or an import.
      const [first, ...more] = parts;
      const meaning = this.resolveInFile(path, first!, depth + 1);
      return more.length === 0 ? meaning : this.resolveRustMember(meaning, more, depth + 1);
    }
    const rest = parts.slice(used);
    if (rest.length === 0)
      return this.#isFunctionToo(path, parts, depth) ? unknown : { kind: 'module', path: module.path };
    const found = this.resolveInFile(module.path, rest[0]!, depth + 1);
    const known = found.kind === 'external' ? unknown : found;
    return rest.length === 1 ? known : this.resolveRustMember(known, rest.slice(1), depth + 1);
  }

  /** Whether a function has the same name as the module that the path refers to. */
  #isFunctionToo(path: string, parts: readonly string[], depth: number): boolean {
    const name = parts.at(-1)!;
    if (depth > maxDepth || /^(?:crate|self|super)$/.test(name)) return false;
    const parentModule =
      parts.length > 1 ? resolveRustModule(this.moduleMap, path, parts.slice(0, -1)).module : null;
    const parentPath = parentModule === null ? path : parentModule.kind === 'file' ? parentModule.path : null;
    const definitions = parentPath === null ? [] : (this.facts(parentPath)?.definitions ?? []);
    return definitions.some(
      (definition) =>
        definition.name === name &&
        definition.kind === 'function' &&
        definition.parent < 0 &&
        definition.owner === undefined,
    );
  }

  resolveRustMember(owner: Meaning, parts: readonly string[], depth: number): Meaning {
    if (owner.kind === 'module') return this.resolveRustPath(owner.path, ['self', ...parts], depth + 1);
    if (owner.kind !== 'definition') return owner;
    const facts = this.facts(owner.path);
    const definition = facts?.definitions[owner.index];
    const [name, ...more] = parts;
    if (facts === null || definition === undefined || name === undefined) return unknown;
    if (definition.kind !== 'namespace') return more.length === 0 ? unknown : unknown;
    const index = facts.definitions.findIndex(
      (definition) => definition.parent === owner.index && definition.name === name,
    );
    if (index < 0) return unknown;
    const found: Meaning = { kind: 'definition', path: owner.path, index };
    return more.length === 0 ? found : this.resolveRustMember(found, more, depth + 1);
  }
}

/** Languages in which a name may have several definitions, one of which is chosen at build time. */
const allowsSeveralDefinitions = ({ language }: FileFacts): boolean =>
  language === 'python' || language === 'rust';

const isSameMeaning = (a: Meaning, b: Meaning): boolean =>
  a.kind === b.kind &&
  (a as { path?: string }).path === (b as { path?: string }).path &&
  (a as { index?: number }).index === (b as { index?: number }).index;

/**
 * The single meaning; null for an empty list. If meanings in the tree differ, or only some are external, it is unknown:
 * the build decides.
 */
function pickSingle(meanings: readonly Meaning[]): Meaning | null {
  const [first = null, ...others] = meanings.filter(({ kind }) => kind !== 'external');
  if (first === null) return meanings[0] ?? null;
  if (others.length + 1 < meanings.length) return unknown;
  return others.every((meaning) => isSameMeaning(first, meaning)) ? first : unknown;
}

/** For Rust: the index of the module within a file that contains a line; -1: the file itself. */
export function findInlineModule({ definitions }: FileFacts, line: number): number {
  let innermost = -1;
  for (const [index, { kind, flags, start, end }] of definitions.entries())
    if (kind === 'namespace' && !flags.includes('declaration') && start < line && line <= end)
      if (innermost < 0 || start >= definitions[innermost]!.start) innermost = index;
  return innermost;
}

const knownImports = new WeakMap<FileFacts, ReadonlyMap<number, readonly Import[]>>();

/** The imports of a module inside a file; -1: of the file itself. */
function listImports(facts: FileFacts, index: number): readonly Import[] {
  if (facts.language !== 'rust') return facts.imports;
  let known = knownImports.get(facts);
  if (known === undefined) {
    known = Map.groupBy(facts.imports, ({ line }) => findInlineModule(facts, line));
    knownImports.set(facts, known);
  }
  return known.get(index) ?? [];
}

const toMeaning = (module: Module): Meaning =>
  module.kind === 'file' ? { kind: 'module', path: module.path } : module;

/** Returns the index of a top-level definition, of several the first with a body; -1 if there is none. */
function findTopLevel(facts: FileFacts, name: string): number {
  let best = -1;
  for (const [index, one] of facts.definitions.entries()) {
    if (one.name !== name || one.flags.includes('local') || one.owner !== undefined) continue;
    if (one.parent >= 0 && facts.definitions[one.parent]?.kind !== 'variable') continue;
    if (one.parent >= 0) continue;
    if (best < 0 || facts.definitions[best]!.flags.includes('declaration')) best = index;
  }
  return best;
}
