/** Formats a report of the import analyst for people. */
import { formatCount, plainLine, shortLine } from '../../../core/index.ts';
import type { ImportReport } from '../../../tasks/index.ts';

type Finding = ImportReport['findings'][number];
type Evidence = Finding['evidence'][number];

const titles: Readonly<Record<Finding['kind'], string>> = {
  import_deviation: 'Import and workspace differ',
  reversed_link: 'Links with text and address swapped',
  broken_link: 'Links that lead to no page',
  broken_anchor: 'Links to a heading that is not there',
  ambiguous_link: 'Links by a name that several pages have',
  front_matter_unread: 'Front matter that cannot be read',
  property_kind: 'Properties with an unusual type of value',
  property_names: 'Properties under several names',
  similar_tags: 'Tags with several spellings',
  duplicate: 'Pages with nearly the same text',
  empty_page: 'Empty pages',
  orphan: 'Pages without links to or from other pages',
};

const outcomes: Readonly<Record<ImportReport['proposals'][number]['outcome'], string>> = {
  candidate: 'proposed',
  held: 'waits for you',
  refused: 'refused',
  not_submitted: 'could be proposed',
};

/** Says where a person finds the evidence. */
function formatEvidence(evidence: Evidence): string {
  const path = plainLine(evidence.path);
  switch (evidence.kind) {
    case 'quote':
      return `${path}${evidence.block === null ? '' : ` [${evidence.block}]`}: “${shortLine(evidence.quote, 80)}”`;
    case 'link':
    case 'no_place':
      return `${path} [${evidence.block}]: a link to ${shortLine(evidence.target, 80)}`;
    case 'tag':
      return `${path}: #${plainLine(evidence.tag)}`;
    case 'deviation':
      return `${path}: ${evidence.deviation}`;
    default:
      return `${path} [${evidence.page}]`;
  }
}

function findingLines({ id, statement, evidence, confirmed, verdict }: Finding): readonly string[] {
  const verdictText = verdict === null ? '' : ` (${verdict.says}: ${plainLine(verdict.why)})`;
  const unconfirmedNote = confirmed ? '' : ' [not confirmed: the pages changed meanwhile]';
  return [
    `  ${id} ${plainLine(statement)}${verdictText}${unconfirmedNote}`,
    ...evidence.map((piece) => `      ${formatEvidence(piece)}`),
  ];
}

export function analysisText(report: ImportReport): string {
  const { scope, totals, findings, overview, proposals, more_repairs, model } = report;
  const { imported, pages, there: totalPages, words, links, tags, notes } = scope;
  const readText =
    pages === totalPages ? `${pages}` : `${pages} that were read (the workspace has ${totalPages})`;
  return [
    `${formatCount(imported, 'imported page')} of ${readText}: ${formatCount(words, 'word')}, ${formatCount(links, 'link')}, ${formatCount(tags, 'tag')}. ${plainLine(model.note)}.`,
    ...notes.map((note) => `note: ${plainLine(note)}`),
    ...overview.flatMap(({ text, evidence }) => [
      '',
      plainLine(text),
      ...evidence.map((piece) => `      ${formatEvidence(piece)}`),
    ]),
    ...totals.flatMap(({ kind, found, told: shownCount }) => [
      '',
      `${titles[kind]}: ${found}${shownCount < found ? `, ${shownCount} shown` : ''}`,
      ...findings.filter((finding) => finding.kind === kind).flatMap(findingLines),
    ]),
    ...(totals.length === 0 ? ['', 'No problems were found.'] : []),
    ...(proposals.length === 0 ? [] : ['', 'Repairs:']),
    ...proposals.map(
      ({ finding, what, outcome, note }) =>
        `  ${finding} ${outcomes[outcome]}: ${plainLine(what)}${note === '' ? '' : ` (${plainLine(note)})`}`,
    ),
    ...(more_repairs === 0 ? [] : [`  … and ${more_repairs} more`]),
  ].join('\n');
}
