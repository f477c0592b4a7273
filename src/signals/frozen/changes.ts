/** Commits, deploys, flags and other changes of a frozen incident. */
import type { Change } from '../../core/index.ts';
import { type JsonObject, textOf, textsOf, timeOf } from './values.ts';

const idNames = ['sha', 'commit_sha', 'commit', 'hash', 'id', 'revision'];
const serviceNames = ['service', 'app', 'application', 'component', 'deployment', 'project'];
const authorNames = ['author', 'actor', 'user', 'committer', 'changed_by', 'by', 'deployed_by'];
const titleNames = ['message', 'title', 'subject', 'summary', 'description', 'note'];

export interface ChangeFile {
  readonly path: string;
  readonly items: readonly JsonObject[];
}

/** The kind of the changes in a file, from its name; null if the name does not say it. */
export function changeKind(path: string): Change['kind'] | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/commit|git[-_.]?log/.test(name)) return 'commit';
  if (/deploy|release|version/.test(name)) return 'deploy';
  if (/flag|toggle|experiment/.test(name)) return 'flag';
  // A file about replication of databases is not about rollouts.
  if (/rollout|scal(e|ing)|replica(?!tion)/.test(name)) return 'rollout';
  return /config|setting|change|migration|infra|terraform/.test(name) ? 'config' : null;
}

/** All changes, newest first. A commit's service is that of the deploy that brought it. */
export function changesOf(files: readonly ChangeFile[]): readonly Change[] {
  const all = files.flatMap(({ path, items }) => {
    const kind = changeKind(path) ?? 'config';
    return items.flatMap((item) => changeOf(kind, item) ?? []);
  });
  const serviceByCommit = new Map<string, string>();
  for (const { kind, commits, service } of all)
    if (kind !== 'commit' && service !== null)
      for (const commit of commits) serviceByCommit.set(commit, service);
  const serviceOfCommit = (id: string): string | null =>
    [...serviceByCommit].find(
      ([commit]) => commit.length >= 7 && (id.startsWith(commit) || commit.startsWith(id)),
    )?.[1] ?? null;
  return mergeDeploys(all)
    .map((change) =>
      change.kind === 'commit' && change.service === null
        ? { ...change, service: serviceOfCommit(change.id) }
        : change,
    )
    .sort((a, b) => b.at - a.at);
}

/** Merges the entries of a deploy that is listed once for each of its commits. */
function mergeDeploys(all: readonly Change[]): readonly Change[] {
  const deploys = new Map<string, Change>();
  const others: Change[] = [];
  for (const change of all) {
    if (change.kind !== 'deploy' && change.kind !== 'rollout') {
      others.push(change);
      continue;
    }
    const key = JSON.stringify([change.kind, change.id, change.service, change.at]);
    const earlier = deploys.get(key);
    const commits = [...new Set([...(earlier?.commits ?? []), ...change.commits])];
    deploys.set(key, { ...(earlier ?? change), commits });
  }
  return [...others, ...deploys.values()];
}

function changeOf(kind: Change['kind'], item: JsonObject): Change | null {
  const at = timeOf(item);
  if (at === null) return null;
  const service = textOf(item, serviceNames);
  const author = textOf(item, authorNames);
  const base = { kind, at, service, author };
  const paths = textsOf(item, ['files_changed', 'files', 'paths', 'changed_files', 'path', 'file']);
  const diff = textOf(item, ['diff', 'patch']);
  if (kind === 'commit') {
    const id = textOf(item, idNames);
    return id === null
      ? null
      : { ...base, id, title: textOf(item, titleNames) ?? id, commits: [id], paths, diff };
  }
  const newValue = textOf(item, ['change', 'value', 'new_value', 'state', 'to', 'status']);
  if (kind === 'flag') {
    const id = textOf(item, ['flag', 'key', 'name', 'toggle', 'id']) ?? 'flag';
    const from = textOf(item, ['old_value', 'from', 'previous']);
    const changeText = from === null || newValue === null ? newValue : `${from}->${newValue}`;
    return {
      ...base,
      id,
      title: `${id} ${changeText ?? ''}`.trim(),
      commits: [],
      paths,
      diff: diff ?? changeText,
    };
  }
  const listedCommits = textsOf(item, ['commit_shas', 'commits', 'shas']);
  const singleCommit = textOf(item, ['commit_sha', 'sha', 'commit', 'revision', 'git_sha']);
  const commits = listedCommits.length > 0 ? listedCommits : singleCommit === null ? [] : [singleCommit];
  const id =
    textOf(item, ['version', 'deploy_id', 'release', 'tag', 'id', 'name', 'key']) ?? commits[0] ?? kind;
  const title =
    textOf(item, titleNames) ?? [kind, service, id, newValue].filter((part) => part !== null).join(' ');
  return { ...base, id, title, commits, paths, diff: diff ?? (kind === 'config' ? newValue : null) };
}
