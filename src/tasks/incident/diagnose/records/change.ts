/** Reads a change from its document: its head, the commits it contains, and its diff. */
import type { ChangeRecord } from '../../../../gate/index.ts';

/** Releases may be called `build 41` or `portal 24.1.3`. */
const headForm = /^([a-z]+) (\S.*?) at (\d{4}-\d{2}-\d{2}T\S+?)(?: of (\S+?))?(?: by (.+?))?: (.*)$/;
const isHeader = (line: string): boolean => /^(\+\+\+|---) (a\/|b\/|\/dev\/null|")/.test(line);

/** Null if the text is no change. */
export function parseChange(content: string): ChangeRecord | null {
  const [head = '', ...rest] = content.split('\n');
  const match = headForm.exec(head);
  if (match === null) return null;
  const [, kind = '', id = '', at = '', service, , title = ''] = match;
  const readListUnder = (name: string): readonly string[] =>
    rest
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
      .split(' ') ?? [];
  const lines = rest.filter((line) => !/^(commits|paths): /.test(line));
  const pickLines = (mark: string): readonly string[] =>
    lines.filter((line) => line.startsWith(mark) && !isHeader(line)).map((line) => line.slice(1).trim());
  return {
    ...{ kind: 'change', of: kind, id, at, service: service ?? null, title },
    brings: readListUnder('commits'),
    paths: readListUnder('paths'),
    added: pickLines('+'),
    removed: pickLines('-'),
    lines,
  };
}
