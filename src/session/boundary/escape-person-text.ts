/**
 * Escapes the person's words for a planner. They are orders, so they are not quoted. But they may be pasted, or come
 * from a program: text that looks like another part of the prompt (a block, a turn of a chat template, the head of
 * another section) is escaped.
 */
import { escapeLookAlikes } from '../../core/index.ts';

/** Heads of the sections of a page: of the person, of the planner, of a summary, of a tool's result with its call. */
const sectionHead =
  /^[^\S\n]*#(?=#[^\S\n]+(?:the person\b|you[^\S\n]*$|earlier[^\S\n]*$|[\w-]+[^\S\n]+\([^()\n]*\)[^\S\n]*$))/gimu;

/** All other characters are unchanged. */
export function escapePersonText(text: string): string {
  return escapeLookAlikes(text).replace(sectionHead, (head) => `${head.slice(0, -1)}\\u{23}`);
}
