/** The report of an incident for people: the answer first, then its support. */

import { formatCount, plainLine } from '../text/plain-text.ts';
import { type Exhibit, formatExhibits } from './exhibits.ts';
import type { EarlierReport, IncidentClaim, IncidentResult } from './incident.ts';

const verdicts: Readonly<Record<IncidentResult['verdict'], string>> = {
  code_change: 'A code change is to blame',
  config_change: 'A flag or a setting is to blame',
  no_code_change: 'No change is to blame',
  state: 'An object reports trouble of its own',
  healthy: 'It is over, or was no trouble',
  unrelated: 'No system that was asked knows it',
  inconclusive: 'Inconclusive',
  noise: 'Not an alert',
  resolved: 'Already resolved',
  duplicate: 'Already being investigated',
};

const ends: Readonly<Record<IncidentResult['stop_reason'], string>> = {
  finalized: 'it reached its conclusion',
  budget: 'its budget came to an end',
  stagnant: 'it found nothing new any more',
  model_failed: 'the model failed, and the program wrote the rest',
  cancelled: 'it was cancelled, and can be resumed',
};

/**
 * Escapes Markdown that logs, diffs and models may write: in the report it must become no heading, link, mention or
 * HTML.
 */
function escapeLine(text: string): string {
  const line = plainLine(text).replace(/^(?=[#>*+-]|\d+[.)]\s)/, '\u200b');
  const parts = line.split('`');
  // An unclosed code span would swallow the rest of the page, and longer runs of backticks would open other spans.
  if (parts.length % 2 === 0 || /``/.test(line)) return escapeMarkup(line.replaceAll('`', "'"));
  return parts.map((part, n) => (n % 2 === 0 ? escapeMarkup(part) : part)).join('`');
}

const escapeMarkup = (text: string): string =>
  text
    .replace(/</g, '\\<')
    .replace(/\]\(/g, ']\\(')
    .replace(/!\[/g, '!\\[')
    .replace(/(?<=^|\W)@(?=\w)/g, '@\u200b');

/** Maximum number of ids after one line, for readability. Programs get all of them. */
const maxRefs = 3;
const formatRefs = (ids: readonly string[]): string =>
  ids.length === 0
    ? ''
    : ` ${ids
        .slice(0, maxRefs)
        .map((id) => `[${id}]`)
        .join(' ')}${ids.length > maxRefs ? ` and ${ids.length - maxRefs} more` : ''}`;
const claimLine = ({ text, evidence }: IncidentClaim): string => `${escapeLine(text)}${formatRefs(evidence)}`;
const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export const incidentTitle = ({ verdict, alert }: Pick<IncidentResult, 'verdict' | 'alert'>): string =>
  `${verdicts[verdict]}: ${plainLine(alert)}`.slice(0, 200);

const formatList = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
/** The hash of a commit as people write it. */
const shortenId = (id: string): string => (/^[0-9a-f]{40}$/.test(id) ? id.slice(0, 12) : id);

/** The report as Markdown. If `evidence` is left out, the report prints only the ids of the evidence. */
export function formatIncidentReport(incident: IncidentResult, evidence: readonly Exhibit[] = []): string {
  const { coverage, root_cause: cause } = incident;
  const refused = incident.non_validated_claims.find(({ text }) => text === cause);
  const mark =
    refused === undefined ? '' : ` (${refused.verdict ?? 'unproved'}: ${escapeLine(refused.reason)})`;
  const proof = (incident.validated_claims.find(({ text }) => text === cause) ?? refused)?.evidence ?? [];
  const chain = incident.causal_chain.filter(({ text }) => text !== cause && !cause.endsWith(text));
  const printed = new Set([cause, ...incident.causal_chain.map(({ text }) => text)]);
  const further = incident.validated_claims.filter(({ text }) => !printed.has(text) && !cause.endsWith(text));
  const sections: readonly (readonly [string, string])[] = [
    ['', `# ${verdicts[incident.verdict]}\n\n${escapeLine(incident.alert)}`],
    [
      'Root cause',
      `${escapeLine(cause)}${formatRefs(proof)}${mark}\n\nCategory: ${escapeLine(categoryText(incident))}. ${confidenceText(incident)}${validityText(incident)}${incident.first_failing_service === null ? '' : ` First service to fail: ${escapeLine(incident.first_failing_service)}.`}`,
    ],
    ['What ties it to the alert', formatList((incident.links ?? []).map(linkLine))],
    ["The program's own verdict", programVerdictText(incident)],
    ['What to do', formatList(incident.remediation_steps.map(escapeLine)) || 'Nothing was proposed.'],
    [
      'How it came about',
      chain.map((link, n) => `${n + 1}. ${claimLine(link)}`).join('\n') || 'No link of it could be shown.',
    ],
    ['What shows it', formatExhibits(incident, evidence).join('\n\n')],
    ['Timeline, UTC', timelineText(incident)],
    [
      'Suspects',
      incident.suspects
        .map(
          ({ kind, id, score, why, evidence: ids }, n) =>
            `${n + 1}. ${kind} ${escapeLine(shortenId(id))}, score ${score}: ${escapeLine(why)}${formatRefs(ids)}`,
        )
        .join('\n') || 'Nothing is suspect.',
    ],
    [
      'Runbooks that fit',
      formatList(
        (incident.runbooks ?? []).map(
          ({ path, title, evidence: id }) => `${escapeLine(title)} (${escapeLine(path)})${formatRefs([id])}`,
        ),
      ),
    ],
    ['Earlier reports of the same alert', formatList((incident.earlier_reports ?? []).map(earlierLine))],
    ['Also shown by evidence', formatList(further.map(claimLine))],
    [
      'Claimed and not shown',
      formatList(
        incident.non_validated_claims.map(
          (claim) => `${claim.verdict ?? 'unproved'}: ${claimLine(claim)} (${escapeLine(claim.reason)})`,
        ),
      ),
    ],
    ['Looked at and empty', formatList(coverage.empty.map(escapeLine))],
    ['Could not be checked', formatList(coverage.unchecked.map(escapeLine))],
    ['Not looked at', formatList(coverage.left_out.map(escapeLine))],
    ['Notes', formatList(coverage.notes.map(escapeLine))],
    ['Else', emptySectionsText(incident)],
    ['Evidence', formatList(evidenceLines(incident, evidence)) || 'None is cited.'],
    ['Window, cost and end', endText(incident)],
  ];
  const present = sections.filter(([, text]) => text !== '');
  return `${present.map(([title, text]) => (title === '' ? text : `## ${title}\n\n${text}`)).join('\n\n')}\n`;
}

/** The program's own verdict, printed next to a model's different one; neither replaces the other. */
function programVerdictText({ own }: IncidentResult): string {
  if (own === undefined) return '';
  const sure = own.confidence === null ? '' : ` Confidence ${own.confidence}.`;
  const claims = own.claims.filter(({ text }) => text !== own.root_cause).map(claimLine);
  return `${verdicts[own.verdict]}: ${escapeLine(own.root_cause)}${sure}${claims.length === 0 ? '' : `\n\n${formatList(claims)}`}`;
}

const categoryText = ({ root_cause_category: name, detail }: IncidentResult): string =>
  (detail ?? '') === '' || detail === name ? name : `${name} (${detail})`;

/** Results of earlier versions have no confidence. */
const confidenceText = ({ confidence }: IncidentResult): string =>
  confidence === null || confidence === undefined ? '' : `Confidence ${confidence} that the blame is exact. `;

const linkLine = ({ kind, from, to, evidence }: IncidentResult['links'][number]): string =>
  `${kind}: ${escapeLine(from)} → ${escapeLine(to)}${formatRefs(evidence)}`;

const earlierLine = ({ run_id, at, verdict, root_cause, evidence }: EarlierReport): string =>
  `${at === null ? '' : `${at.slice(0, 16)}: `}${verdicts[verdict]}: ${escapeLine(root_cause)} (run ${run_id})${formatRefs([evidence])}`;

/** One sentence that names which of the fixed sections are empty. */
function emptySectionsText({ non_validated_claims: unproved, coverage }: IncidentResult): string {
  const phrases = [
    ...(unproved.length === 0 ? ['no claim is unproved'] : []),
    ...(coverage.empty.length === 0 ? ['no question came back empty'] : []),
    ...(coverage.unchecked.length === 0 ? ['nothing is known that could not be checked'] : []),
  ];
  const text = phrases.join('; ');
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The timeline. Times have no date if all are of one day. Entries of the blamed suspect are marked. */
function timelineText({ timeline, suspects, verdict }: IncidentResult): string {
  const days = new Set(timeline.map(({ at }) => at.slice(0, 10)));
  const [day] = days;
  const blamed = verdict === 'code_change' || verdict === 'config_change' ? suspects[0] : undefined;
  const lines = timeline.map(({ at, what, evidence }) => {
    const time = days.size === 1 ? at.slice(11).replace('Z', '') : at;
    const isBlamed = blamed !== undefined && what.includes(shortenId(blamed.id));
    return `${time} ${isBlamed ? '**blamed** ' : ''}${escapeLine(what)}${formatRefs(evidence)}`;
  });
  if (lines.length === 0) return 'Nothing with a time was found.';
  return days.size === 1 ? `On ${day}:\n\n${formatList(lines)}` : formatList(lines);
}

/** Describes each cited id: a change by its title, anything else by its question. */
function evidenceLines(incident: IncidentResult, evidence: readonly Exhibit[]): readonly string[] {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  return listCited(incident).map((id) => {
    const item = byId.get(id);
    if (item === undefined) return id;
    const { file_path: path, start_line: start, end_line: end, symbol_id: symbol, content, reason } = item;
    const description =
      symbol === null ? reason.replace(/ of \S*frozen .*$/, '') : (content.split('\n', 1)[0] ?? '');
    return `${id} ${escapeLine(`${path}:${start}-${end} ${description}`.slice(0, 150))}`;
  });
}

function validityText({ validated_claims, non_validated_claims, validity_score }: IncidentResult): string {
  const all = validated_claims.length + non_validated_claims.length;
  return all === 0
    ? 'It claims nothing.'
    : `${validated_claims.length} of ${all} claims were found in their evidence (validity ${validity_score}).`;
}

const listCited = ({ validated_claims, causal_chain, suspects }: IncidentResult): readonly string[] => [
  ...new Set(
    [...validated_claims, ...causal_chain, ...suspects.slice(0, 3)].flatMap(({ evidence }) => evidence),
  ),
];

function endText(incident: IncidentResult): string {
  const { window, spent, coverage, model, stop_reason, run_id, deliveries } = incident;
  const systems = coverage.signals.map(({ system, source, state }) => `${system} (${source}): ${state}`);
  return [
    ...(window === null
      ? []
      : [
          `Looked at ${formatTime(window.from)} to ${formatTime(window.to)}: ${escapeLine(window.derivation)}.`,
        ]),
    `Systems: ${systems.length === 0 ? 'none' : systems.map(escapeLine).join('; ')}.`,
    `${formatCount(coverage.asked, 'question')}, ${formatCount(coverage.evidence, 'piece')} of evidence. ${formatCount(spent.calls, 'model call')}, ${formatCount(spent.tokens, 'token')}, $${spent.usd.toFixed(4)}, ${(spent.wall_ms / 1000).toFixed(1)} s. Written by ${model === 'extractive' || incident.written_by === 'program' ? 'the program, without a model' : escapeLine(model)}.`,
    `It ended because ${ends[stop_reason]}. Run ${run_id}.`,
    ...deliveries
      .filter(({ state }) => state !== 'delivered')
      .map(({ sink, state, detail }) => `Delivery to ${sink}: ${state}, ${escapeLine(detail)}.`),
  ].join('\n\n');
}
