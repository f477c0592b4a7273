/**
 * The import analyst: examines the pages that an import brought into a workspace, using only the tools of the
 * workspace, and returns a report in which every claim was checked again. Without a model it reports what the pages
 * show; a model adds which findings matter and what the pages are about.
 */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import type { TaskContext } from '../../shape.ts';
import { subgraph } from '../subgraph.ts';
import { confirm } from './confirm.ts';
import type { Draft } from './findings/draft.ts';
import { finders } from './findings/finders.ts';
import { type JudgeResult, judgeFindings } from './judge.ts';
import { type ProposalList, propose, type Repairable } from './propose.ts';
import { pageReader, readOnce } from './read-pages.ts';
import {
  type AnalystInput,
  analystInput,
  type Claim,
  type Finding,
  type FindingKind,
  type ImportReport,
  type ImportSize,
  importReport,
  type PageEvidence,
  type Repair,
} from './report.ts';
import { type Survey, survey } from './survey.ts';

interface ImportFindings {
  readonly scope: ImportSize;
  readonly totals: ImportReport['totals'];
  readonly findings: readonly Finding[];
  /** Repairs by finding. */
  readonly repairs: Readonly<Record<string, readonly Repair[]>>;
  /** Findings that can be repaired without a decision. */
  readonly certain: readonly string[];
  readonly paths: readonly string[];
  readonly central: readonly string[];
}

const Channels = Annotation.Root({
  under: Annotation<string | undefined>(),
  per_kind: Annotation<number>(),
  proposals: Annotation<number>(),
  found: Annotation<ImportFindings>(),
  judged: Annotation<JudgeResult>(),
  checked: Annotation<{ readonly findings: readonly Finding[]; readonly overview: readonly Claim[] }>(),
  written: Annotation<ProposalList>(),
});
type State = typeof Channels.State;

/** Maximum paths of pages that are listed for a model. */
const maxPaths = 1000;
const maxSamples = 8;

export const importAnalyst = subgraph<AnalystInput, ImportReport>({
  name: 'import-analyst',
  description:
    'Looks over an import: links that lead nowhere, pages that nothing leads to, duplicates, front matter and tags that do not fit together. Gives findings with evidence, and proposes repairs.',
  input: analystInput,
  output: importReport,
  graph: (context) => ({
    async invoke(input, config) {
      const state: State = await graphOf(context).invoke(input, config);
      return reportOf(state);
    },
  }),
});

function graphOf(context: TaskContext) {
  const { clients, signal } = context;
  // Each step reads the pages anew, so that its part of the report is true at that time.
  const newReader = () => readOnce(pageReader(clients.tools, signal));
  return new StateGraph(Channels)
    .addNode('examine', async ({ under, per_kind }) => ({
      found: examine(await survey(pageReader(clients.tools, signal), under), under, per_kind),
    }))
    .addNode('judge', async ({ found }) => ({ judged: await judgeFindings(found, newReader(), context) }))
    .addNode('confirm', async (state) => ({ checked: await checkFindings(state, newReader()) }))
    .addNode('propose', async (state) => ({
      written: await propose(listRepairable(state), state.proposals, newReader(), context),
    }))
    .addEdge(START, 'examine')
    .addEdge('examine', 'judge')
    .addEdge('judge', 'confirm')
    .addEdge('confirm', 'propose')
    .addEdge('propose', END)
    .compile();
}

function examine(survey: Survey, under: string | undefined, perKind: number): ImportFindings {
  const { pages, there, complete } = survey;
  const reported: { readonly id: string; readonly draft: Draft }[] = [];
  const totals = (Object.keys(finders) as FindingKind[]).map((kind) => {
    const drafts = finders[kind](survey);
    const shownDrafts = drafts.slice(0, perKind);
    for (const draft of shownDrafts) reported.push({ id: `f-${reported.length + 1}`, draft });
    return { kind, found: drafts.length, told: shownDrafts.length };
  });
  const links = pages.flatMap((page) => page.links);
  const incomingCounts = new Map<string, number>();
  for (const { to } of links) if (to !== null) incomingCounts.set(to, (incomingCounts.get(to) ?? 0) + 1);
  const central = pages
    .filter(({ words }) => words > 0)
    .sort((a, b) => (incomingCounts.get(b.id) ?? 0) - (incomingCounts.get(a.id) ?? 0))
    .slice(0, maxSamples);
  return {
    scope: {
      under: under ?? null,
      pages: pages.length,
      there,
      imported: pages.filter(({ imported }) => imported).length,
      words: pages.reduce((sum, { words }) => sum + words, 0),
      links: links.length,
      file_links: links.filter(({ file }) => file).length,
      tags: new Set(pages.flatMap(({ tags }) => tags)).size,
      complete,
      notes: complete
        ? []
        : ['There are more pages than were read: what is said of links and orphans may be wrong.'],
    },
    totals: totals.filter(({ found }) => found > 0),
    findings: reported.map(({ id, draft: { kind, statement, pages, evidence, likely } }) => ({
      id,
      kind,
      statement,
      pages,
      evidence: [...evidence],
      confirmed: false,
      likely,
      verdict: null,
    })),
    repairs: Object.fromEntries(reported.map(({ id, draft }) => [id, draft.repairs])),
    certain: reported.filter(({ draft }) => draft.certain).map(({ id }) => id),
    paths: pages.slice(0, maxPaths).map(({ path }) => path),
    central: central.map(({ path }) => path),
  };
}

/** Checks every finding again. Of a model's claims, only those are kept whose words were found. */
async function checkFindings(
  { found, judged }: State,
  reader: ReturnType<typeof pageReader>,
): Promise<State['checked']> {
  const verdicts = new Map(judged.judgement?.verdicts.map((each) => [each.finding, each]));
  const findings: Finding[] = [];
  for (const finding of found.findings) {
    const evidence = await confirm(finding.evidence, reader);
    const modelVerdict = verdicts.get(finding.id);
    // If the model names a page that does not exist, the name is dropped.
    const namedPath =
      modelVerdict?.page === undefined ? null : ((await reader.read(modelVerdict.page))?.page.path ?? null);
    findings.push({
      ...finding,
      evidence,
      confirmed: evidence.every((one) => one.confirmed),
      likely: finding.likely ?? (finding.kind === 'broken_link' ? namedPath : null),
      verdict: modelVerdict === undefined ? null : { says: modelVerdict.says, why: modelVerdict.why },
    });
  }
  const overview: Claim[] = [];
  for (const { text, evidence } of judged.judgement?.claims ?? []) {
    const foundQuotes = (await Promise.all(evidence.map((each) => findQuote(each, reader)))).filter(
      (each) => each !== null,
    );
    if (foundQuotes.length === evidence.length) overview.push({ text, evidence: foundQuotes });
  }
  return { findings, overview };
}

/** Null if the words do not occur in the page. */
async function findQuote(
  { page: path, quote }: { readonly page: string; readonly quote: string },
  reader: ReturnType<typeof pageReader>,
): Promise<PageEvidence | null> {
  const reading = await reader.read(path);
  const block = reading?.page.blocks.find(({ text }) => text.includes(quote.trim()));
  if (reading === null || block === undefined) return null;
  const { id, path: pagePath, revision } = reading.page;
  return {
    kind: 'quote',
    page: id,
    path: pagePath,
    block: block.id,
    revision,
    quote: quote.trim(),
    confirmed: true,
  };
}

/** Confirmed findings that a model called real, or that are certain if it said nothing, with their repairs. */
function listRepairable({ found, checked }: State): readonly Repairable[] {
  return checked.findings
    .filter(
      ({ id, confirmed, verdict }) =>
        confirmed && (verdict === null ? found.certain.includes(id) : verdict.says === 'real'),
    )
    .map((finding) => {
      const repairs = found.repairs[finding.id] ?? [];
      // Linking to an existing page is preferred to making a new page.
      const relinks = repairs.every(({ kind }) => kind === 'create_page') ? relinksNamedByModel(finding) : [];
      return { finding, repairs: relinks.length > 0 ? relinks : repairs };
    });
}

/** Repairs of broken links to the page that a model named, if that page exists. */
function relinksNamedByModel({ kind, likely, evidence, verdict }: Finding): readonly Repair[] {
  if (kind !== 'broken_link' || likely === null || verdict === null) return [];
  return evidence.flatMap((each): readonly Repair[] => {
    if (each.kind !== 'link') return [];
    const [from = ''] = each.target.split('#', 1);
    return [{ kind: 'relink', page: each.page, block: each.block, from, to: likely, target: likely }];
  });
}

function reportOf({ found, judged, checked, written }: State): ImportReport {
  const withheldCount = (judged.judgement?.claims.length ?? 0) - checked.overview.length;
  return {
    scope: found.scope,
    totals: [...found.totals],
    findings: [...checked.findings],
    overview: [...checked.overview],
    proposals: [...written.proposals],
    more_repairs: written.more,
    model: {
      used: judged.judgement !== null,
      note:
        judged.judgement === null
          ? judged.note
          : withheldCount === 0
            ? 'All of its claims were found in the pages'
            : `${withheldCount} of its claims were left out: their words were not found in the pages`,
    },
  };
}
