/** The evidence that a report prints: the blamed diff, and the series that changed. */
import type { Evidence } from '../evidence.ts';
import { fenceText } from '../text/plain-text.ts';
import type { IncidentResult } from './incident.ts';

export type Exhibit = Pick<
  Evidence,
  'id' | 'file_path' | 'start_line' | 'end_line' | 'reason' | 'content' | 'symbol_id'
>;

const maxDiffLines = 24;
const maxSeries = 3;
/** Maximum characters of a line. */
const maxWidth = 420;

const movementClaim = /(?:^|[\s:])(\S+?)(?: of (\S+))? went (?:up|down) from /;

/** Fenced blocks, each under its id. Empty if nothing can be printed. */
export function formatExhibits(incident: IncidentResult, evidence: readonly Exhibit[]): readonly string[] {
  return [...formatChange(incident, evidence), ...formatSeries(incident, evidence)];
}

function formatChange(
  { verdict, suspects }: IncidentResult,
  evidence: readonly Exhibit[],
): readonly string[] {
  const [first] = suspects;
  if (first === undefined || (verdict !== 'code_change' && verdict !== 'config_change')) return [];
  const found = evidence.find(({ symbol_id, id }) => symbol_id === first.id && first.evidence.includes(id));
  if (found === undefined) return [];
  const lines = found.content.split('\n');
  const more = lines.length - maxDiffLines;
  return [
    `The change, ${found.id}:\n\n${fenceLines([...lines.slice(0, maxDiffLines), ...(more > 0 ? [`(${more} lines more)`] : [])])}`,
  ];
}

function formatSeries({ causal_chain }: IncidentResult, evidence: readonly Exhibit[]): readonly string[] {
  const shown = new Set<string>();
  return causal_chain.flatMap(({ text, evidence: ids }) => {
    const [, metric, service] = movementClaim.exec(text) ?? [];
    if (metric === undefined || shown.size >= maxSeries) return [];
    for (const { id, content } of evidence.filter((exhibit) => ids.includes(exhibit.id))) {
      const lines = content.split('\n');
      const at = lines.findIndex(
        (line) =>
          (line.startsWith(`${metric}{`) || line.startsWith(`${metric}:`)) &&
          (service === undefined || line.includes(service)),
      );
      if (at < 0 || shown.has(lines[at]!)) continue;
      shown.add(lines[at]!);
      return [`The series, ${id}:\n\n${fenceLines(lines.slice(at, at + 2))}`];
    }
    return [];
  });
}

const fenceLines = (lines: readonly string[]): string =>
  fenceText(
    lines.map((line) => (line.length > maxWidth ? `${line.slice(0, maxWidth - 1)}…` : line)).join('\n'),
  );
