/** What the answer check gets to see of a research: its evidence, and the log of its searches. */
import { type CitationStatus, canonicalJson, sha256 } from '../../../core/index.ts';
import type { AnswerRequest, LoggedSearch, RunLogView } from '../../../gate/index.ts';
import type { CheckContext } from '../../check/check.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState, Turn } from '../state.ts';
import { citePlaces } from './cite-places.ts';

export const checkContext = ({ step }: Pick<ResearchState, 'step'>, context: RunContext): CheckContext => ({
  ...context,
  readerPool: context.claimHandling.readerPool,
  readerSoFar: context.claimHandling.readerSoFar,
  number: step,
});

export function answerRequest(state: ResearchState, context: RunContext, givenText: string): AnswerRequest {
  const { evidence, question } = state;
  const text = context.acceptsPlaces ? citePlaces(givenText, evidence) : givenText;
  return { text, evidence, question, reader: context.material.text, log: toRunLog(state, context) };
}

/** The searches and files that an answer may make claims about. */
function toRunLog({ turns, missing, evidence }: ResearchState, context: RunContext): RunLogView {
  const scope = context.scope.text ?? null;
  const names = missing.map(
    (name): LoggedSearch => ({
      id: searchId({ action: 'names', input: { name } }, scope),
      pattern: name,
      matches: 0,
      complete: true,
      scope,
    }),
  );
  const searches = turns.flatMap((turn) => toLoggedSearch(turn, context.scope) ?? []);
  return {
    searches: [...names, ...searches],
    read: [...new Set(evidence.map((evidence) => evidence.file_path))],
  };
}

/** Null unless the turn is a `grep` that did not fail. */
function toLoggedSearch(turn: Turn, { text, admits }: RunContext['scope']): LoggedSearch | null {
  const scope = text ?? null;
  const { action, input, outcome, completeness, evidence } = turn;
  const { pattern } = input;
  const path = typeof input['path'] === 'string' ? input['path'].trim() : '';
  if (action !== 'grep' || outcome === 'error' || typeof pattern !== 'string') return null;
  return {
    id: searchId(turn, scope),
    pattern,
    matches: hasFoundNothing(turn) ? 0 : Math.max(1, evidence.length),
    // If the scope may exclude a part of the folder, the folder was not searched completely.
    complete:
      completeness === 'complete' &&
      (path === '' || scope === null || admits(`${path.replace(/\/?\**$/, '')}/x`)),
    scope: path === '' ? scope : path,
    exactCase: input['ignore_case'] !== true,
  };
}

const hasFoundNothing = ({ text, evidence }: Pick<Turn, 'text' | 'evidence'>): boolean =>
  text === '' && evidence.length === 0;

/**
 * The id under which an answer cites that nothing was found. Null unless the turn is a complete `grep` without matches.
 */
export function absenceId(
  turn: Pick<Turn, 'action' | 'input' | 'outcome' | 'completeness' | 'text' | 'evidence'>,
  scope: string | null,
): string | null {
  const isAbsence =
    turn.action === 'grep' &&
    turn.outcome === 'ok' &&
    turn.completeness === 'complete' &&
    hasFoundNothing(turn);
  return isAbsence ? searchId(turn, scope) : null;
}

const searchId = ({ action, input }: Pick<Turn, 'action' | 'input'>, scope: string | null): string =>
  `ev-${sha256(canonicalJson([action, input, scope])).slice(0, 10)}`;

/** Statuses of citations whose lines have changed or are gone since they were read. */
const staleStatuses: ReadonlySet<CitationStatus> = new Set([
  'changed',
  'missing_file',
  'out_of_range',
  'not_text',
]);

/** Files that an answer cites, and that changed or vanished after they were read. */
export function listChangedPaths(
  { evidence }: Pick<ResearchState, 'evidence'>,
  { checked }: { readonly checked: readonly { readonly id: string; readonly status: CitationStatus }[] },
): readonly string[] {
  const staleIds = new Set(checked.flatMap(({ id, status }) => (staleStatuses.has(status) ? [id] : [])));
  return [...new Set(evidence.flatMap(({ id, file_path }) => (staleIds.has(id) ? [file_path] : [])))];
}
