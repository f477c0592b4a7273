/** Tags that mark deploys, as changes: each brings the commits since the one before it. */
import type { Change } from '../../core/index.ts';

/**
 * For every tag: its name, the commit, when it was set (for a lightweight tag, when the commit was made), and by whom.
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

/** `deploy/42`, `prod-2026-07-11`, `live_3`. A tag of a version says nothing of what runs where. */
const deployName = /^(deploy(ed|ment|s)?|prod(uction)?|live|rollout)([/_-]|$)/i;

/** The tags that mark a deploy, oldest first. */
export function deployTagsOf(text: string): readonly DeployTag[] {
  return text
    .split('\n')
    .flatMap((line): readonly DeployTag[] => {
      const [name = '', own = '', behind = '', seconds = '', author = '', title = ''] = line.split('\u001f');
      const commit = behind === '' ? own : behind;
      if (!deployName.test(name) || !/^[0-9a-f]{40,64}$/.test(commit) || seconds === '') return [];
      return [{ name, commit, at: Number(seconds) * 1_000, author: author || null, title }];
    })
    .sort((a, b) => a.at - b.at);
}

export function deployOf({ name, commit, at, author, title }: DeployTag, brought: readonly string[]): Change {
  return {
    kind: 'deploy',
    id: name,
    at,
    service: null,
    author,
    title: `tag ${name}${title === '' ? '' : `: ${title}`}`,
    commits: [commit, ...brought.filter((one) => one !== commit)],
    paths: [],
    diff: null,
  };
}
