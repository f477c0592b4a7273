/**
 * Reads the two properties of a page's front matter that Sonde uses, tags and aliases, in the forms that Obsidian
 * accepts.
 */

function textsIn(value: unknown, separator: RegExp): readonly string[] {
  const parts = typeof value === 'string' ? value.split(separator) : Array.isArray(value) ? value : [];
  return parts
    .filter((part): part is string | number => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).trim())
    .filter((part) => part !== '');
}

export function tagsOfProperties(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const written = [properties['tags'], properties['tag']].flatMap((value) => textsIn(value, /[,\s]+/));
  return [...new Set(written.map((tag) => tag.replace(/^#/, '')).filter((tag) => tag !== ''))];
}

export function aliasesOf(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([properties['aliases'], properties['alias']].flatMap((value) => textsIn(value, /,/)))];
}

/** Letters, digits, `_`, `-`, `/` and signs beyond ASCII; not digits alone, as Obsidian has it. */
export function isTag(tag: string): boolean {
  return /^[\p{L}\p{N}\p{M}\p{S}_/-]+$/u.test(tag) && !/[#^`|~<>+=$]/.test(tag) && /[^\d/]/.test(tag);
}
