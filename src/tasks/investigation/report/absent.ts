/**
 * Checks claims that something occurs nowhere, by searching all listed files itself: the model's own code may have
 * searched wrongly.
 */
import { canonicalJson, checkCitations, type RunEvent, sha256 } from '../../../core/index.ts';
import { createOccurrenceFinder, findAbsences, type Occurrences } from '../../../gate/computing.ts';
import type { LoggedSearch } from '../../../gate/index.ts';
import type { CheckSearches } from '../../check/check.ts';
import { capabilityOf } from '../material.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { NodeState } from '../state.ts';
import { runParallel } from './in-window.ts';

/** Maximum number of terms searched per answer. */
const maxTerms = 20;
const maxTexts = 20_000;
const maxCharacters = 64_000_000;
/** The maximum time of the search in milliseconds, and as a share of the run's remaining time. */
const maxTimeMs = 30_000;
const maxTimeShare = 0.3;
const parallelReads = 8;
const noSearches: CheckSearches = { searches: [], events: [] };

/** A text that occurs nowhere according to the answer. */
interface AbsentText {
  readonly text: string;
  /** A folder or a file, as the answer writes it; null for all of the run's scope. */
  readonly folder: string | null;
}

/** Occurrences that the search found, and why it is incomplete if it is. */
interface AbsenceSearch {
  readonly paths: readonly string[];
  readonly found: readonly (readonly (Occurrences & { readonly path: string })[])[];
  readonly lacks: string | null;
  readonly notes: readonly string[];
}

/** `key` names the check within the run. */
export async function searchAbsent(
  answer: string,
  key: string,
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<CheckSearches> {
  const absences = findAbsences(answer);
  const texts = [...new Set(absences.flatMap(({ wanted }) => wanted))].slice(0, maxTerms);
  if (texts.length === 0) return noSearches;
  const started = context.clock.now();
  const absenceSearch = await searchTexts(texts, state, place, context);
  const folders = absences.flatMap(({ place: folder, wanted }) =>
    folder === null ? [] : wanted.map((text) => ({ text, folder: folder.replace(/^\.?\/|\/?\**$/g, '') })),
  );
  const absentTexts: readonly AbsentText[] = [...texts.map((text) => ({ text, folder: null })), ...folders];
  const searches = absentTexts.flatMap(
    (absentText) => createLoggedSearch(absentText, texts, absenceSearch, place) ?? [],
  );
  const wall_ms = context.clock.now() - started;
  return {
    searches,
    events: searches.flatMap((loggedSearch, at) =>
      searchEvents(loggedSearch, `${key}/absent-${at}`, { state, wall_ms }),
    ),
  };
}

async function searchTexts(
  texts: readonly string[],
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<AbsenceSearch> {
  const { material, capabilities, signal, clock } = context;
  const failedSearch = (lacks: string): AbsenceSearch => ({
    paths: [],
    found: texts.map(() => []),
    lacks,
    notes: [],
  });
  const neededCapabilities = [capabilityOf('kb_list', material.kind), capabilityOf('kb_read', material.kind)];
  const missingCapability = neededCapabilities.find((one) => one !== null && !capabilities.has(one));
  if (missingCapability != null) return failedSearch(`the caller lacks the capability ${missingCapability}`);
  if (material.paths === undefined) return failedSearch('the texts of this material can’t be listed');
  const scope = place.scope.text;
  const listed = await material.paths({ signal, ...(scope !== undefined && { scope }) }).catch(() => null);
  if (listed === null) return failedSearch('the texts could not be listed');
  const paths = listed.paths.filter((path) => place.scope.admits(path));
  const finders = texts.map(createOccurrenceFinder);
  const found = texts.map((): (Occurrences & { readonly path: string })[] => []);
  const deadline = clock.now() + Math.min(maxTimeMs, maxTimeShare * place.pool.timeLeft({ final: true }));
  let characters = 0;
  let lacks: string | null = null;
  let readCount = 0;
  const read = async (path: string): Promise<void> => {
    if (lacks !== null) return;
    if (clock.now() > deadline || characters > maxCharacters || signal.aborted) {
      const why = characters > maxCharacters ? 'the material is too large' : 'there was no time for more';
      lacks = `${readCount} of ${paths.length} texts were looked through: ${why}`;
      return;
    }
    const file = await material.text.readText(path, null).catch(() => null);
    if (file?.kind !== 'text') {
      lacks = file === null ? `${path} could not be read` : file.message;
      return;
    }
    characters += file.lines.reduce((sum, line) => sum + line.length + 1, 0);
    readCount += 1;
    for (const [at, find] of finders.entries()) found[at]!.push({ path, ...find(path, file.lines) });
  };
  await runParallel(
    paths.slice(0, maxTexts).map((path) => () => read(path)),
    parallelReads,
  );
  return {
    ...{ paths, found, notes: listed.notes.filter((note) => note.startsWith('left out')) },
    lacks:
      lacks ??
      (listed.completeness === 'complete' ? null : (listed.notes[0] ?? 'the listing was not complete')) ??
      (paths.length > maxTexts
        ? `the first ${maxTexts} of ${paths.length} texts were looked through`
        : null) ??
      (await describeChange(state, context)),
  };
}

/** Says that a text changed after a cell read it, so that the answer may be about either version; null if none did. */
async function describeChange({ gains }: NodeState, { material }: RunContext): Promise<string | null> {
  const checkedEvidence = await checkCitations(gains.evidence, gains.reads, material.text);
  const changedEvidence = checkedEvidence.find(({ status }) => status !== 'valid' && status !== 'not_read');
  if (changedEvidence !== undefined)
    return `${changedEvidence.evidence.file_path} was changed after it was read`;
  for (const { path, content } of gains.reads) {
    if (content === undefined) continue;
    const file = await material.text.readText(path, null);
    const currentContent = file.kind === 'text' ? file.content : undefined;
    if (currentContent?.id !== content.id || currentContent.revision !== content.revision)
      return `${path} was changed after it was read`;
  }
  return null;
}

/** The search for one text, as it is logged; null if the folder does not exist. */
function createLoggedSearch(
  { text, folder }: AbsentText,
  texts: readonly string[],
  { paths, found, lacks, notes }: AbsenceSearch,
  place: TreeNode,
): LoggedSearch | null {
  const isInFolder = (path: string): boolean =>
    folder === null || path === folder || path.startsWith(`${folder}/`);
  const pathsInFolder = paths.filter(isInFolder);
  if (folder !== null && pathsInFolder.length === 0) return null;
  const occurrences = found[texts.indexOf(text)]!.filter(({ path }) => isInFolder(path));
  const firstFile = occurrences.find(({ matches }) => matches > 0);
  const nearMatch = occurrences.find(({ isNear }) => isNear);
  const scope = folder ?? place.scope.text ?? null;
  const reasonIncomplete =
    lacks ?? (nearMatch === undefined ? null : `${nearMatch.path} has it, or its words, in another form`);
  return {
    id: `ev-${sha256(canonicalJson(['find_absent', { text }, scope])).slice(0, 10)}`,
    ...{ pattern: text, scope, complete: reasonIncomplete === null },
    matches: occurrences.reduce((sum, { matches }) => sum + matches, 0),
    over: [`${pathsInFolder.length} ${pathsInFolder.length === 1 ? 'text' : 'texts'}`, ...notes].join('; '),
    ...(firstFile !== undefined && {
      met: firstFile.first === 0 ? firstFile.path : `${firstFile.path}:${firstFile.first}`,
    }),
    ...(reasonIncomplete !== null && { lacks: reasonIncomplete }),
  };
}

function searchEvents(
  { pattern, scope, matches, complete, over = '', lacks = '', met = '' }: LoggedSearch,
  key: string,
  { state, wall_ms }: { readonly state: NodeState; readonly wall_ms: number },
): readonly (readonly [string, RunEvent])[] {
  const step = Math.max(1, state.turn);
  const action = 'find_absent';
  const matchesText =
    matches === 0 ? 'met nothing' : `met ${matches} ${matches === 1 ? 'line' : 'lines'}, ${met} first`;
  return [
    [
      `${key}/started`,
      {
        ...{
          kind: 'action_started',
          step,
          call: key,
          action,
          reasoning: 'The answer says that it is nowhere.',
        },
        input: { text: pattern, scope: scope ?? '' },
      },
    ],
    [
      `${key}/finished`,
      {
        ...{
          kind: 'action_finished',
          step,
          call: key,
          action,
          outcome: 'ok',
          evidence: [],
          fresh: 0,
          wall_ms,
        },
        summary: [`over ${over}: ${matchesText}`, ...(lacks === '' ? [] : [lacks])].join('; '),
        completeness: complete ? 'complete' : 'partial',
      },
    ],
  ];
}
