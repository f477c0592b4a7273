import { readFileSync } from 'node:fs';

/**
 * Prompts are Markdown files beside the modules that use them, read when the module is loaded: in `src` from
 * their place, in `dist` from where the build copies them. Pass `new URL('./prompts/x.md', import.meta.url)`.
 */
export function promptFile(url: URL): string {
  return readFileSync(url, 'utf8').trimEnd();
}

/** Fills `{{name}}`. What is filled in is not looked at again, so it may contain braces of its own. */
export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
