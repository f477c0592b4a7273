/** Reads tags and aliases from the properties of a page, in all forms that Obsidian accepts. */

function readTexts(value: unknown, separator: RegExp): readonly string[] {
  const parts = typeof value === 'string' ? value.split(separator) : Array.isArray(value) ? value : [];
  return parts
    .filter((part): part is string | number => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).trim())
    .filter((part) => part !== '');
}

export function readTags(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const tagTexts = [properties['tags'], properties['tag']].flatMap((value) => readTexts(value, /[,\s]+/));
  return [...new Set(tagTexts.map((tag) => tag.replace(/^#/, '')).filter((tag) => tag !== ''))];
}

export function readAliases(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([properties['aliases'], properties['alias']].flatMap((value) => readTexts(value, /,/)))];
}

/**
 * Whether a text is a valid tag, by Obsidian's rules: letters, digits, `_`, `-`, `/` and non-ASCII symbols, not only
 * digits.
 */
export function isTag(tag: string): boolean {
  return /^[\p{L}\p{N}\p{M}\p{S}_/-]+$/u.test(tag) && !/[#^`|~<>+=$]/.test(tag) && /[^\d/]/.test(tag);
}
