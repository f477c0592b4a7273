/** A change as the documents show it: its head, what it brings, and its diff. */
import { type Diff, diffOf } from '../../brief/diff.ts';

export interface ChangeRecord {
  readonly text: string;
  readonly kind: string;
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly service: string | null;
  readonly title: string;
  /** Ids of the commits that it brings. */
  readonly commits: readonly string[];
  readonly paths: readonly string[];
  /** As it stands there, without head, commits and paths. */
  readonly lines: readonly string[];
  readonly diff: Diff;
}

const first = /^([a-z]+) (\S+) at (\d{4}-\d{2}-\d{2}T\S+?)(?: of (\S+?))?(?: by (.+?))?: (.*)$/;

/** Null where the text is no change. */
export function changeIn(content: string): ChangeRecord | null {
  const [head = '', ...rest] = content.split('\n');
  const match = first.exec(head);
  if (match === null) return null;
  const [, kind = '', id = '', at = '', service, , title = ''] = match;
  const under = (name: string): readonly string[] =>
    rest
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
      .split(' ') ?? [];
  const lines = rest.filter((line) => !/^(commits|paths): /.test(line));
  return {
    text: content,
    kind,
    id,
    at,
    service: service ?? null,
    title,
    commits: under('commits'),
    paths: under('paths'),
    lines,
    diff: diffOf(lines.join('\n')),
  };
}

export const isDelivery = ({ kind }: ChangeRecord): boolean =>
  kind === 'deploy' || kind === 'rollout' || kind === 'release';
