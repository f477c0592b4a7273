/** The investigation without a model: one fixed program, and how it gets the question. */
import { readFileSync } from 'node:fs';
import type { RunContext, TreeNode } from './run-context.ts';

const source = readFileSync(new URL('./guest/extractive.py', import.meta.url), 'utf8');

/** A program with the question as its first line: JSON text is Python text. */
export function program({ prompt }: TreeNode, _crew: RunContext): string {
  return `QUESTION = ${JSON.stringify(prompt)}\n${source}`;
}
