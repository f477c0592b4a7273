/**
 * Knowledge from before the incident: runbooks that fit the alert, and reports of earlier incidents with the same
 * alert. A model and a person are shown them, but they describe the past: no finding may cite them.
 */
import type { EarlierReport, FittingRunbook, IncidentResult } from '../../../core/index.ts';
import { messageOf, type Observation } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';
import { createDocument } from '../gather/documents.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates } from '../state.ts';
import { findRunbooks, type Runbook, titleOf } from './runbooks.ts';

/** The sources of runbooks and earlier reports. */
export interface Library {
  /** All pages of the folder. */
  readonly runbooks?: () => Promise<readonly Runbook[]>;
  /** Finished investigations of alerts with this fingerprint, the newest first. */
  readonly past: (
    fingerprint: string,
  ) => Promise<
    readonly Pick<
      IncidentResult,
      'run_id' | 'verdict' | 'root_cause' | 'blamed' | 'remediation_steps' | 'window'
    >[]
  >;
}

export const runbookTool = 'runbooks';
export const reportTool = 'earlier_reports';

/** Whether evidence is a document of the library, which no finding may cite. */
export const isLibrary = (tool: string): boolean => tool === runbookTool || tool === reportTool;

/** The step that recorded runbooks and reports. Runs of older versions lack it. */
export const libraryStep = 'library/texts';

const maxPast = 3;

interface LibraryMatches {
  readonly runbooks: readonly Runbook[];
  readonly past: readonly Awaited<ReturnType<Library['past']>>[number][];
  readonly notes: readonly string[];
}

export async function addLibrary(state: IncidentState, context: RunContext): Promise<IncidentState> {
  const { alert, window } = state;
  const { library } = context;
  if (library === undefined || alert === null || window === null) return state;
  const stepResult = await context.step<LibraryMatches>(libraryStep, {
    deferCommit: true,
    run: async () => ({ value: await findMatches(library, alert) }),
  });
  if (stepResult.kind !== 'done') return mergeUpdates(state, { stop: 'cancelled' });
  const { runbooks, past, notes } = stepResult.value;
  const maskText = (text: string): string => context.mask?.system(text) ?? text;
  let current = mergeUpdates(state, { notes });
  const add = (
    tool: string,
    n: number,
    source: string,
    text: string,
    row: Record<string, string>,
  ): string => {
    const observed: Observation = {
      kind: 'observation',
      query: row['name'] ?? tool,
      source,
      window,
      at: state.now,
      text: maskText(text),
      rows: { kind: 'table', rows: [row] },
      truncated: null,
      completeness: 'complete',
      notes: [],
    };
    const { recorded, evidence } = createDocument(`${tool}/${n}`, tool, {}, observed);
    for (const item of evidence)
      context.tell(`${tool}/${n}/${item.id}`, { kind: 'evidence_registered', step: 0, evidence: item });
    const knownIds = new Set(current.evidence.map(({ id }) => id));
    current = mergeUpdates(current, {
      recorded: [...current.recorded, recorded],
      evidence: [...current.evidence, ...evidence.filter(({ id }) => !knownIds.has(id))],
    });
    return evidence[0]?.id ?? '';
  };
  const fitting = runbooks.map((page, n): FittingRunbook => {
    const title = maskText(titleOf(page)).slice(0, 200);
    const id = add(runbookTool, n + 1, 'runbooks', page.text, { name: page.path });
    return { path: page.path, title, evidence: id };
  });
  const earlier = past.map((report, n): EarlierReport => {
    const { run_id, verdict, root_cause, blamed } = report;
    const at = report.window === null ? null : new Date(report.window.to).toISOString();
    const id = add(reportTool, n + 1, 'earlier reports', formatReport(report, at), { name: run_id });
    return { run_id, at, verdict, root_cause: root_cause.slice(0, 400), blamed, evidence: id };
  });
  return mergeUpdates(current, { library: { runbooks: fitting, earlier } });
}

function formatReport(
  { run_id, verdict, root_cause, blamed, remediation_steps: steps }: LibraryMatches['past'][number],
  at: string | null,
): string {
  return [
    `Report of ${run_id}${at === null ? '' : `, of what was until ${at}`}: ${verdict}.`,
    `Root cause then: ${root_cause}`,
    ...(blamed === null ? [] : [`Blamed then: ${blamed.kind} ${blamed.id}`]),
    ...steps.map((step) => `Proposed then: ${step}`),
  ].join('\n');
}

/** An error of either source is noted, and does not end the investigation. */
async function findMatches({ runbooks, past }: Library, alert: Alert): Promise<LibraryMatches> {
  const notes: string[] = [];
  const readOrNote = async <Item>(
    source: string,
    read: () => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> => {
    try {
      return await read();
    } catch (thrown) {
      notes.push(`The ${source} could not be read: ${messageOf(thrown)}`.slice(0, 300));
      return [];
    }
  };
  return {
    runbooks: await readOrNote('runbooks', async () => findRunbooks((await runbooks?.()) ?? [], alert)),
    past: await readOrNote('earlier reports', async () => (await past(alert.fingerprint)).slice(0, maxPast)),
    notes,
  };
}
