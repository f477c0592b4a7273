/** The links between the cause and the alert, as data for programs. */
import type { IncidentBlame, IncidentClaim, IncidentLink } from '../../../core/index.ts';
import type { Judgement } from './judge.ts';
import { classifyMetric } from './movement.ts';

const maxLinks = 5;

export function listLinksOfCause(
  { blamed, stateCauses, states, cause, subject, outside }: Judgement,
  id: string | null,
): readonly IncidentLink[] {
  if (id === null) return [];
  const change = blamed.find((suspectChange) => suspectChange.id === id);
  if (change !== undefined)
    return change.ties
      .slice(0, maxLinks)
      .map(({ kind, from, to, evidence }) => ({ kind, from, to, evidence }));
  const alertedName = [...subject.names][0] ?? 'what is alerted';
  const state =
    cause?.kind === 'state' && cause.of.object === id
      ? cause.of
      : stateCauses.find(({ object }) => object === id);
  const reportedStates =
    state?.states ?? states.filter(({ object, condition }) => object === id && condition.role !== 'good');
  if (reportedStates.length > 0)
    return reportedStates.slice(0, maxLinks).map(({ object, quote, evidence }) => ({
      kind: 'state' as const,
      from: `${object}: ${quote}`,
      to: alertedName,
      evidence: [evidence],
    }));
  const outsideCause = outside.find((outside) => outside.id === id);
  return outsideCause === undefined
    ? []
    : [{ kind: 'edge', from: outsideCause.id, to: alertedName, evidence: outsideCause.evidence }];
}

/**
 * The links for a culprit that only the model blames: supported claims that cite the record of the change, or name the
 * culprit, and connect it to the services that the alert depends on. Claims that something stayed the same do not
 * count.
 */
export function listLinksOfClaims(
  blame: IncidentBlame | null,
  shown: readonly IncidentClaim[],
  { subject, blamed, reach }: Judgement,
): readonly IncidentLink[] {
  if (blame === null) return [];
  const alertedName = [...subject.names][0] ?? 'what is alerted';
  const changeEvidence = new Set(blamed.find(({ id }) => id === blame.id)?.evidence ?? []);
  const isNear = (name: string | null): boolean => name !== null && reach.of(name) > 0;
  const isChange = blame.kind === 'commit' || blame.kind === 'config' || blame.kind === 'flag';
  const isPlaceNear = isChange
    ? blame.service === null || isNear(blame.service)
    : isWithinReach(blame, isNear);
  const tyingClaims = shown.filter(
    (claim) =>
      claim.fields?.verb !== 'stayed' &&
      (claim.evidence.some((id) => changeEvidence.has(id)) ||
        (blame.kind === 'traffic' && saysDemandRose(claim)) ||
        namesThing(claim.text, blame.id)) &&
      (isPlaceNear ||
        isNear(claim.fields?.actor ?? null) ||
        [...reach.names].some((name) => namesThing(claim.text, name))),
  );
  return tyingClaims.slice(0, maxLinks).map(({ text, evidence }) => ({
    kind: linkKinds[blame.kind],
    from: `${blame.id}: ${text}`,
    to: alertedName,
    evidence,
  }));
}

const isWithinReach = ({ id, service }: IncidentBlame, isNear: (name: string | null) => boolean): boolean =>
  isNear(service) || isNear(id) || splitNames(id).some(isNear);

/** Whether the claim says that demand rose. */
const saysDemandRose = ({ fields }: IncidentClaim): boolean =>
  fields?.verb === 'rose' && classifyMetric(fields.series ?? '') === 'demand';

/** Words for kinds of things, which do not identify a single thing. */
const kindsOfThings = new Set(
  (
    'the and its own our their this that from with for node nodes pod pods container database primary replica server service ' +
    'servers services host disk volume memory cpu certificate queue cluster instance cache provider upstream traffic demand ' +
    'load users requests limit quota pool connection connections api external outage storage network system broker proxy'
  ).split(' '),
);

/** The words of a description that can name one thing: `the Redis (cache)` is `redis`, `Pod/api-7f` is `api-7f`. */
const splitNames = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9_.-]+/)
    .map((word) => word.replace(/^[.-]+|[.-]+$/g, ''))
    .filter((word) => word.length > 2 && !kindsOfThings.has(word));

/**
 * Whether a text names the thing by one of its names, as whole words. `redis:6379`, `redis.internal` and
 * `redis_used_bytes` name `redis`; `redis-exporter` does not.
 */
export function namesThing(text: string, thing: string): boolean {
  const words = new Set(splitNames(text).flatMap((word) => [word, ...word.split('_'), word.split('.')[0]!]));
  return splitNames(thing).some((name) => words.has(name));
}

const linkKinds = {
  commit: 'identifier',
  config: 'setting',
  flag: 'flag',
  object: 'state',
  capacity: 'state',
  upstream: 'edge',
  traffic: 'edge',
} as const;
