/** Rollouts, reconstructed from the replica sets that still exist. */
import type { Change } from '../../core/index.ts';
import { compareSettings } from '../edited-settings.ts';
import { findCommitIds, findImageCommits } from '../named-commits.ts';
import { releaseOf, releaseText } from './helm.ts';
import { imagesOf, type KubernetesObject } from './objects.ts';
import { settingsOf } from './template-lines.ts';

const revisionName = 'deployment.kubernetes.io/revision';
const causeName = 'kubernetes.io/change-cause';

/**
 * Each replica set is a revision of its deployment, and is compared with the revision before it. If a revision changed
 * settings besides images, these are listed as a second change.
 */
export function rolloutsOf(
  sets: readonly KubernetesObject[],
  wantedDeployment: string | undefined,
): readonly Change[] {
  const revisions = sets.flatMap((set) => {
    const owner = set.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment')?.name;
    const revision = Number(set.metadata.annotations?.[revisionName]);
    if (
      owner === undefined ||
      !Number.isInteger(revision) ||
      (wantedDeployment !== undefined && owner !== wantedDeployment)
    )
      return [];
    return [{ set, owner, revision, key: `${set.metadata.namespace ?? ''}/${owner}` }];
  });
  return revisions
    .flatMap(({ set, owner, revision, key }): readonly Change[] => {
      const previous = revisions
        .filter((one) => one.key === key && one.revision < revision)
        .sort((a, b) => b.revision - a.revision)[0];
      const images = imagesOf(set);
      const previousImages = previous === undefined ? [] : imagesOf(previous.set);
      const removedImages = previousImages.filter((image) => !images.includes(image));
      const addedImages = images.filter((image) => !previousImages.includes(image));
      const cause = set.metadata.annotations?.[causeName];
      const release = releaseText(releaseOf(set), previous === undefined ? null : releaseOf(previous.set));
      const settingsChange =
        previous === undefined ? null : compareSettings(settingsOf(previous.set), settingsOf(set));
      const summary = [
        addedImages.join(' ') ||
          (settingsChange === null ? 'the same images' : 'the same images, other settings'),
        ...(release === '' ? [] : [release]),
      ].join('; ');
      const base = {
        id: `${key}#${revision}`,
        at: Date.parse(set.metadata.creationTimestamp ?? ''),
        service: owner,
        author: null,
        paths: [],
      };
      const rollout: Change = {
        ...base,
        kind: 'rollout',
        title: `revision ${revision} of ${owner}: ${summary}${cause === undefined ? '' : ` (${cause})`}`,
        commits: [...new Set([...images.flatMap(findImageCommits), ...findCommitIds(cause ?? '')])],
        diff:
          previous === undefined
            ? null
            : [...removedImages.map((one) => `-${one}`), ...addedImages.map((one) => `+${one}`)].join('\n'),
      };
      if (settingsChange === null) return [rollout];
      const title = `revision ${revision} with ${settingsChange.summary}${release === '' ? '' : `; ${release}`}`;
      return [rollout, { ...base, kind: 'config', title, commits: [], diff: settingsChange.diff }];
    })
    .sort((a, b) => b.at - a.at);
}
