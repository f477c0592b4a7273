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
  knownServices: readonly string[] = [],
): readonly CommitDelivery[] {
  const deploys = changes.filter(isDeploy);
  const namingDeploys = deploys.filter(({ commits, id }) =>
    [...commits, id].some((named) => isSameCommit(named, commit.id)),
  );
  if (namingDeploys.length > 0)
    return namingDeploys
      .map(({ at, service, evidence }) => ({ at, service, how: 'named' as const, evidence: [evidence] }))
      .sort((a, b) => a.at - b.at);
  const dependencyUpdates = changes.filter(
    (other) =>
      other.kind === 'commit' &&
      other.id !== commit.id &&
      other.at >= commit.at &&
      (natures.get(other.id)?.modules ?? []).some((module) => hasModule(module, commit.paths)),
  );
  const dependencyDeliveries = dependencyUpdates.flatMap((carrier) =>
    deploys
      .filter(({ commits }) => commits.some((commit) => isSameCommit(commit, carrier.id)))
      .map(({ at, service, evidence }) => ({
        at,
        service,
        how: 'dependency' as const,
        evidence: [carrier.evidence, evidence],
      })),
  );
  if (dependencyDeliveries.length > 0) return dependencyDeliveries.sort((a, b) => a.at - b.at);
  const service = findService(commit, changes, knownServices);
  // A rollout names manifests and images, no commits: a commit that it does not list belongs to another repository.
  const namesNoCommit = ({ kind, commits }: Change): boolean =>
    commits.length === 0 ||
    (kind === 'rollout' &&
      !commits.some((id) => changes.some((other) => other.kind === 'commit' && isSameCommit(other.id, id))));
  // A deploy that names no commit contains all earlier commits of its service, or of all services.
  const namelessDeploys = deploys
    .filter(
      (deploy) =>
        namesNoCommit(deploy) &&
        deploy.at >= commit.at &&
        (service === null || deploy.service === null || serviceStem(deploy.service) === serviceStem(service)),
    )
    .sort((a, b) => a.at - b.at);
  if (namelessDeploys[0] !== undefined)
    return [
      {
        at: namelessDeploys[0].at,
        service: namelessDeploys[0].service,
        how: 'assumed',
        evidence: [namelessDeploys[0].evidence],
      },
    ];
  const includingDeploy = findIncludingDeploy(commit, service, deploys, changes);
  if (includingDeploy !== undefined)
    return [
      {
        at: includingDeploy.at,
        service: includingDeploy.service,
        how: 'included',
        evidence: [includingDeploy.evidence],
      },
    ];
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
  knownServices: readonly string[],
): string | null {
  if (service !== null) return service;
  const namedServices = changes.flatMap((change) => (change.service === null ? [] : [change.service]));
  return (
    [...new Set([...namedServices, ...knownServices])].find(
      (name) => paths.some((path) => namesService(path, name)) || namesService(title, name),
    ) ?? null
  );
}
