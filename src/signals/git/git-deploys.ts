/** Reads the tags that mark deploys as changes. A deploy contains the commits since the previous deploy tag. */
import type { Change } from '../../core/index.ts';

/**
 * The fields of a tag: its name, its object, the commit that an annotated tag points to, when it was set (for a
 * lightweight tag, when the commit was made), by whom, and the first line of its message.
 */
export const tagFormat =
  '%(refname:short)%1f%(objectname)%1f%(*objectname)%1f%(creatordate:unix)%1f%(taggername)%1f%(contents:subject)';

export interface DeployTag {
  readonly name: string;
  readonly commit: string;
  readonly at: number;
  readonly author: string | null;
  readonly title: string;
}

/** Names such as `deploy/42`, `prod-2026-07-11` and `live_3`. A version tag such as `v1.2` doesn't mark a deploy. */
const deployName = /^(deploy(ed|ment|s)?|prod(uction)?|live|rollout)([/_-]|$)/i;

/** The tags that mark a deploy, oldest first. */
export function deployTagsOf(text: string): readonly DeployTag[] {
  return text
    .split('\n')
    .flatMap((line): readonly DeployTag[] => {
      const [name = '', objectId = '', taggedCommit = '', seconds = '', author = '', title = ''] =
        line.split('\u001f');
      const commit = taggedCommit === '' ? objectId : taggedCommit;
      if (!deployName.test(name) || !/^[0-9a-f]{40,64}$/.test(commit) || seconds === '') return [];
      return [{ name, commit, at: Number(seconds) * 1_000, author: author || null, title }];
    })
    .sort((a, b) => a.at - b.at);
}

export function deployOf(
  { name, commit, at, author, title }: DeployTag,
  deployedCommits: readonly string[],
): Change {
  return {
    kind: 'deploy',
    id: name,
    at,
    service: null,
    author,
    title: `tag ${name}${title === '' ? '' : `: ${title}`}`,
    commits: [commit, ...deployedCommits.filter((hash) => hash !== commit)],
    paths: [],
    diff: null,
  };
}
