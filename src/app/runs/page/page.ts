/**
 * A run as a single HTML file to share: no scripts, no requests, no local paths. Text of the material is shown as plain
 * text.
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
  /** The report of the run, as Markdown that is shown unrendered; null: there is only the answer. */
  readonly report: string | null;
  /** The approximate maximum length of the file, in UTF-16 units. */
  readonly maxLength?: number;
}

/** About the maximum of an attachment in mail. */
const usualLength = 4_500_000;
/** Maximum length of one text. */
const maxText = 4_000;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** No text can become an element, an attribute, or a control sequence for the terminal of somebody who copies it. */
const escapeHtml = (text: string): string => toPlainText(text).replace(/[&<>"']/g, (sign) => entities[sign]!);

export function pageOf(
  log: readonly LoggedEvent[],
  { hide, report, maxLength = usualLength }: PageOptions,
): string {
  const text = (value: string, max = maxText): string => {
    const shown = hide(value);
    const cut =
      shown.length > max
        ? `${shown.slice(0, max).toWellFormed()}\n[… ${shown.length - max} more characters]`
        : shown;
    return escapeHtml(cut);
  };
  const state = runState(log);
  const evidence = listEvidence(log);
  const known = new Set(evidence.map(({ id }) => id));
  const { result } = state;
  const claims = state.claims ?? result?.claims ?? [];
  const room = roomOf(maxLength);
  const start = state.started ?? 0;
  // Included whatever else has to be left out: the answer, its claims, and their lines.
  const cited = new Set(
    claims.flatMap(({ evidence: ids }) => ids).concat(result?.citations.map(({ id }) => id) ?? []),
  );
  const sections = [
    `<p class="question">${text(state.question ?? 'Not logged.')}</p>`,
    section(
      'Answer',
      `<pre>${text(result?.answer ?? 'There is none yet.', 20_000)}</pre>`,
      factsOf(log, text),
    ),
    section(
      'Claims',
      room.list(
        'claims',
        claims.map((claim) => claimOf(claim, known, text)),
        'ol',
      ),
    ),
    section(
      'Lines that were read',
      room.list(
        'pieces of evidence',
        evidence
          .toSorted((a, b) => Number(cited.has(b.id)) - Number(cited.has(a.id)))
          .map((shownEvidence) => evidenceText(shownEvidence, text)),
      ),
    ),
    ...(report === null ? [] : [section('Report', `<pre>${text(report, 200_000)}</pre>`)]),
    section('What it did', room.list('steps', treeLines(treeOf(log), start, known, text), 'ul')),
    section('What the model said', room.list('replies', replies(log, text))),
  ];
  const left = room.left();
  const note =
    left.length === 0
      ? ''
      : `<p role="note" class="left">Left out, so that the file stays small: ${escapeHtml(left.join(', '))}. The whole is in the store: sonde show, with --trace.</p>`;
  const title = `Run ${result?.run_id ?? ''}: ${result?.status ?? 'not finished'}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${digest(style)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(hide(title))}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(hide(title))}</h1>
${note}
${sections.join('\n')}
</main></body></html>
`;
}

const digest = (css: string): string => `sha256-${createHash('sha256').update(css).digest('base64')}`;

type Text = (value: string, max?: number) => string;

const section = (title: string, ...parts: readonly string[]): string =>
  `<section><h2>${title}</h2>${parts.join('')}</section>`;

/** Takes parts in order until the file is long enough, and counts those that did not fit. */
function roomOf(maxLength: number) {
  let used = 0;
  const out: string[] = [];
  return {
    list(what: string, items: readonly string[], tag: 'div' | 'ol' | 'ul' = 'div'): string {
      if (items.length === 0) return '<p>None.</p>';
      let kept = 0;
      // Each part leaves room for those after it.
      const end = used + (maxLength - used) * 0.6;
      while (kept < items.length && used + items[kept]!.length < end) {
        used += items[kept]!.length;
        kept += 1;
      }
      if (kept < items.length) out.push(`${items.length - kept} of ${items.length} ${what}`);
      return `<${tag}>${items.slice(0, kept).join('\n')}</${tag}>`;
    },
    left: (): readonly string[] => out,
  };
}

function factsOf(log: readonly LoggedEvent[], text: Text): string {
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

/** Only ids of the form of this program become links. */
const linkTo = (id: string, known: ReadonlySet<string>): string =>
  known.has(id) && /^[\w.-]+$/.test(id) ? `<a href="#${id}">${id}</a>` : escapeHtml(id);

function claimOf(
  { text: said, verdict, why, evidence, flags }: Claim,
  known: ReadonlySet<string>,
  text: Text,
): string {
  const links = evidence.map((id) => linkTo(id, known)).join(' ');
  const marks = flags.length === 0 ? '' : ` <em>${escapeHtml(flags.join(', '))}</em>`;
  const reason = why === undefined ? '' : `<p>${text(why)}</p>`;
  return `<li><strong class="${verdict.replace(' ', '-')}">${verdict}</strong>${marks} ${text(said)} ${links}${reason}</li>`;
}

function evidenceText(shownEvidence: ShownEvidence, text: Text): string {
  const { id, file_path, start_line, end_line, content, reason, status } = shownEvidence;
  const anchor = /^[\w.-]+$/.test(id) ? ` id="${id}"` : '';
  const lines = content
    .split('\n')
    .map((line, n) => `${String(start_line + n).padStart(5)}  ${line}`)
    .join('\n');
  const found = status === null ? 'not cited' : `re-read: ${status}`;
  return `<article${anchor}><h3>${text(`${file_path}:${start_line}-${end_line}`)}</h3><p>${found}. ${text(reason, 300)}</p><pre>${text(lines)}</pre></article>`;
}

function treeLines(
  nodes: readonly TreeNode[],
  start: number,
  known: ReadonlySet<string>,
  text: Text,
): readonly string[] {
  const depth = new Map<string, number>();
  return nodes.map(({ id, parent, kind, title, outcome, started, ended, note, evidence, spent }) => {
    const deep = Math.min(8, parent === null ? 0 : (depth.get(parent) ?? 0) + 1);
    depth.set(id, deep);
    const took = ended === null ? 'not ended' : seconds(ended - started);
    const cost = spent.tokens === undefined ? '' : `, ${spent.tokens} tokens`;
    const links = evidence.map((one) => linkTo(one, known)).join(' ');
    return `<li class="d${deep}"><span>+${seconds(started - start)}</span> ${kind} <b>${text(shortLine(title, 200))}</b> ${escapeHtml(outcome ?? '')} (${took}${cost}) ${text(shortLine(note, 300))} ${links}</li>`;
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;

const replies = (log: readonly LoggedEvent[], text: Text): readonly string[] =>
  buildTrace(log)
    .steps.flatMap(({ calls }) => calls)
    .map(
      ({ call, model, signature, cached, wall_ms, text: said, failure }) =>
        `<details><summary>${text(`${call} ${signature ?? ''} ${model ?? ''}`, 300)}, ${wall_ms ?? 0} ms, ${cached} tokens from the cache</summary><pre>${text(said ?? (failure === null ? 'No reply.' : `${failure.code}: ${failure.message}`))}</pre></details>`,
    );
