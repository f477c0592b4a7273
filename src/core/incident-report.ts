/** The report that somebody reads at three in the morning: the answer first, then what carries it. */
import type { IncidentClaim, IncidentResult } from './incident.ts';
import { type Exhibit, exhibitsOf } from './incident-exhibits.ts';
import { plainLine } from './plain-text.ts';

const verdicts: Readonly<Record<IncidentResult['verdict'], string>> = {
  code_change: 'A code change is to blame',
  config_change: 'A flag or a setting is to blame',
  no_code_change: 'No change is to blame',
  inconclusive: 'Inconclusive',
  noise: 'Not an alert',
  resolved: 'Already resolved',
  duplicate: 'Already being investigated',
};

const ends: Readonly<Record<IncidentResult['stop_reason'], string>> = {
  finalized: 'it came to its conclusion',
  budget: 'its budget came to an end',
  stagnant: 'it found nothing new any more',
  model_failed: 'the model failed, and the program wrote the rest',
  cancelled: 'it was cancelled, and can be resumed',
};

/** Text of logs, diffs and models may hold Markdown of its own: no heading, link, mention or HTML comes of it. */
function safe(text: string): string {
  const line = plainLine(text)
    .replace(/</g, '\\<')
    .replace(/\]\(/g, ']\\(')
    .replace(/!\[/g, '!\\[')
    .replace(/^(?=[#>*+-]|\d+[.)]\s)/, '\u200b')
    .replace(/(?<=^|\W)@(?=\w)/g, '@\u200b');
  // A code span that nobody closes would take the rest of the page with it.
  return (line.match(/`/g)?.length ?? 0) % 2 === 0 ? line : line.replaceAll('`', "'");
}

const refs = (ids: readonly string[]): string =>
  ids.length === 0 ? '' : ` ${ids.map((id) => `[${id}]`).join(' ')}`;
const claimLine = ({ text, evidence }: IncidentClaim): string => `${safe(text)}${refs(evidence)}`;
const stamp = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export const incidentTitle = ({ verdict, alert }: Pick<IncidentResult, 'verdict' | 'alert'>): string =>
  `${verdicts[verdict]}: ${plainLine(alert)}`.slice(0, 200);

/** Without the evidence its ids stand alone: neither what they show nor where they are is told. */
export function incidentReport(incident: IncidentResult, evidence: readonly Exhibit[] = []): string {
  const { coverage } = incident;
  const exhibits = exhibitsOf(incident, evidence);
  const places = new Map(
    evidence.map((item) => [
      item.id,
      `${item.file_path}:${item.start_line}-${item.end_line} ${item.reason}`.slice(0, 200),
    ]),
  );
  const told = new Set(incident.causal_chain.map(({ text }) => text));
  const further = incident.validated_claims.filter(({ text }) => !told.has(text));
  const list = (lines: readonly string[], none: string): string =>
    lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n');
  const sections: readonly (readonly [string, string])[] = [
    ['', `# ${verdicts[incident.verdict]}\n\n${safe(incident.alert)}`],
    [
      'Root cause',
      `${safe(incident.root_cause)}\n\nCategory: ${safe(incident.root_cause_category)}. ${validity(incident)}${incident.first_failing_service === null ? '' : ` First service to fail: ${safe(incident.first_failing_service)}.`}`,
    ],
    ['What to do', list(incident.remediation_steps.map(safe), 'Nothing was proposed.')],
    [
      'How it came about',
      incident.causal_chain.length === 0
        ? 'No link of it could be shown.'
        : incident.causal_chain.map((link, n) => `${n + 1}. ${claimLine(link)}`).join('\n'),
    ],
    ['What shows it', exhibits.join('\n\n')],
    [
      'Suspects',
      list(
        incident.suspects.map(
          ({ kind, id, score, why, evidence }) =>
            `${score} ${kind} ${safe(id)}: ${safe(why)}${refs(evidence)}`,
        ),
        'Nothing is suspect.',
      ),
    ],
    [
      'Timeline',
      list(
        incident.timeline.map(({ at, what, evidence }) => `${at} ${safe(what)}${refs(evidence)}`),
        'Nothing with a time was found.',
      ),
    ],
    ['Also shown by evidence', list(further.map(claimLine), '')],
    [
      'Claimed and not shown',
      list(
        incident.non_validated_claims.map((claim) => `${claimLine(claim)} (${safe(claim.reason)})`),
        'Nothing.',
      ),
    ],
    ['Looked at and empty', list(coverage.empty.map(safe), 'Nothing.')],
    ['Could not be checked', list(coverage.unchecked.map(safe), 'Nothing is known to be missing.')],
    ['Left out by the plan', list(coverage.left_out.map(safe), '')],
    ['Notes', list(coverage.notes.map(safe), '')],
    [
      'Evidence',
      list(
        cited(incident).map((id) => `${id} ${safe(places.get(id) ?? '')}`.trim()),
        'None is cited.',
      ),
    ],
    ['Window, cost and end', ending(incident)],
  ];
  // What is empty and promised is said to be empty; the rest of what is empty is not there.
  const present = sections.filter(([, text]) => text !== '');
  return `${present.map(([title, text]) => (title === '' ? text : `## ${title}\n\n${text}`)).join('\n\n')}\n`;
}

function validity({ validated_claims, non_validated_claims, validity_score }: IncidentResult): string {
  const all = validated_claims.length + non_validated_claims.length;
  return all === 0
    ? 'It claims nothing.'
    : `${validated_claims.length} of ${all} claims were found in their evidence (validity ${validity_score}).`;
}

const cited = ({ validated_claims, causal_chain, suspects }: IncidentResult): readonly string[] => [
  ...new Set(
    [...validated_claims, ...causal_chain, ...suspects.slice(0, 3)].flatMap(({ evidence }) => evidence),
  ),
];

function ending(incident: IncidentResult): string {
  const { window, spent, coverage, model, stop_reason, run_id, deliveries } = incident;
  const systems = coverage.signals.map(({ system, source, state }) => `${system} (${source}): ${state}`);
  return [
    ...(window === null
      ? []
      : [`Looked at ${stamp(window.from)} to ${stamp(window.to)}: ${safe(window.derivation)}.`]),
    `Systems: ${systems.length === 0 ? 'none' : systems.map(safe).join('; ')}.`,
    `${coverage.asked} questions, ${coverage.evidence} pieces of evidence. ${spent.calls} model calls, ${spent.tokens} tokens, $${spent.usd.toFixed(4)}, ${(spent.wall_ms / 1000).toFixed(1)} s. Written by ${safe(model)}.`,
    `It ended because ${ends[stop_reason]}. Run ${run_id}.`,
    ...deliveries
      .filter(({ state }) => state !== 'delivered')
      .map(({ sink, state, detail }) => `Delivery to ${sink}: ${state}, ${safe(detail)}.`),
  ].join('\n\n');
}
