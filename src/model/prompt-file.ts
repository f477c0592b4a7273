import { readFileSync } from 'node:fs';

/**
 * Reads a prompt: a Markdown file beside the module that uses it, which the build copies to `dist`. Pass `new
 * URL('./prompts/x.md', import.meta.url)`.
 */
export function promptFile(url: URL): string {
  return readFileSync(url, 'utf8').trimEnd();
}

/** Fills `{{name}}`. Values are not searched again, so they may contain braces. */
export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
