/** Finds runbooks that fit an alert, by the labels that they name and the words of their titles. */
import type { Alert } from '../alert/alert.ts';
import { distinctiveWords } from '../brief/words.ts';

/** A page of Markdown, as written. */
export interface Runbook {
  /** Relative to its folder. */
  readonly path: string;
  readonly text: string;
}

/** Maximum runbooks for one alert, and maximum characters of each. */
const maxOffered = 3;
const maxText = 4_000;

/** A matching label counts as much as this many words. A single matching word may be chance. */
const wordsPerLabel = 3;
const minScore = 2;

interface Fit {
  readonly page: Runbook;
  readonly score: number;
}

/** The best first; runbooks with a label that contradicts the alert are left out. */
export function findRunbooks(pages: readonly Runbook[], alert: Alert): readonly Runbook[] {
  const alertWords = new Set(
    distinctiveWords([alert.name, alert.service, alert.metric, alert.summary, alert.error].join(' ')),
  );
  return pages
    .flatMap((page): readonly Fit[] => {
      const labels = parseProperties(page.text);
      const has = labels.map(([name, value]) => matchesLabel(alert, name, value));
      if (has.includes(false)) return [];
      const words = new Set(
        distinctiveWords(`${page.path.replace(/\.md$/i, '')} ${joinHeadings(page.text)}`),
      );
      const score =
        wordsPerLabel * has.filter((matches) => matches === true).length +
        [...words].filter((word) => alertWords.has(word)).length;
      return score >= minScore ? [{ page, score }] : [];
    })
    .toSorted((a, b) => b.score - a.score || (a.page.path < b.page.path ? -1 : 1))
    .slice(0, maxOffered)
    .map(({ page: { path, text } }) => ({
      path,
      text: text.length > maxText ? `${text.slice(0, maxText)}\n[the rest is left out]` : text,
    }));
}

/** Properties such as `alertname: DiskFull` between two `---` at the beginning of a page. */
function parseProperties(text: string): readonly (readonly [name: string, value: string])[] {
  const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  return head.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([\w.-]+):\s*["']?([^"'\n]+?)["']?\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
}

/** Null if the alert has no such label: the property then says something about the page, such as its author. */
function matchesLabel(alert: Alert, name: string, value: string): boolean | null {
  const alertValue =
    name === 'alert' || name === 'alertname'
      ? alert.name
      : name === 'service'
        ? alert.service
        : alert.labels[name];
  return alertValue === undefined || alertValue === null
    ? null
    : alertValue.toLowerCase() === value.toLowerCase();
}

const joinHeadings = (text: string): string => (text.match(/^#{1,3} .*$/gm) ?? []).join(' ');

/** The title: the first heading, else the path. */
export const titleOf = ({ path, text }: Runbook): string => /^#{1,3} +(.+)$/m.exec(text)?.[1]?.trim() ?? path;
