/** Decides whether a use of a name refers to a definition, and on what grounds. A pure function over facts. */
import { posix } from 'node:path';
import type { ReferenceHow } from '../../core/index.ts';
import { type Definition, type FileFacts, ownName, type Use } from '../facts/facts.ts';
import { isHeader } from './header.ts';
import type { ModuleMap } from './modules.ts';
import {
  type DefinitionRef,
  familyOf,
  findInlineModule,
  type Meaning,
  type NameResolver,
} from './name-resolver.ts';
import { findEnclosingClass, findLineage, findMember, type Receiver, resolveReceiver } from './receivers.ts';

export type Verdict =
  | { readonly kind: 'means'; readonly how: ReferenceHow; readonly isSure: boolean }
  /** The use may refer to the target or to another definition. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'other' };

const sureVerdict = (how: ReferenceHow): Verdict => ({ kind: 'means', how, isSure: true });
const likelyVerdict = (how: ReferenceHow): Verdict => ({ kind: 'means', how, isSure: false });
const undecidedVerdict: Verdict = { kind: 'undecided' };
const otherVerdict: Verdict = { kind: 'other' };

export interface Target {
  readonly name: string;
  /**
   * One definition, or several that count as one: overloads, a body with its declarations, variants for platforms.
   */
  readonly places: readonly DefinitionRef[];
  readonly definition: Definition;
  readonly path: string;
  /** The class that contains it. */
  readonly owner: DefinitionRef | null;
  /** True if it can only be named after a dot. */
  readonly isMember: boolean;
  /** True if no other definition in the tree has its name; for a member: no other member. */
  readonly isUnique: boolean;
  /** Other definitions of the same name that a use could refer to instead. */
  readonly rivals: readonly DefinitionRef[];
  /** For C: true if its name is both that of a `struct` or `enum` and that of another kind of definition. */
  readonly hasTwin: boolean;
}

/** Names of members of built-in values. If a member has such a name, the name alone does not show whose member it is. */
const commonMembers = new Set(
  (
    'get set has add delete clear keys values items entries forEach map filter reduce find some every push pop shift unshift slice splice concat join split replace match test exec ' +
    'append extend insert remove index count sort reverse copy update setdefault popitem format strip lstrip rstrip startswith endswith lower upper encode decode read write close open flush seek ' +
    'groups groupdict group span sub search fullmatch findall finditer acquire release submit result cancel commit rollback execute wait ' +
    'then catch finally toString valueOf next call apply bind on once off emit log info warn error debug send run start stop length size name type value data ' +
    'String Error Read Write Close Len Less Swap New Get Set unwrap clone into from as_ref iter collect len is_empty to_string'
  ).split(' '),
);

export function judge(resolver: NameResolver, target: Target, path: string, use: Use): Verdict {
  const facts = resolver.facts(path);
  if (facts === null) return undecidedVerdict;
  const family = familyOf(facts.language);
  const targetFacts = resolver.facts(target.path);
  if (targetFacts !== null && familyOf(targetFacts.language) !== family) return otherVerdict;
  if (use.receiver === ownName) return otherVerdict;
  if (use.role === 'string') return undecidedVerdict;
  if (family === 'go' && use.role === 'key' && use.receiver === null && !target.isMember) {
    const bareVerdict = judgeBareName(resolver, target, path, facts, use);
    return bareVerdict.kind === 'means' ? undecidedVerdict : bareVerdict;
  }
  // A macro may put a dot before the name, or make another name of it.
  if (use.role === 'word') {
    const bareVerdict = judgeBareName(resolver, target, path, facts, { ...use, role: 'macro' });
    return bareVerdict.kind === 'means' ? undecidedVerdict : bareVerdict;
  }
  if (use.role === 'key' && family === 'go' && !target.isMember && resolver.isEmbedded(target.name))
    return undecidedVerdict;
  if (use.role === 'key') return judgeKey(target, use);
  if (use.receiver === null) return judgeBareName(resolver, target, path, facts, use);
  if (use.role === 'export') {
    // The module re-exports it.
    const reExport = facts.exports.find(
      ({ local, module, line }) => local === use.name && module !== undefined && line <= use.line,
    );
    return reExport === undefined || target.isMember
      ? otherVerdict
      : judgeMeaning(target, resolver.resolveExport(path, reExport.name), 'import');
  }
  if (use.role === 'import' && use.receiver === '?') return otherVerdict;
  return judgeAfterDot(resolver, target, path, facts, use);
}

/** A field name in an object literal, a pattern or a keyword argument. */
function judgeKey(target: Target, { receiver }: Use): Verdict {
  if (!target.isMember) return otherVerdict;
  return receiver === 'this' ? likelyVerdict('text') : undecidedVerdict;
}

const isTarget = ({ places }: Target, { path, index }: DefinitionRef): boolean =>
  places.some((place) => place.path === path && place.index === index);

function judgeMeaning(target: Target, meaning: Meaning, how: ReferenceHow): Verdict {
  if (meaning.kind === 'definition') return isTarget(target, meaning) ? sureVerdict(how) : otherVerdict;
  return meaning.kind === 'unknown' ? undecidedVerdict : otherVerdict;
}

const tagKinds = /^(?:struct|enum)$/;

function judgeBareName(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const { binding } = use;
  const family = familyOf(facts.language);
  if (facts.language === 'c' && target.definition.kind !== 'macro' && !target.isMember) {
    const { kind } = target.definition;
    const isType = use.role === 'type';
    // `struct name` does not refer to a function, and a plain `name` not to a struct.
    if (isType && !tagKinds.test(kind) && kind !== 'type')
      return target.hasTwin ? otherVerdict : undecidedVerdict;
    if (!isType && tagKinds.test(kind) && use.role !== 'macro') return otherVerdict;
    if (target.hasTwin && binding === null && (tagKinds.test(kind) || isType)) return undecidedVerdict;
  }
  // An import says exactly what it imports, even if other definitions have the same name.
  const importOfName =
    use.role === 'import' && !target.isMember && binding !== null
      ? facts.imports.findLast(({ line, name }) => line <= use.line && name === use.name)
      : undefined;
  if (importOfName !== undefined)
    return judgeMeaning(target, resolver.resolveImport(path, importOfName), 'import');
  if (binding?.kind === 'definition') {
    if (isTarget(target, { path, index: binding.index })) return sureVerdict('scope');
    const boundDefinition = facts.definitions[binding.index]!;
    if (target.name === use.name && !target.isMember && family !== 'c') {
      const meaning = resolver.resolveBinding(path, binding);
      if (meaning.kind === 'unknown') return undecidedVerdict;
    }
    // The bound definition may be a prototype of the target.
    if (family === 'c')
      return boundDefinition.flags.includes('local')
        ? otherVerdict
        : judgeLinked(resolver, target, path, facts, boundDefinition);
    return otherVerdict;
  }
  if (binding?.kind === 'local')
    return target.isMember && use.role === 'import' ? undecidedVerdict : otherVerdict;
  if (binding?.kind === 'import') {
    if (target.isMember) return otherVerdict;
    return judgeMeaning(target, resolver.resolveBinding(path, binding), 'import');
  }
  if (target.definition.flags.includes('local')) return otherVerdict;
  // A macro may put a dot before the name.
  if (target.isMember && use.role === 'macro') return undecidedVerdict;
  if (target.isMember)
    return family === 'other' ? judgeOwnMember(resolver, target, path, facts, use) : otherVerdict;
  return judgeUnboundName(resolver, target, path, facts, use);
}

/** A name that nothing in its file binds. */
function judgeUnboundName(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const family = familyOf(facts.language);
  switch (family) {
    case 'python': {
      const hasStarImport = facts.imports.some(({ local }) => local === '*');
      return hasStarImport
        ? judgeMeaning(target, resolver.resolveInFile(path, use.name), 'import')
        : otherVerdict;
    }
    case 'script': {
      // In a file without imports and exports, definitions are global.
      const targetFacts = resolver.facts(target.path);
      const isGlobal =
        targetFacts !== null &&
        targetFacts.imports.length === 0 &&
        targetFacts.exports.length === 0 &&
        !target.definition.flags.includes('exported');
      const isMerged = target.definition.flags.includes('merged');
      if (isMerged && path === target.path) return sureVerdict('scope');
      const mayBeMerged = isMerged || target.definition.parent >= 0;
      return isGlobal && path !== target.path
        ? target.isUnique
          ? likelyVerdict('unique name')
          : undecidedVerdict
        : mayBeMerged
          ? undecidedVerdict
          : otherVerdict;
    }
    case 'go': {
      const targetFacts = resolver.facts(target.path);
      if (folderOf(path) === folderOf(target.path) && targetFacts?.package === facts.package)
        return sureVerdict('scope');
      const isDotImported = facts.imports.some(
        (each) =>
          each.local === '*' &&
          isFolder(resolver.resolveModule(path, 'go', each.module), folderOf(target.path)),
      );
      return isDotImported ? sureVerdict('import') : otherVerdict;
    }
    case 'rust': {
      if (target.definition.kind === 'macro')
        return target.isUnique ? likelyVerdict('unique name') : undecidedVerdict;
      const inlineModule = findInlineModule(facts, use.line);
      if (inlineModule >= 0) {
        const meaning = resolver.resolveInInlineModule(path, facts, use.name, inlineModule);
        return judgeMeaning(target, meaning, 'import');
      }
      if (path === target.path)
        return target.definition.parent >= 0 ? undecidedVerdict : sureVerdict('scope');
      const found = resolver.resolveInFile(path, use.name);
      if (found.kind === 'external')
        return facts.imports.some(({ local }) => local === '*') ? undecidedVerdict : otherVerdict;
      return judgeMeaning(target, found, 'import');
    }
    case 'c':
      return judgeLinked(resolver, target, path, facts, undefined);
    default:
      return target.isUnique && !commonMembers.has(target.name)
        ? likelyVerdict('unique name')
        : undecidedVerdict;
  }
}

const isFolder = (module: { readonly kind: string; readonly path?: string }, path: string): boolean =>
  module.kind === 'folder' && module.path === path;

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/** In C the linker knows one function per name, except functions that are private to a file. */
function judgeLinked(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  boundDefinition: Definition | undefined,
): Verdict {
  const { definition } = target;
  const isFilePrivate = definition.flags.includes('private');
  if (path === target.path)
    return boundDefinition === undefined || boundDefinition.flags.includes('declaration')
      ? sureVerdict('scope')
      : otherVerdict;
  // The file defines the name itself.
  if (boundDefinition !== undefined && !boundDefinition.flags.includes('declaration')) return otherVerdict;
  if (
    boundDefinition !== undefined &&
    !isFilePrivate &&
    definition.kind !== 'macro' &&
    target.rivals.length === 0
  )
    return sureVerdict('import');
  const includes = includesFile(resolver, path, facts, target.path);
  if (isFilePrivate || definition.kind === 'macro')
    return includes
      ? target.rivals.length === 0
        ? sureVerdict('import')
        : likelyVerdict('import')
      : isFilePrivate && isHeader(target.path) && boundDefinition === undefined
        ? undecidedVerdict
        : otherVerdict;
  if (target.rivals.length > 0) {
    const nearestPath = findNearest(path, [target.path, ...target.rivals.map((rival) => rival.path)]);
    return nearestPath === target.path ? likelyVerdict('import') : undecidedVerdict;
  }
  const isDeclared =
    boundDefinition !== undefined ||
    includes ||
    target.places.some(
      (place) => place.path !== target.path && includesFile(resolver, path, facts, place.path),
    ) ||
    isMentionedInIncludes(resolver, path, facts, target.name);
  return isDeclared ? sureVerdict('import') : likelyVerdict('unique name');
}

/** Whether a file includes another by its name, directly or through files that were already read. */
export function includesFile(resolver: NameResolver, from: string, facts: FileFacts, to: string): boolean {
  return resolver.cacheAnswer(`reaches ${from} ${to}`, () => {
    let files: readonly (readonly [path: string, facts: FileFacts])[] = [[from, facts]];
    const seen = new Set([from]);
    for (let depth = 0; depth <= maxIncludes && files.length > 0; depth += 1) {
      const next: [string, FileFacts][] = [];
      for (const [path, { imports }] of files) {
        if (path === to) return true;
        for (const { module } of imports) {
          if (to === module || to.endsWith(`/${module.replace(/^(?:\.\.?\/)+/, '')}`)) return true;
          const includedPath = resolveInclude(resolver, path, module);
          if (includedPath === undefined || seen.has(includedPath)) continue;
          seen.add(includedPath);
          const found = resolver.facts(includedPath);
          if (found !== null) next.push([includedPath, found]);
        }
      }
      files = next;
    }
    return false;
  });
}

const maxIncludes = 3;

/**
 * Whether an included file mentions the name: it may declare it in code that the grammar could not parse, such as a
 * macro call.
 */
function isMentionedInIncludes(
  resolver: NameResolver,
  from: string,
  { imports }: FileFacts,
  name: string,
  seen = new Set<string>(),
): boolean {
  for (const { module } of imports) {
    const next = resolveInclude(resolver, from, module);
    if (next === undefined || seen.has(next) || seen.size > maxIncluded) continue;
    seen.add(next);
    const facts = resolver.facts(next);
    if (
      facts !== null &&
      (facts.uses.texts.includes(name) || isMentionedInIncludes(resolver, next, facts, name, seen))
    )
      return true;
  }
  return false;
}

const maxIncluded = 40;

function resolveInclude({ moduleMap }: NameResolver, from: string, module: string): string | undefined {
  const key = `${folderOf(from)}\0${module}`;
  let knownPaths = includedFiles.get(moduleMap);
  if (knownPaths === undefined) {
    knownPaths = new Map();
    includedFiles.set(moduleMap, knownPaths);
  }
  if (!knownPaths.has(key)) {
    const relativePath = posix.join(folderOf(from), module);
    knownPaths.set(
      key,
      [relativePath, module, `include/${module}`, `src/${module}`].find((path) => moduleMap.paths.has(path)),
    );
  }
  return knownPaths.get(key);
}

/** Cached while the files of the tree are the same. */
const includedFiles = new WeakMap<ModuleMap, Map<string, string | undefined>>();

/** Returns the path that shares the most leading folders with `path`; null if two share equally many. */
function findNearest(path: string, places: readonly string[]): string | null {
  const countSharedFolders = (one: string): number => {
    const [a, b] = [path.split('/'), one.split('/')];
    let sharedFolders = 0;
    while (
      sharedFolders < a.length - 1 &&
      sharedFolders < b.length - 1 &&
      a[sharedFolders] === b[sharedFolders]
    )
      sharedFolders += 1;
    return sharedFolders;
  };
  const ranked = places.map((one) => [one, countSharedFolders(one)] as const).sort((a, b) => b[1] - a[1]);
  return ranked.length > 1 && ranked[0]![1] === ranked[1]![1] ? null : (ranked[0]?.[0] ?? null);
}

/** For languages in which a class sees its members without a receiver. */
function judgeOwnMember(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const enclosingClass = findEnclosingClass(facts, use.within);
  if (enclosingClass < 0 || target.owner === null) return undecidedVerdict;
  const found = findMember(resolver, { path, index: enclosingClass }, target.name);
  if (found.kind === 'found') return isTarget(target, found.place) ? sureVerdict('scope') : otherVerdict;
  return undecidedVerdict;
}

function judgeAfterDot(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
): Verdict {
  const family = familyOf(facts.language);
  const receiver = resolveReceiver(resolver, use.receiver!, {
    path,
    within: use.within,
    binding: use.binding,
  });
  if (family === 'go' && !target.isMember && resolver.isEmbedded(target.name)) {
    const embeddedVerdict = judgeEmbedded(resolver, target, receiver);
    if (embeddedVerdict !== null) return embeddedVerdict;
  }
  switch (receiver.kind) {
    case 'external':
      return mayBelongToMacro(target, use, family) ? undecidedVerdict : otherVerdict;
    case 'handed':
      return target.isMember && !target.definition.flags.includes('static') ? undecidedVerdict : otherVerdict;
    case 'module':
      if (target.isMember) return otherVerdict;
      return judgeMeaning(
        target,
        family === 'script'
          ? resolver.resolveExport(receiver.path, target.name)
          : family === 'rust'
            ? resolver.resolveRustPath(receiver.path, ['self', target.name])
            : resolver.resolveInFile(receiver.path, target.name),
        'import',
      );
    case 'folder':
      return !target.isMember && receiver.path === folderOf(target.path)
        ? sureVerdict('import')
        : otherVerdict;
    case 'class':
      return judgeOnClass(resolver, target, receiver, family);
    default:
      return judgeOnUnknown(resolver, target, path, facts, use, family);
  }
}

/** In Rust, a name in a macro that its file doesn't bind may belong to the macro, or to the code that uses the macro. */
const mayBelongToMacro = (target: Target, { role, receiver, binding }: Use, family: string): boolean =>
  family === 'rust' &&
  target.isMember &&
  (role === 'macro' || role === 'word') &&
  binding === null &&
  !/^(?:std|core|alloc)\b/.test(receiver!);

/** In Go, an embedded type in a struct is a field with the name of the type. */
function judgeEmbedded(resolver: NameResolver, target: Target, receiver: Receiver): Verdict | null {
  if (receiver.kind === 'folder' || receiver.kind === 'module' || receiver.kind === 'external') return null;
  if (receiver.kind !== 'class') return undecidedVerdict;
  if (findMember(resolver, receiver, target.name).kind === 'found') return otherVerdict;
  return findLineage(resolver, receiver)
    .classes.slice(1)
    .some((definitionRef) => isTarget(target, definitionRef))
    ? sureVerdict('type')
    : undecidedVerdict;
}

function judgeOnClass(
  resolver: NameResolver,
  target: Target,
  receiverClass: DefinitionRef,
  family: string,
): Verdict {
  const found = findMember(resolver, receiverClass, target.name);
  if (found.kind === 'found' && isTarget(target, found.place)) return sureVerdict('type');
  if (target.owner === null) return found.kind === 'unknown' ? undecidedVerdict : otherVerdict;
  const ownerLineage = findLineage(resolver, target.owner);
  const hasClass = (classes: readonly DefinitionRef[], definitionRef: DefinitionRef) =>
    classes.some(({ path, index }) => path === definitionRef.path && index === definitionRef.index);
  // A value of type A may be an instance of a subclass.
  if (hasClass(ownerLineage.classes, receiverClass))
    return family === 'script' ? sureVerdict('type') : undecidedVerdict;
  if (found.kind === 'found') {
    const receiverLineage = findLineage(resolver, receiverClass);
    // A subclass overrides it: renaming one means renaming the other.
    if (family === 'script' && hasClass(receiverLineage.classes, target.owner)) return sureVerdict('type');
    // A sibling class implements the same interface: a different member, though a renaming would change both.
    const isShared = ownerLineage.classes.some(
      (definitionRef) =>
        hasClass(receiverLineage.classes, definitionRef) &&
        declaresMember(resolver, definitionRef, target.name),
    );
    if (family === 'script' && isShared) return undecidedVerdict;
    return ownerLineage.extent === 'unknown' || receiverLineage.extent === 'unknown'
      ? undecidedVerdict
      : judgeByInterface(resolver, receiverClass, family);
  }
  // A class with `__getattr__` may forward the access to another object.
  const hasDynamicAccess = ['__getattr__', '__getattribute__'].some(
    (one) => family === 'python' && findMember(resolver, receiverClass, one).kind === 'found',
  );
  // In Rust, a value may be dereferenced to what it contains.
  if (
    hasDynamicAccess ||
    (family === 'rust' && findMember(resolver, receiverClass, 'deref').kind === 'found')
  )
    return undecidedVerdict;
  if (found.kind === 'none' || found.kind === 'external')
    return judgeByInterface(resolver, receiverClass, family);
  return undecidedVerdict;
}

const declaresMember = (resolver: NameResolver, { path, index }: DefinitionRef, name: string): boolean =>
  resolver
    .facts(path)
    ?.definitions.some((definition) => definition.parent === index && definition.name === name) === true;

/** A value typed by an interface may be of any class that has its members. */
function judgeByInterface(resolver: NameResolver, receiverClass: DefinitionRef, family: string): Verdict {
  const kind = resolver.definition(receiverClass)?.kind;
  if (kind === 'interface' && (family === 'go' || family === 'script' || family === 'rust'))
    return undecidedVerdict;
  return kind === 'type' ? undecidedVerdict : otherVerdict;
}

function judgeOnUnknown(
  resolver: NameResolver,
  target: Target,
  path: string,
  facts: FileFacts,
  use: Use,
  family: string,
): Verdict {
  const { definition } = target;
  // A name after a value is not a function of a file, but the value may be a module.
  if (!target.isMember) {
    if (family === 'c' || family === 'go') return otherVerdict;
    if (family === 'rust') {
      const meaning =
        use.receiver === '?'
          ? null
          : resolver.resolveRustPath(path, [...use.receiver!.split('.'), target.name]);
      if (meaning?.kind === 'definition')
        return isTarget(target, meaning) ? sureVerdict('import') : otherVerdict;
      return use.role === 'call' && use.receiver === '?' ? otherVerdict : undecidedVerdict;
    }
    if (family === 'script' && use.binding?.kind === 'local' && use.binding.type !== undefined)
      return undecidedVerdict;
    return undecidedVerdict;
  }
  if (commonMembers.has(target.name) || !target.isUnique) return undecidedVerdict;
  if (definition.flags.includes('local'))
    return findEnclosingClass(facts, use.within) >= 0 && path === target.path
      ? undecidedVerdict
      : otherVerdict;
  if (definition.flags.includes('private') && (family === 'script' || family === 'other'))
    return path === target.path ? likelyVerdict('unique name') : otherVerdict;
  return likelyVerdict('unique name');
}
