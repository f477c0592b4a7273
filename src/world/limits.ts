import { findPathProblem } from './names.ts';
import { isTag } from './write/properties.ts';
import { refuse } from './write/refusal.ts';

/** Maximum UTF-16 units of a page, and so of a block. */
export const maxTextLength = 4_000_000;

export function checkText(text: string, what: string): void {
  if (text.length <= maxTextLength) return;
  refuse(
    'too_large',
    `The text of ${what} has ${text.length} characters; a page may have ${maxTextLength}.`,
    'Split it into several pages.',
    { length: text.length, limit: maxTextLength },
  );
}

export function checkPath(path: string): void {
  const problem = findPathProblem(path);
  if (problem === null) return;
  refuse(
    'bad_path',
    `${JSON.stringify(path.slice(0, 200))} cannot be a path: ${problem}.`,
    'Give a path such as Projects/Plan.',
    {
      path,
    },
  );
}

/** Returns the tag without its `#`. Refuses a text that is not a tag. */
export function checkTag(tag: string): string {
  const name = tag.replace(/^#/, '').replace(/\/+$/, '');
  if (!isTag(name)) {
    refuse(
      'bad_value',
      `${JSON.stringify(tag.slice(0, 200))} cannot be a tag.`,
      'Give letters, digits, _, - and /, and not digits alone.',
      { tag },
    );
  }
  return name;
}

export function checkProperties(properties: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(properties)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
    if (name.trim() === '' || name.length > 200 || /[\u0000-\u001f]/.test(name)) {
      refuse(
        'bad_value',
        `${JSON.stringify(name.slice(0, 200))} cannot be the name of a property.`,
        'Give one line of at most 200 characters.',
        { property: name },
      );
    }
  }
}
