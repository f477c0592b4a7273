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
  const look = await searchTexts(texts, state, place, context);
  const folders = absences.flatMap(({ place: folder, wanted }) =>
    folder === null ? [] : wanted.map((text) => ({ text, folder: folder.replace(/^\.?\/|\/?\**$/g, '') })),
  );
  const absentText: readonly AbsentText[] = [...texts.map((text) => ({ text, folder: null })), ...folders];
  const searches = absentText.flatMap((one) => searchOf(one, texts, look, place) ?? []);
  const wall_ms = context.clock.now() - started;
  return {
    searches,
    events: searches.flatMap((loggedSearch, at) =>
      eventsOf(loggedSearch, `${key}/absent-${at}`, { state, wall_ms }),
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
  const refuseSearch = (lacks: string): AbsenceSearch => ({
    paths: [],
    found: texts.map(() => []),
    lacks,
    notes: [],
  });
  const needed = [capabilityOf('kb_list', material.kind), capabilityOf('kb_read', material.kind)];
  const lacking = needed.find((one) => one !== null && !capabilities.has(one));
  if (lacking != null) return refuseSearch(`the caller lacks the capability ${lacking}`);
  if (material.paths === undefined) return refuseSearch('the texts of this material can’t be listed');
  const scope = place.scope.text;
  const listed = await material.paths({ signal, ...(scope !== undefined && { scope }) }).catch(() => null);
  if (listed === null) return refuseSearch('the texts could not be listed');
  const paths = listed.paths.filter((path) => place.scope.admits(path));
  const seekers = texts.map(createOccurrenceFinder);
  const found = texts.map((): (Occurrences & { readonly path: string })[] => []);
  const ends = clock.now() + Math.min(maxTimeMs, maxTimeShare * place.pool.timeLeft({ final: true }));
  let characters = 0;
  let lacks: string | null = null;
  let through = 0;
  const read = async (path: string): Promise<void> => {
    if (lacks !== null) return;
    if (clock.now() > ends || characters > maxCharacters || signal.aborted) {
      const why = characters > maxCharacters ? 'the material is too large' : 'there was no time for more';
      lacks = `${through} of ${paths.length} texts were looked through: ${why}`;
      return;
    }
    const file = await material.text.readText(path, null).catch(() => null);
    if (file?.kind !== 'text') {
      lacks = file === null ? `${path} could not be read` : file.message;
      return;
    }
    characters += file.lines.reduce((sum, line) => sum + line.length + 1, 0);
    through += 1;
    for (const [at, seek] of seekers.entries()) found[at]!.push({ path, ...seek(path, file.lines) });
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
      (await findChange(state, context)),
  };
}

/** A text that changed since a cell read it: the answer may be about either version. */
async function findChange({ gains }: NodeState, { material }: RunContext): Promise<string | null> {
  const checkedEvidence = await checkCitations(gains.evidence, gains.reads, material.text);
  const other = checkedEvidence.find(({ status }) => status !== 'valid' && status !== 'not_read');
  if (other !== undefined) return `${other.evidence.file_path} was changed after it was read`;
  for (const { path, content } of gains.reads) {
    if (content === undefined) continue;
    const file = await material.text.readText(path, null);
    const now = file.kind === 'text' ? file.content : undefined;
    if (now?.id !== content.id || now.revision !== content.revision)
      return `${path} was changed after it was read`;
  }
  return null;
}

/** Null if the folder does not exist. */
function searchOf(
  { text, folder }: AbsentText,
  texts: readonly string[],
  { paths, found, lacks, notes }: AbsenceSearch,
  place: TreeNode,
): LoggedSearch | null {
  const isIn = (path: string): boolean => folder === null || path === folder || path.startsWith(`${folder}/`);
  const within = paths.filter(isIn);
  if (folder !== null && within.length === 0) return null;
  const inFolder = found[texts.indexOf(text)]!.filter(({ path }) => isIn(path));
  const first = inFolder.find(({ matches }) => matches > 0);
  const nearMatch = inFolder.find(({ isNear }) => isNear);
  const scope = folder ?? place.scope.text ?? null;
  const reasonIncomplete =
    lacks ?? (nearMatch === undefined ? null : `${nearMatch.path} has it, or its words, in another form`);
  return {
    id: `ev-${sha256(canonicalJson(['find_absent', { text }, scope])).slice(0, 10)}`,
    ...{ pattern: text, scope, complete: reasonIncomplete === null },
    matches: inFolder.reduce((sum, { matches }) => sum + matches, 0),
    over: [`${within.length} ${within.length === 1 ? 'text' : 'texts'}`, ...notes].join('; '),
    ...(first !== undefined && { met: first.first === 0 ? first.path : `${first.path}:${first.first}` }),
    ...(reasonIncomplete !== null && { lacks: reasonIncomplete }),
  };
}

function eventsOf(
  { pattern, scope, matches, complete, over = '', lacks = '', met = '' }: LoggedSearch,
  key: string,
  { state, wall_ms }: { readonly state: NodeState; readonly wall_ms: number },
): readonly (readonly [string, RunEvent])[] {
  const step = Math.max(1, state.turn);
  const action = 'find_absent';
  const many =
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
        summary: [`over ${over}: ${many}`, ...(lacks === '' ? [] : [lacks])].join('; '),
        completeness: complete ? 'complete' : 'partial',
      },
    ],
  ];
}
