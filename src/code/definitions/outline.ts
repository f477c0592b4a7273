/**
 * The nested definitions of a file: from its syntax, or from single lines if there is no grammar for its language.
 */
import type { Outline, OutlineItem, TextReader } from '../../core/index.ts';
import { Deadline } from '../deadline.ts';
import type { FileFacts } from '../facts/facts.ts';
import type { SyntaxReader } from '../syntax/reader.ts';
import { findDefinitionEnd } from './definition-end.ts';
import { languageOf } from './definition-forms.ts';

/** Milliseconds to wait for the parser; after that, definitions are recognised from single lines. */
const waitMs = 2_000;

type Unreadable = { readonly kind: 'unreadable'; readonly message: string };

export async function readOutline(
  reader: TextReader,
  syntax: SyntaxReader,
  path: string,
  signal?: AbortSignal,
): Promise<Outline | Unreadable> {
  const file = await reader.readText(path);
  if (file.kind !== 'text') return { kind: 'unreadable', message: file.message };
  const { lines } = file;
  const deadline = new Deadline(waitMs);
  const read = await syntax.read(path, lines.join('\n'), signal, () => deadline.left);
  const head = { kind: 'outline' as const, path, lines: lines.length };
  if (read.kind === 'none')
    return {
      ...head,
      items: listByForm(path, lines),
      completeness: 'unknown',
      why: [`found by the form of lines, since ${read.reason}`],
    };
  const { errors } = read.facts;
  const [first] = errors;
  return {
    ...head,
    items: nestDefinitions(read.facts),
    completeness: first === undefined ? 'complete' : 'partial',
    why:
      first === undefined
        ? []
        : [
            `the syntax could not be read from line ${first} on${errors.length > 1 ? ` and in ${errors.length - 1} more places` : ''}`,
          ],
  };
}

/** Definitions within functions are not part of the outline. */
function nestDefinitions({ definitions }: FileFacts): readonly OutlineItem[] {
  const children = Map.groupBy(definitions.entries(), ([, { parent }]) => parent);
  const listChildren = (parent: number): readonly OutlineItem[] =>
    (children.get(parent) ?? [])
      .filter(([, one]) => !one.flags.includes('local') || one.kind === 'class' || one.kind === 'method')
      .map(([index, { name, kind, start, end, signature }]) => ({
        name,
        kind,
        start,
        end,
        signature,
        children: listChildren(index),
      }));
  return listChildren(-1);
}

function listByForm(path: string, lines: readonly string[]): readonly OutlineItem[] {
  const language = languageOf(path);
  if (language === null) return [];
  const forms = language.forms.map(({ kind, pattern }) => ({
    kind,
    pattern: new RegExp(pattern.replace('NAME', '(?<name>[\\w$]+[?!]?)'), 'u'),
  }));
  return lines.flatMap((line, at) => {
    if (line.length > 500) return [];
    for (const { kind, pattern } of forms) {
      const name = pattern.exec(line)?.groups?.['name'];
      if (name !== undefined)
        return [
          {
            name: kind === 'heading' ? line.replace(/^[#=\s]+|[#=\s]+$/g, '').slice(0, 200) : name,
            kind,
            start: at + 1,
            end: findDefinitionEnd(lines, at + 1, language.closing),
            signature: line.trim().slice(0, 200),
            children: [],
          },
        ];
    }
    return [];
  });
}
