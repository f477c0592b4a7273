/** The result of a research: its answer through the citation gate, with what was looked at and what was not. */
import type { AllAmounts, Completeness, Coverage, RunResult } from '../../core/index.ts';
import { SondeError } from '../../core/index.ts';
import { composed } from './compose.ts';
import type { Crew } from './crew.ts';
import { type Gated, gateAnswer } from './gated.ts';
import { startOf } from './start.ts';
import type { End, ResearchState } from './state.ts';

export interface ReportOptions {
  readonly model: string;
  readonly spent: () => AllAmounts;
}

/** What the gate found, and the answer it was given: a replay must come to the same. */
interface Final {
  readonly written: string;
  readonly gated: Gated;
}

export async function report(
  run: string,
  state: ResearchState,
  crew: Crew,
  { model, spent }: ReportOptions,
): Promise<RunResult> {
  const end = endOf(state);
  const written = composed(state, end);
  const gated = await checked(run, state, end, written, crew);
  for (const { id, status } of gated.citations)
    crew.log.append(`citation/${id}${end.stop === 'cancelled' ? '/cancelled' : ''}`, {
      kind: 'citation_checked',
      id,
      status,
    });
  return {
    run_id: run,
    status: gated.status,
    answer: gated.answer,
    citations: gated.citations,
    unsupported: gated.unsupported,
    confidence: lowered(end.confidence, gated),
    stop_reason: end.stop,
    model,
    spent: spent(),
    coverage: coverageOf(state, end, crew),
  };
}

async function checked(
  run: string,
  state: ResearchState,
  end: End,
  written: string,
  { journal, material }: Crew,
): Promise<Gated> {
  const known = journal.recall('final') as Final | undefined;
  if (known === undefined) {
    const gated = await gateAnswer(written, state.evidence, material.text);
    // A cancelled run goes on another time, and ends otherwise.
    if (end.stop !== 'cancelled') journal.record('final', { written, gated } satisfies Final);
    return gated;
  }
  if (known.written !== written)
    throw new SondeError('internal', {
      message: `${run} came to another answer than the one it recorded`,
      remedy: 'It may have been written by another version: ask the question again.',
    });
  return known.gated;
}

/** A model's confidence is in its whole answer: it counts as far as the answer is carried. */
function lowered(confidence: number | null, { status }: Gated): number | null {
  if (confidence === null) return null;
  const ceiling = { verified: 1, partial: 0.6, unverified: 0.1 }[status];
  return Math.min(confidence, ceiling);
}

const mostNotes = 6;

function coverageOf(state: ResearchState, end: End, crew: Crew): Coverage {
  const known = startOf(crew.journal)?.coverage;
  const looked = state.turns.filter(({ outcome }) => outcome === 'ok');
  const searches = looked.filter(({ action }) => searching.has(action));
  const notes = [
    ...(end.trouble === null ? [] : [end.trouble]),
    ...state.notes,
    ...(known?.notes ?? []),
    // What an action of the run could not reach; the rest of its notes concern that listing alone.
    ...looked.flatMap((turn) =>
      turn.notes.filter((note) => /\b(?:fail|fell back|skipped|unreadable)/i.test(note)),
    ),
  ];
  return {
    files: known?.files ?? 0,
    skipped: known?.skipped ?? 0,
    searches: searches.length,
    files_read: new Set(state.evidence.map(({ file_path }) => file_path)).size,
    evidence: state.evidence.length,
    completeness: known?.completeness ?? ('unknown' satisfies Completeness),
    notes: [...new Set(notes)]
      .slice(0, mostNotes)
      .map((note) => (note.length > 300 ? `${note.slice(0, 299)}…` : note)),
  };
}

const searching = new Set(['hybrid_search', 'grep', 'find_definition', 'git_log', 'git_pickaxe']);

function endOf({ pending, step }: ResearchState): End {
  if (pending.kind === 'end') return pending.end;
  throw new SondeError('internal', { message: `The research stopped at step ${step} without an end` });
}
