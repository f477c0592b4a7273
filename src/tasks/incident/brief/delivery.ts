/** Finds when a commit reached production: by a deploy that names it, or by one that includes it. */
import { isSameCommit } from '../../../core/incidents.ts';
import type { Change } from '../../../core/index.ts';
import type { Nature } from './edits/nature.ts';
import type { WithEvidence } from './facts.ts';
import { namesService, serviceStem } from './words.ts';

export interface CommitDelivery {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly service: string | null;
  /**
   * How a commit reached production. named: a deploy names the commit. dependency: a deploy names another commit, which
   * updates a module to a version with this commit. included: the first later deploy of the commit's service names a
   * later commit, which includes this one. assumed: deploys do not name commits, so the next deploy counts; without any
   * deploy, the time of the commit. undelivered: deploys are known, but none includes the commit.
   */
  readonly how: 'named' | 'dependency' | 'included' | 'assumed' | 'undelivered';
  readonly evidence: readonly string[];
}

const isDeploy = ({ kind }: Change): boolean => kind === 'deploy' || kind === 'rollout';

export function findDeliveries(
  commit: WithEvidence<Change>,
  changes: readonly WithEvidence<Change>[],
  natures: ReadonlyMap<string, Nature>,
  /** All named services: a path may name a service that was never deployed. */
  known: readonly string[] = [],
): readonly CommitDelivery[] {
  const deploys = changes.filter(isDeploy);
  const naming = deploys.filter(({ commits, id }) =>
    [...commits, id].some((named) => isSameCommit(named, commit.id)),
  );
  if (naming.length > 0)
    return naming
      .map(({ at, service, evidence }) => ({ at, service, how: 'named' as const, evidence: [evidence] }))
      .sort((a, b) => a.at - b.at);
  const dependencyUpdates = changes.filter(
    (other) =>
      other.kind === 'commit' &&
      other.id !== commit.id &&
      other.at >= commit.at &&
      (natures.get(other.id)?.modules ?? []).some((module) => hasModule(module, commit.paths)),
  );
  const brought = dependencyUpdates.flatMap((carrier) =>
    deploys
      .filter(({ commits }) => commits.some((commit) => isSameCommit(commit, carrier.id)))
      .map(({ at, service, evidence }) => ({
        at,
        service,
        how: 'dependency' as const,
        evidence: [carrier.evidence, evidence],
      })),
  );
  if (brought.length > 0) return brought.sort((a, b) => a.at - b.at);
  const service = findService(commit, changes, known);
  // A rollout names manifests and images, no commits: a commit that it does not list belongs to another repository.
  const namesNoCommit = ({ kind, commits }: Change): boolean =>
    commits.length === 0 ||
    (kind === 'rollout' &&
      !commits.some((id) => changes.some((other) => other.kind === 'commit' && isSameCommit(other.id, id))));
  // A deploy that names no commit contains all earlier commits of its service, or of all services.
  const unnamed = deploys
    .filter(
      (deploy) =>
        namesNoCommit(deploy) &&
        deploy.at >= commit.at &&
        (service === null || deploy.service === null || serviceStem(deploy.service) === serviceStem(service)),
    )
    .sort((a, b) => a.at - b.at);
  if (unnamed[0] !== undefined)
    return [
      { at: unnamed[0].at, service: unnamed[0].service, how: 'assumed', evidence: [unnamed[0].evidence] },
    ];
  const carrier = findIncludingDeploy(commit, service, deploys, changes);
  if (carrier !== undefined)
    return [{ at: carrier.at, service: carrier.service, how: 'included', evidence: [carrier.evidence] }];
  if (deploys.length === 0) return [{ at: commit.at, service, how: 'assumed', evidence: [] }];
  return [{ at: commit.at, service, how: 'undelivered', evidence: [] }];
}

/** A deploy names only its last commit, but delivers all commits before it as well. */
function findIncludingDeploy(
  commit: WithEvidence<Change>,
  service: string | null,
  deploys: readonly WithEvidence<Change>[],
  changes: readonly WithEvidence<Change>[],
): WithEvidence<Change> | undefined {
  const findCommitTime = (id: string): number | undefined =>
    changes.find((other) => other.kind === 'commit' && isSameCommit(other.id, id))?.at;
  return deploys
    .filter(
      (deploy) =>
        deploy.service !== null &&
        (service === null || serviceStem(deploy.service) === serviceStem(service)) &&
        deploy.at >= commit.at &&
        deploy.commits.some((id) => (findCommitTime(id) ?? -Infinity) >= commit.at),
    )
    .sort((a, b) => a.at - b.at)[0];
}

/** `github.com/company/pkg/schema` contains `pkg/schema/envelope.go`. */
function hasModule(module: string, paths: readonly string[]): boolean {
  const parts = module.split('/').filter((part) => part !== '');
  return paths.some((path) => {
    for (let keep = Math.min(3, parts.length); keep >= 1; keep -= 1) {
      const tail = parts.slice(-keep).join('/');
      if (tail.length > 3 && (path.startsWith(`${tail}/`) || path.includes(`/${tail}/`))) return true;
    }
    return false;
  });
}

function findService(
  { service, paths, title }: Change,
  changes: readonly Change[],
  known: readonly string[],
): string | null {
  if (service !== null) return service;
  const named = changes.flatMap((change) => (change.service === null ? [] : [change.service]));
  return (
    [...new Set([...named, ...known])].find(
      (name) => paths.some((path) => namesService(path, name)) || namesService(title, name),
    ) ?? null
  );
}
