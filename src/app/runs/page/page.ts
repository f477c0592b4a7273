/**
 * Renders a run as a single HTML file to share: no scripts, no requests, no local paths. Text from the material is
 * escaped.
 */
import { createHash } from 'node:crypto';
import { type Claim, type LoggedEvent, resources, shortLine, toPlainText } from '../../../core/index.ts';
import {
  buildTrace,
  listEvidence,
  runState,
  type ShownEvidence,
  type TreeNode,
  treeOf,
} from '../../../core/runs.ts';
import { style } from './style.ts';

export interface PageOptions {
  /** Removes secrets and paths of this machine. */
  readonly hide: (text: string) => string;
  /** The report of the run as Markdown, which is shown unrendered; null: there is no report. */
  readonly report: string | null;
  /** The approximate maximum length of the file, in UTF-16 units. */
  readonly maxLength?: number;
}

/** UTF-16 units. About the maximum size of a mail attachment. */
const defaultMaxLength = 4_500_000;
/** Default maximum length of one text. UTF-16 units. */
const maxTextLength = 4_000;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Escapes a text, so that it cannot become an element, an attribute or, when copied, a terminal control sequence. */
const escapeHtml = (text: string): string =>
  toPlainText(text).replace(/[&<>"']/g, (character) => entities[character]!);

export function renderPage(
  log: readonly LoggedEvent[],
  { hide, report, maxLength = defaultMaxLength }: PageOptions,
): string {
  const formatText = (value: string, max = maxTextLength): string => {
    const shown = hide(value);
    const cut =
      shown.length > max
        ? `${shown.slice(0, max).toWellFormed()}\n[… ${shown.length - max} more characters]`
        : shown;
    return escapeHtml(cut);
  };
  const state = runState(log);
  const evidence = listEvidence(log);
  const knownIds = new Set(evidence.map(({ id }) => id));
  const { result } = state;
  const claims = state.claims ?? result?.claims ?? [];
  const budget = openBudget(maxLength);
  const start = state.started ?? 0;
  // Cited lines come first, so that other evidence is left out before them.
  const cited = new Set(
    claims.flatMap(({ evidence: ids }) => ids).concat(result?.citations.map(({ id }) => id) ?? []),
  );
  const sections = [
    `<p class="question">${formatText(state.question ?? 'Not logged.')}</p>`,
    section(
      'Answer',
      `<pre>${formatText(result?.answer ?? 'There is none yet.', 20_000)}</pre>`,
      renderFacts(log, formatText),
    ),
    section(
      'Claims',
      budget.list(
        'claims',
        claims.map((claim) => renderClaim(claim, knownIds, formatText)),
        'ol',
      ),
    ),
    section(
      'Lines that were read',
      budget.list(
        'pieces of evidence',
        evidence
          .toSorted((a, b) => Number(cited.has(b.id)) - Number(cited.has(a.id)))
          .map((shownEvidence) => renderEvidence(shownEvidence, formatText)),
      ),
    ),
    ...(report === null ? [] : [section('Report', `<pre>${formatText(report, 200_000)}</pre>`)]),
    section('What it did', budget.list('steps', renderTree(treeOf(log), start, knownIds, formatText), 'ul')),
    section('What the model said', budget.list('replies', renderReplies(log, formatText))),
  ];
  const omissions = budget.left();
  const note =
    omissions.length === 0
      ? ''
      : `<p role="note" class="left">Left out, so that the file stays small: ${escapeHtml(omissions.join(', '))}. The whole is in the store: sonde show, with --trace.</p>`;
  const title = `Run ${result?.run_id ?? ''}: ${result?.status ?? 'not finished'}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${cspHash(style)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(hide(title))}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(hide(title))}</h1>
${note}
${sections.join('\n')}
</main></body></html>
`;
}

const cspHash = (css: string): string => `sha256-${createHash('sha256').update(css).digest('base64')}`;

type FormatText = (value: string, max?: number) => string;

const section = (title: string, ...parts: readonly string[]): string =>
  `<section><h2>${title}</h2>${parts.join('')}</section>`;

/** Renders items of lists in order until `maxLength` is reached, and counts those that are left out. */
function openBudget(maxLength: number) {
  let used = 0;
  const omitted: string[] = [];
  return {
    list(noun: string, items: readonly string[], tag: 'div' | 'ol' | 'ul' = 'div'): string {
      if (items.length === 0) return '<p>None.</p>';
      let shownCount = 0;
      // Each list uses at most 60 % of the rest, which leaves space for the lists after it.
      const maxUsed = used + (maxLength - used) * 0.6;
      while (shownCount < items.length && used + items[shownCount]!.length < maxUsed) {
        used += items[shownCount]!.length;
        shownCount += 1;
      }
      if (shownCount < items.length) omitted.push(`${items.length - shownCount} of ${items.length} ${noun}`);
      return `<${tag}>${items.slice(0, shownCount).join('\n')}</${tag}>`;
    },
    left: (): readonly string[] => omitted,
  };
}

function renderFacts(log: readonly LoggedEvent[], text: FormatText): string {
  const { limits, spent, stop, started, updated, resumed, result } = runState(log);
  const used = resources
    .filter((name) => spent[name] > 0 || limits[name] !== undefined)
    .map((name) => `${name} ${spent[name]}${limits[name] === undefined ? '' : ` of ${limits[name]}`}`);
  const rows: readonly (readonly [string, string])[] = [
    ['began', started === null ? '' : new Date(started).toISOString()],
    ['last event', updated === null ? '' : new Date(updated).toISOString()],
    ['ended by', stop ?? 'not ended'],
    ['model', result?.model ?? ''],
    ['taken up again', String(resumed)],
    ['spent', used.join(', ')],
    ['notes', result?.coverage.notes.join(' ') ?? ''],
  ];
  return `<dl>${rows.flatMap(([name, value]) => (value === '' ? [] : [`<dt>${name}</dt><dd>${text(value)}</dd>`])).join('')}</dl>`;
}

/** Returns a link to the evidence of an id. Unknown ids, and those that are not plain words, become text. */
const linkTo = (id: string, knownIds: ReadonlySet<string>): string =>
  knownIds.has(id) && /^[\w.-]+$/.test(id) ? `<a href="#${id}">${id}</a>` : escapeHtml(id);

function renderClaim(
  { text: claimText, verdict, why, evidence, flags }: Claim,
  knownIds: ReadonlySet<string>,
  text: FormatText,
): string {
  const links = evidence.map((id) => linkTo(id, knownIds)).join(' ');
  const flagText = flags.length === 0 ? '' : ` <em>${escapeHtml(flags.join(', '))}</em>`;
  const reason = why === undefined ? '' : `<p>${text(why)}</p>`;
  return `<li><strong class="${verdict.replace(' ', '-')}">${verdict}</strong>${flagText} ${text(claimText)} ${links}${reason}</li>`;
}

function renderEvidence(shownEvidence: ShownEvidence, text: FormatText): string {
  const { id, file_path, start_line, end_line, content, reason, status } = shownEvidence;
  const anchor = /^[\w.-]+$/.test(id) ? ` id="${id}"` : '';
  const lines = content
    .split('\n')
    .map((line, n) => `${String(start_line + n).padStart(5)}  ${line}`)
    .join('\n');
  const statusText = status === null ? 'not cited' : `re-read: ${status}`;
  return `<article${anchor}><h3>${text(`${file_path}:${start_line}-${end_line}`)}</h3><p>${statusText}. ${text(reason, 300)}</p><pre>${text(lines)}</pre></article>`;
}

function renderTree(
  nodes: readonly TreeNode[],
  start: number,
  knownIds: ReadonlySet<string>,
  text: FormatText,
): readonly string[] {
  const depth = new Map<string, number>();
  return nodes.map(({ id, parent, kind, title, outcome, started, ended, note, evidence, spent }) => {
    const level = Math.min(8, parent === null ? 0 : (depth.get(parent) ?? 0) + 1);
    depth.set(id, level);
    const duration = ended === null ? 'not ended' : formatSeconds(ended - started);
    const cost = spent.tokens === undefined ? '' : `, ${spent.tokens} tokens`;
    const links = evidence.map((id) => linkTo(id, knownIds)).join(' ');
    return `<li class="d${level}"><span>+${formatSeconds(started - start)}</span> ${kind} <b>${text(shortLine(title, 200))}</b> ${escapeHtml(outcome ?? '')} (${duration}${cost}) ${text(shortLine(note, 300))} ${links}</li>`;
  });
}

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;

const renderReplies = (log: readonly LoggedEvent[], text: FormatText): readonly string[] =>
  buildTrace(log)
    .steps.flatMap(({ calls }) => calls)
    .map(
      ({ call, model, signature, cached, wall_ms, text: claimText, failure }) =>
        `<details><summary>${text(`${call} ${signature ?? ''} ${model ?? ''}`, 300)}, ${wall_ms ?? 0} ms, ${cached} tokens from the cache</summary><pre>${text(claimText ?? (failure === null ? 'No reply.' : `${failure.code}: ${failure.message}`))}</pre></details>`,
    );
