/** Formats the result of a run for people. */
import { join, relative } from 'node:path';
import {
  type Citation,
  countVerdicts,
  escapePath,
  formatCount,
  plainLine,
  type RunResult,
  repeatsOrder,
  shortLine,
} from '../../../core/index.ts';
import { countsText } from './claims-text.ts';

const stopReasonTexts = {
  finalized: 'finished',
  budget: 'ended by its budget',
  stagnant: 'ended when nothing new was found',
  model_failed: 'ended because the model failed',
  cancelled: 'cancelled',
} as const;

const isWorkspaceFile = (root: string): boolean => root.endsWith('.db');

/**
 * `path:line`, as the answer cites it. If the current directory is inside the folder, the path is relative to the current
 * directory, so that a terminal can open it.
 */
function placeText(citation: Citation, root: string, currentDirectory: string): string {
  if (citation.path.startsWith('commit:')) return escapePath(citation.path);
  // A page of a workspace is not a file in a folder.
  if (isWorkspaceFile(root)) return `${escapePath(citation.path)}:${citation.start_line}`;
  const relativePath = relative(currentDirectory, join(root, citation.path));
  const path = relativePath.startsWith('..') ? citation.path : relativePath;
  return `${escapePath(path)}:${citation.start_line}`;
}

function citationLine(citation: Citation, root: string, currentDirectory: string): string {
  const { start_line, end_line, provenance, status, id } = citation;
  const endText = end_line > start_line ? ` to ${end_line}` : '';
  const statusText = status === 'valid' ? '' : `, ${status}`;
  return `  ${placeText(citation, root, currentDirectory)}${endText} (${provenance}${statusText}) ${id}`;
}

function formatSpent({ spent }: Pick<RunResult, 'spent'>): string {
  const parts = [
    formatCount(spent.steps, 'step'),
    `${(spent.wall_ms / 1000).toFixed(1)} s`,
    ...(spent.calls > 0
      ? [formatCount(spent.calls, 'call'), formatCount(spent.tokens, 'token'), `$${spent.usd.toFixed(4)}`]
      : []),
  ];
  return parts.join(', ');
}

/** The claim and, if the result holds its verdict, the reason. */
function formatUnsupported(text: string, { claims = [] }: RunResult): string {
  const claim = claims.find((claim) => claim.text === text);
  const verdictNote =
    claim === undefined ? '' : ` (${claim.verdict}${claim.why === undefined ? '' : `: ${claim.why}`})`;
  return `  ${plainLine(`${text}${verdictNote}`)}`;
}

function claimsLine({ claims = [], claim_counts, run_id }: RunResult): readonly string[] {
  if (claims.length === 0 && claim_counts === undefined) return [];
  return [`claims: ${countsText(claim_counts ?? countVerdicts(claims))}; sonde show ${run_id} --claims`];
}

/** Lists claims that repeat instructions from the cited lines, so that people see where these come from. */
function instructionsSection({ claims = [] }: RunResult): readonly string[] {
  const instructionClaims = claims.filter(repeatsOrder);
  if (instructionClaims.length === 0) return [];
  const instructionLines = instructionClaims.map(
    ({ text, flags }) => `  ${plainLine(shortLine(text, maxInstructionCharacters))} [${flags.join(', ')}]`,
  );
  return [['Repeats instructions that the lines contain', ...instructionLines].join('\n')];
}

const maxInstructionCharacters = 160;

/** `stepsFlag`: the flag of `sonde show` that shows the steps of the run. */
export function resultText(
  result: RunResult,
  root: string,
  currentDirectory: string,
  stepsFlag: '--trace' | '--cells' = '--trace',
): string {
  const { coverage } = result;
  const unit = isWorkspaceFile(root) ? 'pages' : 'files';
  const coverageText = `${coverage.files} ${unit} searched, ${coverage.files_read} read, ${coverage.skipped} skipped`;
  const sections = [
    result.answer.trim(),
    ...(result.citations.length === 0
      ? []
      : [
          [
            'Citations',
            ...result.citations.map((citation) => citationLine(citation, root, currentDirectory)),
          ].join('\n'),
        ]),
    ...(result.unsupported.length === 0
      ? []
      : [['Unsupported', ...result.unsupported.map((text) => formatUnsupported(text, result))].join('\n')]),
    ...instructionsSection(result),
    [
      `${result.status}; ${stopReasonTexts[result.stop_reason]}; model ${plainLine(result.model)}` +
        `${result.confidence === null ? '' : `; confidence ${result.confidence}`}; ${formatSpent(result)}`,
      ...claimsLine(result),
      `${coverageText}; coverage ${coverage.completeness}`,
      ...coverage.notes.map((note) => `note: ${plainLine(note)}`),
      `${result.run_id}: sonde show ${result.run_id} ${stepsFlag}`,
    ].join('\n'),
  ];
  return sections.join('\n\n');
}
