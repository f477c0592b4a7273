/**
 * Reasons why reading the code may miss callers of a definition. One such reason makes the list of callers `unknown`,
 * even if it has entries.
 */

import { escapePath, type SymbolRow } from '../../core/index.ts';
import { findEnclosingDefinition, listUses } from '../facts/facts.ts';
import type { WordLine } from '../grep/word-files.ts';
import { findHiddenUsesInC } from './c-hidden-uses.ts';
import type { Target } from './judge.ts';
import { type DefinitionRef, familyOf, type NameResolver } from './name-resolver.ts';
import { findLineage, findOwnClass } from './receivers.ts';
import { findNamesAtRunTime, isRelated } from './run-time-names.ts';
import type { Survey } from './survey.ts';

const scripts = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'];
const toNameSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const calledByRunners: Readonly<Record<string, RegExp>> = {
  python: /^(?:test_\w*|Test\w*|setUp\w*|tearDown\w*|setup_\w+|teardown_\w+|pytest_\w+|main)$/,
  go: /^(?:main|init|(?:Test|Benchmark|Example|Fuzz)[\p{Lu}_]?\w*)$/u,
  rust: /^main$/,
};

/** Methods that the language calls without writing their name. */
const implicitMethods = toNameSet(
  'toString toJSON valueOf then next return throw constructor render componentDidMount componentWillUnmount componentDidUpdate',
);

/** Both lists are empty if no caller can be hidden. The texts end without a full stop. */
export interface Hidden {
  /** Reasons why the listing is `unknown`: there may be callers that can't be found. */
  readonly unknown: readonly string[];
  /** Reasons why the listing is only `partial`: places that may refer to this definition or to another. */
  readonly partial: readonly string[];
}

export async function findHiddenCallers(
  survey: Survey,
  target: Target,
  rows: readonly SymbolRow[],
): Promise<Hidden> {
  const facts = survey.facts(target.path);
  if (facts?.language === 'c') return findHiddenUsesInC(survey, target, rows);
  const reasons = await findHiddenBySyntax(survey, target);
  if (reasons.length > 0 || facts === null || familyOf(facts.language) !== 'python')
    return { unknown: reasons, partial: [] };
  if (target.definition.kind === 'field') return { unknown: [], partial: [] };
  const { unknownReason, partialReason } = await findNamesAtRunTime(survey, target);
  return {
    unknown: unknownReason === null ? [] : [unknownReason],
    partial: partialReason === null ? [] : [partialReason],
  };
}

async function findHiddenBySyntax(survey: Survey, target: Target): Promise<readonly string[]> {
  const facts = survey.facts(target.path);
  if (facts === null) return ['its own file could not be read'];
  const { definition, name, isMember } = target;
  const family = familyOf(facts.language);
  const reasons: string[] = [];
  const isField = definition.kind === 'field';
  if (family === 'c') reasons.push('overloads, templates and macros of C++ call what is not named');
  else if (family === 'other') reasons.push('calls of this language are not followed across files');
  if (calledByRunners[family]?.test(name) === true)
    reasons.push(`what runs the program or its tests may call ${name}`);
  if (definition.flags.includes('decorated')) reasons.push('its decorator may store it and call it');
  if (definition.flags.includes('merged')) reasons.push('other files may declare more of it under its name');
  if (definition.flags.includes('object'))
    reasons.push('whoever has its object may call it without naming it');
  if (definition.kind === 'macro' || definition.kind === 'namespace')
    reasons.push(`uses of a ${definition.kind} are not all seen`);
  if (isField) reasons.push('fields can be reached without being named');
  if (isMember && !isField && target.owner === null)
    reasons.push('the type that it belongs to was not found');
  if (reasons.length > 0 || isField) return reasons;
  switch (family) {
    case 'python':
      return findHiddenInPython(survey, target);
    case 'script':
      return findHiddenInScript(survey, target, facts.language === 'javascript');
    case 'go':
      return findHiddenInGo(survey, target);
    case 'rust':
      return findHiddenInRust(survey, target);
    default:
      return reasons;
  }
}

const formatPlace = ({ path, line }: { readonly path: string; readonly line: number }): string =>
  `${escapePath(path)}:${line}`;

/** Returns a reason if a base class is outside of the tree: it may call any method of the class. */
async function findForeignBase(survey: Survey, owner: DefinitionRef | null): Promise<string | null> {
  if (owner === null) return null;
  const lineage = await survey.askUntilSettled((resolver) => findLineage(resolver, owner));
  return lineage.extent === 'whole' ? null : 'a base class outside of the files that were read may call it';
}

async function findHiddenInPython(survey: Survey, target: Target): Promise<readonly string[]> {
  const { name, isMember, owner } = target;
  if (/^__\w+__$/.test(name)) return ['Python itself calls methods of such a name'];
  const foreignBaseReason = isMember ? await findForeignBase(survey, owner) : null;
  if (foreignBaseReason !== null) return [foreignBaseReason];
  // Code built at run time (`eval`) sees the names of its own file and of its imports.
  const evalLines = await survey.linesMatching(
    '(?:^|[^.\\w])(?:eval|exec|globals|locals)\\s*\\(|(?:^|[^.\\w])vars\\s*\\(\\s*\\)|sys\\.modules\\[__name__\\]',
    ['py', 'pyi', 'pyx'],
    ['eval', 'exec', 'globals', 'locals', 'vars', 'modules'],
  );
  const visibleLine = await findFirstVisible(survey, target, evalLines);
  if (visibleLine !== null && (!isMember || evalLines.some((line) => line.path === target.path)))
    return [`code that is made at run time may call it (${formatPlace(visibleLine)})`];
  return findModuleAsValue(
    survey,
    target,
    await findImporters(survey, target, ['py', 'pyi', 'pyx'], /\bimport\b/),
  );
}

/** The first of these lines at which the name of the definition is visible. */
async function findFirstVisible(
  survey: Survey,
  { path, name }: Target,
  lines: readonly WordLine[],
): Promise<WordLine | null> {
  const pathsWithName = new Set([path, ...(await survey.readContaining([name]))]);
  return (
    lines.find(
      (line) =>
        pathsWithName.has(line.path) &&
        !/^\s*(?:#|\/\/|\*|(?:async\s+)?def\s+(?:eval|exec|globals|locals)\b)/.test(line.text),
    ) ?? null
  );
}

async function findHiddenInScript(
  survey: Survey,
  target: Target,
  isUntyped: boolean,
): Promise<readonly string[]> {
  const { name, isMember, definition, owner } = target;
  if (isMember) {
    if (isUntyped) return ['without types, who has an object may call its methods under any name'];
    if (implicitMethods.has(name)) return [`JavaScript and its libraries call ${name} by themselves`];
    if (!definition.flags.includes('private'))
      return [
        'types are compared by their shape, so that a value of the class may be called through a type that does not name it',
      ];
    const foreignBaseReason = await findForeignBase(survey, owner);
    if (foreignBaseReason !== null) return [foreignBaseReason];
    const computedAccesses = await survey.linesMatching('\\bthis\\s*(?:as\\s+\\w+\\s*\\))?\\[', scripts, [
      'this',
    ]);
    const accessInClass = await findInClass(survey, owner, computedAccesses);
    if (accessInClass !== null)
      return [`a name that is computed at run time can be this one (${formatPlace(accessInClass)})`];
    return [];
  }
  const evalLines = await survey.linesMatching('(?:^|[^.\\w])eval\\s*\\(', scripts, ['eval']);
  // A function compiled from a string sees global names, but no names of a module.
  const facts = survey.facts(target.path);
  const isGlobal =
    facts !== null &&
    facts.imports.length === 0 &&
    facts.exports.length === 0 &&
    !facts.definitions.some(({ flags }) => flags.includes('exported'));
  if (isGlobal && /interface|namespace/.test(definition.kind))
    return ['other files may declare more of it under its name'];
  const functionLines = isGlobal
    ? await survey.linesMatching('new\\s+Function\\s*\\(', scripts, ['Function'])
    : [];
  const visibleEval = await findFirstVisible(survey, target, evalLines);
  const codeLine = visibleEval ?? functionLines[0];
  if (codeLine !== undefined) return [`code that is made at run time may call it (${formatPlace(codeLine)})`];
  return findModuleAsValue(
    survey,
    target,
    await findImporters(
      survey,
      target,
      [...scripts, 'vue', 'svelte', 'astro'],
      /\*\s+as\s|\brequire\b|\bimport\s*\(|\bexport\s*\*/,
    ),
  );
}

/** The first of these lines that is in the owner's class, in a subclass or in a base class. */
async function findInClass(
  survey: Survey,
  owner: DefinitionRef | null,
  lines: readonly WordLine[],
): Promise<WordLine | null> {
  if (owner === null) return lines[0] ?? null;
  await survey.read(new Set(lines.map(({ path }) => path)));
  return survey.askUntilSettled(
    (resolver) =>
      lines.find(({ path, line }) => {
        const facts = resolver.facts(path);
        if (facts === null) return true;
        const enclosingClass = findOwnClass(resolver, path, findEnclosingDefinition(facts, line));
        return enclosingClass.kind === 'class' && isRelated(resolver, owner, enclosingClass);
      }) ?? null,
  );
}

async function findHiddenInGo(
  survey: Survey,
  { name, isMember, rivals, definition }: Target,
): Promise<readonly string[]> {
  const linkedLines = await survey.linesMatching(
    `^//(?:go:linkname|export)\\s.*\\b${name}\\b`,
    ['go'],
    [name],
  );
  if (linkedLines[0] !== undefined)
    return [`it is exported under another name (${formatPlace(linkedLines[0])})`];
  if (!isMember) return [];
  if (definition.flags.includes('exported')) return ['an interface that is not in the tree may ask for it'];
  const isRequired =
    rivals.length > 0 ||
    (await survey.askUntilSettled((resolver) => isRequiredByInterface(survey, resolver, name)));
  return isRequired ? ['an interface may ask for it'] : [];
}

function isRequiredByInterface(survey: Survey, resolver: NameResolver, name: string): boolean {
  for (const path of survey.moduleMap.paths)
    if (path.endsWith('.go') && survey.facts(path) !== null) {
      const { definitions } = resolver.facts(path)!;
      if (
        definitions.some(
          (definition) =>
            definition.name === name &&
            definition.parent >= 0 &&
            definitions[definition.parent]!.kind === 'interface',
        )
      )
        return true;
    }
  return false;
}

async function findHiddenInRust(survey: Survey, { definition }: Target): Promise<readonly string[]> {
  if (definition.flags.includes('implements')) return ['who asks for its trait may call it'];
  if (definition.flags.includes('declaration')) return ['its implementations are called in its place'];
  const [macroLine] = await survey.linesMatching(
    '\\b(?:paste|concat_idents)!|\\bproc_macro\\b|\\binclude!\\s*[({\\[]',
    ['rs'],
    ['paste', 'concat_idents', 'proc_macro', 'include'],
  );
  return macroLine === undefined
    ? []
    : [`a macro makes names or code that are not written (${formatPlace(macroLine)})`];
}

interface Importer {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Finds lines that import the whole module of the definition, by a form of import that `importForm` recognises. */
async function findImporters(
  survey: Survey,
  { path }: Target,
  extensions: readonly string[],
  importForm: RegExp,
): Promise<readonly Importer[]> {
  const stem = path.replace(/(?:\.d)?\.\w+$/, '').split('/');
  const moduleName = /^(?:index|__init__)$/.test(stem.at(-1) ?? '') ? stem.at(-2) : stem.at(-1);
  if (moduleName === undefined) return [];
  const namedPattern = `(?:import|require|export|from).*\\b${moduleName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\b`;
  // A folder's index file can be imported by the path of the folder, too.
  const isIndexFile = moduleName !== stem.at(-1);
  const importLines = await survey.linesMatching(
    isIndexFile ? `${namedPattern}|(?:import|require|from)\\b.*['"]\\.{1,2}/?['"]` : namedPattern,
    extensions,
    isIndexFile ? ['import', 'require', 'from', moduleName] : [moduleName],
  );
  return importLines.filter(({ text }) => importForm.test(text));
}

/** Finds a place that passes the module of the definition as a value: any name of the module may be used there. */
async function findModuleAsValue(
  survey: Survey,
  target: Target,
  importers: readonly Importer[],
): Promise<readonly string[]> {
  await survey.read(new Set(importers.map(({ path }) => path)));
  return survey.askUntilSettled((resolver) => {
    for (const { path, line, text } of importers) {
      const facts = resolver.facts(path);
      if (facts === null) {
        if (!/\.(?:vue|svelte|astro|pyx)$/.test(path)) continue;
        return [`${formatPlace({ path, line })} may use it, and is not read`];
      }
      const importsOnLine = facts.imports.filter((one) => one.line === line);
      for (const one of importsOnLine) {
        const meaning = resolver.resolveImport(path, one);
        if (meaning.kind !== 'module' || meaning.path !== target.path || one.local === '*') continue;
        const valueUse = listUses(facts, { name: one.local }).find(
          (use) =>
            use.role === 'read' &&
            use.receiver === null &&
            use.binding?.kind === 'import' &&
            !isFollowedByDot(survey, path, use),
        );
        if (valueUse !== undefined)
          return [`its module is handed on as a value (${formatPlace({ path, line: valueUse.line })})`];
      }
      if (importsOnLine.length === 0 && /\bimport\s*\(|\brequire\s*\(/.test(text)) {
        const moduleText = /(?:import|require)\s*\(\s*['"]([^'"]+)/.exec(text)?.[1];
        const resolved =
          moduleText === undefined ? null : resolver.resolveModule(path, facts.language, moduleText);
        if (
          resolved === null ||
          resolved.kind === 'unknown' ||
          (resolved.kind === 'file' && resolved.path === target.path)
        )
          return [`its module is loaded as a value (${formatPlace({ path, line })})`];
      }
    }
    return [];
  });
}

/** Whether a dot and a name follow the use of a module. The name is then written out, so that the use is not hidden. */
function isFollowedByDot(
  survey: Survey,
  path: string,
  { line, column, name }: { line: number; column: number; name: string },
): boolean {
  const rest = (survey.lines(path)[line - 1] ?? '').slice(column + name.length);
  return (
    /^\s*(?:\?\.|!?\.)\s*[A-Za-z_$#]/.test(rest) ||
    (/^\s*$/.test(rest) && /^\s*\??\.\s*[A-Za-z_$#]/.test(survey.lines(path)[line] ?? ''))
  );
}
