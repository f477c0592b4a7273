/** Front matter: the properties before a page's text, between two lines of `---`. */
import type { Document } from 'yaml';
import type { FrontMatter } from './markdown.ts';
import { loadYaml } from './yaml-library.ts';

const opening = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r)/;
const closing = /(?:^|\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/g;
/** Maximum UTF-16 units of front matter. A longer text counts as text between two rules. */
const maxLength = 256 * 1024;

export const noFrontMatter: FrontMatter = Object.freeze({
  raw: '',
  properties: Object.freeze({}),
  problem: null,
});

/** The range of the YAML in front matter, and where the text continues after it; null if there is no front matter. */
export function findYaml(text: string): { start: number; end: number; after: number } | null {
  const start = opening.exec(text)?.[0].length;
  if (start === undefined) return null;
  closing.lastIndex = start;
  // The closing line may directly follow the opening one.
  const searchedText = text.slice(start, start + maxLength);
  closing.lastIndex = 0;
  const match = closing.exec(searchedText);
  if (match === null) return null;
  const lineEnd = /^(?:\r\n|\n|\r)/.exec(match[0])?.[0].length ?? 0;
  return { start, end: start + match.index + lineEnd, after: start + match.index + match[0].length };
}

/** The front matter at the beginning of a page's text. */
export function parseFrontMatter(text: string): FrontMatter {
  const range = findYaml(text);
  if (range === null) return noFrontMatter;
  const parsed = parseProperties(text.slice(range.start, range.end));
  // The text between the lines is no mapping, so the lines are rules.
  if (parsed === null) return noFrontMatter;
  return Object.freeze({ raw: text.slice(0, range.after), ...parsed });
}

type Properties = Pick<FrontMatter, 'properties' | 'problem'>;

const brokenProperties = (problem: string): Properties =>
  Object.freeze({ properties: Object.freeze({}), problem: problem.replace(/\s+/g, ' ').trim() });

function parseProperties(yaml: string): Properties | null {
  try {
    const document = loadYaml().parseDocument(yaml, { logLevel: 'silent', prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = yaml.slice(0, error.pos[0]).split(/\r\n|\n|\r/).length;
      return brokenProperties(`line ${line + 1}: ${error.message}`);
    }
    if (/[{?]/.test(yaml) && hasOddName(document))
      return brokenProperties('the name of a property is not a text');
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return { properties: Object.freeze({}), problem: null };
    if (typeof value !== 'object' || Array.isArray(value)) return null;
    return { properties: Object.freeze(value as Record<string, unknown>), problem: null };
  } catch (error) {
    // The YAML is nested too deeply, or has too many aliases. A page may contain anything.
    return brokenProperties(error instanceof Error ? error.message : String(error));
  }
}

/** Whether the name of a property is not a scalar, as in the YAML `{{title}}` of a template. */
function hasOddName(document: Document): boolean {
  const { isScalar, visit } = loadYaml();
  let isFound = false;
  visit(document, {
    Pair: (_key, { key }) => {
      isFound ||= !isScalar(key);
      return isFound ? visit.BREAK : undefined;
    },
  });
  return isFound;
}
