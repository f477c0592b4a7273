/** What was rolled out, told from the replica sets that are left of it. */
import type { Change } from '../../core/index.ts';
import { imagesOf, type KubernetesObject } from './objects.ts';

const revisionName = 'deployment.kubernetes.io/revision';
const causeName = 'kubernetes.io/change-cause';

/** A replica set is a revision of its deployment; what changed is told against the revision before. */
export function rolloutsOf(sets: readonly KubernetesObject[], wanted: string | undefined): readonly Change[] {
  const owned = sets.flatMap((set) => {
    const owner = set.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment')?.name;
    const revision = Number(set.metadata.annotations?.[revisionName]);
    if (owner === undefined || !Number.isInteger(revision) || (wanted !== undefined && owner !== wanted))
      return [];
    return [{ set, owner, revision, key: `${set.metadata.namespace ?? ''}/${owner}` }];
  });
  return owned
    .map(({ set, owner, revision, key }): Change => {
      const before = owned
        .filter((one) => one.key === key && one.revision < revision)
        .sort((a, b) => b.revision - a.revision)[0];
      const images = imagesOf(set);
      const old = before === undefined ? [] : imagesOf(before.set);
      const gone = old.filter((image) => !images.includes(image));
      const come = images.filter((image) => !old.includes(image));
      const cause = set.metadata.annotations?.[causeName];
      return {
        kind: 'rollout',
        id: `${key}#${revision}`,
        at: Date.parse(set.metadata.creationTimestamp ?? ''),
        service: owner,
        author: null,
        title: `revision ${revision} of ${owner}: ${come.join(' ') || 'the same images'}${cause === undefined ? '' : ` (${cause})`}`,
        commits: [],
        paths: [],
        diff:
          before === undefined
            ? null
            : [...gone.map((one) => `-${one}`), ...come.map((one) => `+${one}`)].join('\n'),
      };
    })
    .sort((a, b) => b.at - a.at);
}
