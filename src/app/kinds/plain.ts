/** A question by grep and reading alone: what other ways of looking are measured against. */
import type { Asked, SetQuestion } from '../runs/run-kind.ts';
import type { AskRequest } from './research.ts';

export function plainly({ question = '', folder, scope }: SetQuestion): {
  readonly shape: string;
  readonly request: Asked;
} {
  const request: AskRequest = { question, root: folder, scope, brought: { plain: true } };
  return { shape: 'research', request };
}

export const scopeArgs = ({ scope }: SetQuestion): readonly string[] =>
  scope === undefined ? [] : ['--scope', scope];
