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
 * A replica set is a revision of its deployment; what changed is told against the revision before. Where it changed
 * settings beside images, these are a change of their own.
 */
export function rolloutsOf(sets: readonly KubernetesObject[], wanted: string | undefined): readonly Change[] {
  const owned = sets.flatMap((set) => {
    const owner = set.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment')?.name;
    const revision = Number(set.metadata.annotations?.[revisionName]);
    if (owner === undefined || !Number.isInteger(revision) || (wanted !== undefined && owner !== wanted))
      return [];
    return [{ set, owner, revision, key: `${set.metadata.namespace ?? ''}/${owner}` }];
  });
  return owned
    .flatMap(({ set, owner, revision, key }): readonly Change[] => {
      const before = owned
        .filter((one) => one.key === key && one.revision < revision)
        .sort((a, b) => b.revision - a.revision)[0];
      const images = imagesOf(set);
      const old = before === undefined ? [] : imagesOf(before.set);
      const gone = old.filter((image) => !images.includes(image));
      const come = images.filter((image) => !old.includes(image));
      const cause = set.metadata.annotations?.[causeName];
      const release = releaseText(releaseOf(set), before === undefined ? null : releaseOf(before.set));
      const edited = before === undefined ? null : compareSettings(settingsOf(before.set), settingsOf(set));
      const said = [
        come.join(' ') || (edited === null ? 'the same images' : 'the same images, other settings'),
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
        title: `revision ${revision} of ${owner}: ${said}${cause === undefined ? '' : ` (${cause})`}`,
        commits: [...new Set([...images.flatMap(findImageCommits), ...findCommitIds(cause ?? '')])],
        diff:
          before === undefined
            ? null
            : [...gone.map((one) => `-${one}`), ...come.map((one) => `+${one}`)].join('\n'),
      };
      if (edited === null) return [rollout];
      const title = `revision ${revision} with ${edited.summary}${release === '' ? '' : `; ${release}`}`;
      return [rollout, { ...base, kind: 'config', title, commits: [], diff: edited.diff }];
    })
    .sort((a, b) => b.at - a.at);
}
