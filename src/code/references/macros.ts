/**
 * For C: finds the users of macros whose text uses a definition. A use is certain if the macro has only one definition.
 */
import type { SymbolRow } from '../../core/index.ts';
import { type FileFacts, listUses, type Use } from '../facts/facts.ts';
import { includesFile, type Target } from './judge.ts';
import { familyOf } from './name-resolver.ts';
import type { Survey } from './survey.ts';

interface Macro {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** Whether the name in the body of the macro certainly refers to the definition. */
  readonly isSure: boolean;
}

const maxMacros = 6;
const maxSteps = 3;

/** Adds rows for uses of these macros to `rowsByPlace`. Returns false if there were too many macros to follow. */
export async function addUsesByMacros(
  survey: Survey,
  { path: targetPath }: Target,
  rowsByPlace: Map<string, SymbolRow>,
  rowOf: (facts: FileFacts, path: string, use: Use, isSure: boolean) => SymbolRow,
): Promise<boolean> {
  const facts = survey.facts(targetPath);
  if (facts === null || familyOf(facts.language) !== 'c') return true;
  const followedMacros = new Set<string>();
  let rows: readonly SymbolRow[] = [...rowsByPlace.values()];
  for (let step = 0; step < maxSteps; step += 1) {
    const macros = rows
      .flatMap((row) => findEnclosingMacro(survey, row) ?? [])
      .filter(({ name }) => !followedMacros.has(name));
    if (macros.length === 0) return true;
    const newRows: SymbolRow[] = [];
    for (const macro of macros) {
      if (followedMacros.has(macro.name)) continue;
      if (followedMacros.size >= maxMacros) return false;
      followedMacros.add(macro.name);
      newRows.push(...(await listUsesOfMacro(survey, macro, rowOf)));
    }
    for (const row of newRows) {
      const key = `${row.path}:${row.line}:${row.column}`;
      if (!rowsByPlace.has(key)) rowsByPlace.set(key, row);
    }
    rows = newRows;
  }
  return false;
}

function findEnclosingMacro(survey: Survey, { path, line, how, sure }: SymbolRow): Macro | null {
  if (how === 'text') return null;
  const definition = survey
    .facts(path)
    ?.definitions.find(({ kind, start, end }) => kind === 'macro' && start <= line && line <= end);
  return definition === undefined
    ? null
    : { name: definition.name, path, line: definition.line, isSure: sure };
}

async function listUsesOfMacro(
  survey: Survey,
  { name, path: macroPath, line, isSure }: Macro,
  rowOf: (facts: FileFacts, path: string, use: Use, isSure: boolean) => SymbolRow,
): Promise<readonly SymbolRow[]> {
  const paths = await survey.readContaining([name]);
  return survey.askUntilSettled((resolver) => {
    const definitions = paths.flatMap(
      (path) =>
        resolver
          .facts(path)
          ?.definitions.filter((definition) => definition.name === name && definition.kind === 'macro') ?? [],
    );
    // A macro with a single definition is replaced by its text wherever it occurs in code.
    const isCertain = isSure && definitions.length === 1;
    return paths.flatMap((path) => {
      const facts = resolver.facts(path);
      if (facts === null || familyOf(facts.language) !== 'c') return [];
      if (path !== macroPath && !includesFile(resolver, path, facts, macroPath)) return [];
      return listUses(facts, { name })
        .filter(
          (use) =>
            use.receiver === null && use.role !== 'string' && (path !== macroPath || use.line !== line),
        )
        .filter((use) => !testingDirective.test(survey.lines(path)[use.line - 1] ?? ''))
        .map((use) => rowOf(facts, path, use, isCertain && use.binding?.kind !== 'local'));
    });
  });
}

/** Directives that test whether a macro exists, and don't use its text. */
const testingDirective = /^\s*#\s*(?:if|ifdef|ifndef|elif|undef)\b/;
