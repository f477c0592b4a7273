/** The facts of one text. Runs in the worker only. */
import type { Node } from 'web-tree-sitter';
import type { LanguageName } from '../syntax/languages.ts';
import type { OneBranch } from './branches.ts';
import { cppRules, cRules } from './c.ts';
import type { FileFacts } from './facts.ts';
import { go } from './go.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { script } from './script.ts';
import { bash, csharp, java, kotlin, php, ruby, scala } from './table-languages.ts';
import { type LanguageRules, Walker } from './walker.ts';

const languages: Readonly<Record<LanguageName, LanguageRules>> = {
  python,
  typescript: script,
  tsx: script,
  javascript: script,
  go,
  rust,
  c: cRules,
  cpp: cppRules,
  java,
  csharp,
  ruby,
  php,
  bash,
  kotlin,
  scala,
};

/** Throws `WalkEnded` where the time is over or the tree is too deep. */
export function extractFacts(
  root: Node,
  language: LanguageName,
  { text, dropped }: OneBranch,
  isOver: () => boolean,
): FileFacts {
  return new Walker(languages[language], language, text, isOver).walk(root, dropped);
}
