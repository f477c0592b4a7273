/**
 * For C: finds the users of macros whose text uses a definition. A use is certain if the macro has only one definition.
 */
import type { SymbolRow } from '../../core/index.ts';
import { type FileFacts, listUses, type Use } from '../facts/facts.ts';
import { reaches, type Target } from './judge.ts';
import { familyOf } from './name-resolver.ts';
import type { Survey } from './survey.ts';

interface Macro {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** Whether the name in the macro certainly refers to the definition. */
  readonly isSure: boolean;
}

const maxMacros = 6;
const maxSteps = 3;

/** Adds the places; false if there were too many macros to follow. */
export async function addUsesByMacros(
  survey: Survey,
  { path: own }: Target,
  found: Map<string, SymbolRow>,
  rowOf: (facts: FileFacts, path: string, use: Use, isSure: boolean) => SymbolRow,
): Promise<boolean> {
  const facts = survey.facts(own);
  if (facts === null || familyOf(facts.language) !== 'c') return true;
  const seen = new Set<string>();
  let rows: readonly SymbolRow[] = [...found.values()];
  for (let step = 0; step < maxSteps; step += 1) {
    const macros = rows
      .flatMap((row) => findMacroAround(survey, row) ?? [])
      .filter(({ name }) => !seen.has(name));
    if (macros.length === 0) return true;
    const more: SymbolRow[] = [];
    for (const macro of macros) {
      if (seen.has(macro.name)) continue;
      if (seen.size >= maxMacros) return false;
      seen.add(macro.name);
      more.push(...(await listUsesOfMacro(survey, macro, rowOf)));
    }
    for (const row of more) {
      const key = `${row.path}:${row.line}:${row.column}`;
      if (!found.has(key)) found.set(key, row);
    }
    rows = more;
  }
  return false;
}

function findMacroAround(survey: Survey, { path, line, how, sure }: SymbolRow): Macro | null {
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
  { name, path: from, line, isSure }: Macro,
  rowOf: (facts: FileFacts, path: string, use: Use, isSure: boolean) => SymbolRow,
): Promise<readonly SymbolRow[]> {
  const paths = await survey.readContaining([name]);
  return survey.askUntilSettled((names) => {
    const definitions = paths.flatMap(
      (path) =>
        names
          .facts(path)
          ?.definitions.filter((definition) => definition.name === name && definition.kind === 'macro') ?? [],
    );
    // A macro with a single definition is replaced by its text wherever it occurs in code.
    const isText = isSure && definitions.length === 1;
    return paths.flatMap((path) => {
      const facts = names.facts(path);
      if (facts === null || familyOf(facts.language) !== 'c') return [];
      if (path !== from && !reaches(names, path, facts, from)) return [];
      return listUses(facts, { name })
        .filter(
          (use) => use.receiver === null && use.role !== 'string' && (path !== from || use.line !== line),
        )
        .filter((use) => !testingDirective.test(survey.lines(path)[use.line - 1] ?? ''))
        .map((use) => rowOf(facts, path, use, isText && use.binding?.kind !== 'local'));
    });
  });
}

/** Directives that test whether a macro exists, and don't use its text. */
const testingDirective = /^\s*#\s*(?:if|ifdef|ifndef|elif|undef)\b/;
