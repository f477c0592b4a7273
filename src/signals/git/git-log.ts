/** Parses the output of `git log` into changes. Fields are separated by control characters that messages don't contain. */
import type { Change } from '../../core/index.ts';

/**
 * The output format of `git log`: 0x1e begins a commit, and 0x1f ends each field. Git removes these control characters
 * from names, and messages don't contain them.
 */
export const logFormat = '%x1e%H%x1f%ct%x1f%an%x1f%s%x1f%P%x1f';

/** Parses the output of `git log`: for each commit the fields of `logFormat`, then its patch. */
export function commitsOfLog(text: string): readonly Change[] {
  return text
    .split('\u001e')
    .slice(1)
    .flatMap((record): readonly Change[] => {
      const [id, seconds, author, title, , ...rest] = record.split('\u001f');
      const patch = rest.join('\u001f').replace(/^\n+/, '');
      if (id === undefined || !/^[0-9a-f]{40,64}$/.test(id)) return [];
      return [
        {
          kind: 'commit',
          id,
          at: Number(seconds) * 1_000,
          service: null,
          author: author ?? null,
          title: title ?? '',
          commits: [id],
          paths: pathsOfPatch(patch),
          diff: patch.trim() === '' ? null : patch.trimEnd(),
        },
      ];
    });
}

/** The paths that a patch touches, as they are after it, or before it for deleted files. */
export function pathsOfPatch(patch: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, before, after] of patch.matchAll(/^diff --git (?:"?a\/(.*?)"?) (?:"?b\/(.*?)"?)$/gm))
    paths.add(after ?? before ?? '');
  return [...paths];
}
