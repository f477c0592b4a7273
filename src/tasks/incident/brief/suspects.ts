/** Ranks commits, flags and settings by how likely each is the cause, with reasons. */
import type { Change, Suspect } from '../../../core/index.ts';
import { type CommitDelivery, findDeliveries } from './delivery.ts';
import { classifyChange, type Nature } from './edits/nature.ts';
import { type Facts, serviceOf, type WithEvidence } from './facts.ts';
import type { Movement } from './movement.ts';
import type { CallGraph } from './outside/call-graph.ts';
import { pageWords } from './page-words.ts';
import type { Reach } from './reach/reach.ts';
import type { StateSeen } from './state/condition.ts';
import { joinOrdinaryTexts, type Symptom } from './symptoms.ts';
import type { Tie, TieContext, TiedChange } from './ties/tie.ts';
import { combineStrengths, findTies } from './ties/ties.ts';
import { computeRarity, serviceStem } from './words.ts';

export interface SuspectChange extends Suspect {
  readonly kind: 'commit' | 'flag' | 'config';
  readonly title: string;
  readonly paths: readonly string[];
  /** When the change took effect, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly how: CommitDelivery['how'];
  readonly service: string | null;
  readonly diffRead: boolean;
  /** Whether it took effect no later than the onset. */
  readonly before: boolean;
  readonly mechanism: string | null;
  /** A name for the kind of cause, in one or two words. */
  readonly category: string | null;
  /** Its connections with the alert, the strongest first. */
  readonly ties: readonly Tie[];
  /** 0 to 1: the strength of all ties together. */
  readonly tieStrength: number;
}

export interface SuspectContext {
  readonly facts: Facts;
  readonly movements: readonly Movement[];
  readonly symptoms: readonly Symptom[];
  readonly graph: CallGraph;
  /** The time of the first abnormal observation, or of the alert. */
  readonly onset: number;
  /** The names of the alert's subject. */
  readonly names: ReadonlySet<string>;
  readonly states: readonly StateSeen[];
  readonly reach: Reach;
  readonly serverOf: TieContext['serverOf'];
  readonly far: TieContext['far'];
}

/** Tolerance in milliseconds: clocks differ, metrics are sampled, and a deploy is recorded when it is complete. */
const slackMs = 90_000;
const minute = 60_000;

/** A flag takes effect at once: if the symptom is a sudden step, a flag that was switched long before is unrelated. */
const flagFades = { step: 12 * minute, other: 90 * minute } as const;

/** A factor for the time between a change and the onset: an old change is seldom the cause, but some damage is slow. */
function rateNearness(delivered: number, onset: number, fadeMs = 90 * minute): number {
  const gap = onset - delivered;
  if (gap < -slackMs) return 0.03;
  return (gap <= promptMs ? 1 : 0.6) * (0.35 + 0.65 * Math.exp(-Math.max(0, gap) / fadeMs));
}

/** Most harmful changes show their effect within the first requests. Milliseconds. */
const promptMs = 5 * minute;

/**
 * When memory or another resource of the changed service began to grow steadily, right after the change: a leak is
 * noticed only when the resource is used up.
 */
function findBuildUpAfter({ at, service }: CommitDelivery, { movements }: SuspectContext): number | null {
  const growth = movements.find(
    (movement) =>
      service !== null &&
      movement.service !== null &&
      serviceStem(movement.service) === serviceStem(service) &&
      (movement.kind === 'saturation' || movement.kind === 'work') &&
      movement.direction === 'up' &&
      movement.shape === 'ramp' &&
      movement.ended === null &&
      movement.factor >= 2 &&
      movement.onset >= at - slackMs &&
      movement.onset <= at + promptMs,
  );
  return growth?.onset ?? null;
}

const deliveryFactors: Readonly<Record<CommitDelivery['how'], number>> = {
  named: 1,
  dependency: 0.95,
  included: 0.75,
  assumed: 0.9,
  undelivered: 0.3,
};

export function rankSuspects(scene: SuspectContext): readonly SuspectChange[] {
  const { facts, onset } = scene;
  const commits = facts.changes.filter(({ kind }) => kind === 'commit');
  const natures = new Map<string, Nature>(commits.map((commit) => [commit.id, classifyChange(commit)]));
  const rarity = computeRarity(commits);
  const ordinary = joinOrdinaryTexts(facts, onset);
  const services = facts.series.flatMap((item) => serviceOf(item) ?? []);
  const context = createTieContext(scene, rarity, ordinary);
  const commitSuspects = commits.map((commit): SuspectChange => {
    const nature = natures.get(commit.id)!;
    const deliveries = findDeliveries(commit, facts.changes, natures, services);
    // The last delivery before the onset, since earlier ones did no harm.
    const delivered = deliveries.filter(({ at }) => at <= onset + slackMs).at(-1) ?? deliveries[0]!;
    const tieResult = findCombinedTies(
      {
        change: commit,
        nature,
        at: delivered.at,
        service: delivered.service,
        isIncluded: delivered.how === 'included',
      },
      context,
    );
    const mechanism = nature.mechanisms[0];
    return {
      kind: 'commit',
      id: commit.id,
      title: commit.title,
      paths: commit.paths,
      score: round(
        // Changes without any connection keep their order, far below connected ones.
        Math.max(tieResult.tieStrength, 0.2 * nature.risk) *
          rateNearness(delivered.at, Math.min(onset, findBuildUpAfter(delivered, scene) ?? onset)) *
          deliveryFactors[delivered.how] *
          ratePlace(delivered.service, tieResult, scene),
      ),
      at: delivered.at,
      how: delivered.how,
      service: delivered.service,
      diffRead: commit.diff !== null,
      before: delivered.at <= onset + slackMs,
      mechanism: mechanism?.description ?? null,
      category: mechanism?.name ?? null,
      ...tieResult,
      evidence: [
        ...new Set([
          commit.evidence,
          ...delivered.evidence,
          ...tieResult.ties.slice(0, 2).flatMap(({ evidence }) => evidence),
        ]),
      ],
      why: formatReasons(nature, delivered, onset, tieResult.ties),
    };
  });
  const rankedCommits = lowerDependencyUpdates(commitSuspects, natures, facts);
  const flags = facts.changes.filter(({ kind }) => kind === 'flag' || kind === 'config');
  const fadeMs = scene.movements[0]?.shape === 'step' ? flagFades.step : flagFades.other;
  const flagSuspects = flags.map((flag): SuspectChange => {
    const nature = hasReadSettings(flag) ? classifyChange(flag) : flagNature;
    const flagTies = findCombinedTies({ change: flag, nature, at: flag.at, service: flag.service }, context);
    const tieResult = combineTies([...flagTies.ties, ...findTiesOfFlagCode(flag, commits, natures, context)]);
    return {
      kind: flag.kind === 'flag' ? 'flag' : 'config',
      id: flag.id,
      title: flag.title,
      paths: flag.paths,
      score: round(
        tieResult.tieStrength *
          rateNearness(flag.at, onset, fadeMs) *
          ratePlace(flag.service, tieResult, scene),
      ),
      at: flag.at,
      how: 'named',
      service: flag.service,
      diffRead: true,
      before: flag.at <= onset + slackMs,
      mechanism: null,
      category: null,
      ...tieResult,
      evidence: [flag.evidence],
      why: `${flag.title || 'changed'}${flag.service === null ? '' : ` on ${flag.service}`}, ${formatTimeToOnset(onset - flag.at)}; ${formatTie(tieResult.ties)}`,
    };
  });
  return [...rankedCommits, ...flagSuspects].sort((a, b) => b.score - a.score || b.at - a.at);
}

/** The effect of a flag is unknown: only names can tie it to the alert. */
const flagNature: Nature = { kind: 'other', risk: 0.5, mechanisms: [], diff: null, modules: [] };

/** Whether the diff of a setting consists only of removed and added lines. */
const hasReadSettings = ({ kind, diff }: Change): boolean =>
  kind === 'config' && diff !== null && diff.split('\n').every((line) => /^[-+]/.test(line));

type TieResult = Pick<SuspectChange, 'ties' | 'tieStrength'>;

const combineTies = (all: readonly Tie[]): TieResult => {
  const ties = all.toSorted((a, b) => b.strength - a.strength);
  return { ties, tieStrength: combineStrengths(ties) };
};
const findCombinedTies = (tied: TiedChange, context: TieContext): TieResult =>
  combineTies(findTies(tied, context));

/** The ties of code that reads the flag: it takes effect when the flag is switched, however old it is. */
function findTiesOfFlagCode(
  flag: WithEvidence<Change>,
  commits: readonly WithEvidence<Change>[],
  natures: ReadonlyMap<string, Nature>,
  context: TieContext,
): readonly Tie[] {
  const id = flatten(flag.id);
  if (id.length < 5) return [];
  return commits
    .filter(({ title, diff }) => flatten(`${title} ${diff ?? ''}`).includes(id))
    .flatMap((commit) =>
      findTies(
        { change: commit, nature: natures.get(commit.id)!, at: flag.at, service: flag.service },
        context,
      ),
    )
    .map((tie) => ({
      ...tie,
      kind: 'flag' as const,
      from: `${flag.kind} ${flag.id}, which ${tie.from} asks for`,
      evidence: [flag.evidence, ...tie.evidence],
      strength: tie.strength * 0.9,
    }))
    .slice(0, 2);
}

const flatten = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** The input of the rules for ties: everything abnormal, and names that are too common to connect anything. */
function createTieContext(scene: SuspectContext, rarity: TieContext['rarity'], ordinary: string): TieContext {
  const { facts, symptoms, movements, graph, names, states, reach, serverOf, far } = scene;
  const commonNames = [
    ...names,
    ...facts.series.flatMap((item) => [serviceOf(item) ?? '']),
    ...facts.changes.map(({ service }) => service ?? ''),
    ...facts.spans.map(({ service }) => service),
  ];
  return {
    facts,
    symptoms,
    movements,
    states,
    graph,
    reach,
    serverOf,
    far,
    names,
    common: new Set(commonNames.map((name) => name.replace(/[_.\-\s]/g, '').toLowerCase())),
    ordinary,
    rarity,
  };
}

/**
 * A commit that updates a dependency acts through the commits of that module. If one of these is a suspect, the update
 * gets at most half of its score.
 */
function lowerDependencyUpdates(
  blamed: readonly SuspectChange[],
  natures: ReadonlyMap<string, Nature>,
  { changes }: Facts,
): readonly SuspectChange[] {
  return blamed.map((suspect) => {
    const updateEvidence = changes.find(({ kind, id }) => kind === 'commit' && id === suspect.id)?.evidence;
    if (natures.get(suspect.id)?.kind !== 'update' || updateEvidence === undefined) return suspect;
    const moduleSuspects = blamed.filter(
      ({ id, how, before, evidence }) =>
        how === 'dependency' &&
        before &&
        evidence.includes(updateEvidence) &&
        natures.get(id)?.kind === 'other',
    );
    const maxScore = Math.max(0, ...moduleSuspects.map(({ score }) => score));
    return maxScore === 0 ? suspect : { ...suspect, score: round(Math.min(suspect.score, maxScore / 2)) };
  });
}

/**
 * A factor for where a change was delivered: within reach of the alert or not, unless its tie already proves the
 * place.
 */
function ratePlace(service: string | null, { ties }: TieResult, { reach }: SuspectContext): number {
  const isShownByTie = ties.some(({ kind, strength }) => kind !== 'edge' && strength >= 0.5) ? 0.75 : 0.2;
  return service === null ? 0.9 : Math.max(reach.of(service), isShownByTie);
}

const formatTimeToOnset = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / minute);
  const text = minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
  return ms >= 0 ? `${text} before the onset` : `${text} after the onset`;
};

const natureTexts: Readonly<Record<Nature['kind'], string>> = {
  unread: 'its diff could not be read',
  inert: 'it changes nothing that runs',
  logging: 'it changes only what is logged or measured',
  rewrite: 'it writes the same in another way',
  update: 'it changes versions of modules',
  other: 'it changes what is done',
};

const deliveryTexts: Readonly<Record<CommitDelivery['how'], string>> = {
  named: 'deployed',
  dependency: `${pageWords.brought} along by a deploy`,
  included: 'deployed with a later commit',
  assumed: 'written',
  undelivered: 'written, and in no deploy that is known',
};

function formatReasons(
  nature: Nature,
  { at, how, service }: CommitDelivery,
  onset: number,
  ties: readonly Tie[],
): string {
  return [
    `${deliveryTexts[how]}${service === null ? '' : ` to ${service}`} ${formatTimeToOnset(onset - at)}`,
    nature.mechanisms[0]?.description ?? natureTexts[nature.kind],
    formatTie(ties),
  ].join('; ');
}

const formatTie = ([first]: readonly Tie[]): string =>
  first === undefined ? 'nothing ties it to what was seen' : `tied to ${first.to}`;

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
