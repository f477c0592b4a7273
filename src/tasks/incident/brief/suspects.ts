/** Commits and flags in the order in which they may be to blame, each with what speaks for it. */
import type { Suspect } from '../../../core/index.ts';
import { areNeighbours, type CallGraph } from './call-graph.ts';
import { type Delivered, deliveriesOf } from './delivery.ts';
import { type Facts, serviceOf } from './facts.ts';
import { linksOf, rarityOf } from './links.ts';
import type { Movement } from './movement.ts';
import { type Nature, natureOf } from './nature.ts';
import { pageWords } from './page-words.ts';
import type { StateSeen } from './state/condition.ts';
import { ordinaryTexts, type Symptom } from './symptoms.ts';
import type { Sight, Tie, Tied } from './ties/tie.ts';
import { strengthOf, tiesOf } from './ties/ties.ts';
import { namesService, serviceStem, tellingWords, wordsOf } from './words.ts';

export interface Blamed extends Suspect {
  readonly kind: 'commit' | 'flag' | 'config';
  readonly title: string;
  readonly paths: readonly string[];
  /** When it took effect. */
  readonly at: number;
  readonly how: Delivered['how'];
  readonly service: string | null;
  readonly diffRead: boolean;
  /** It took effect no later than the trouble began. */
  readonly before: boolean;
  readonly mechanism: string | null;
  /** Its name, in a word or two. */
  readonly category: string | null;
  /** 0 to 1: how well its effect explains what was seen, whatever the time. */
  readonly fit: number;
  /** What ties it to the alert, the strongest first. */
  readonly ties: readonly Tie[];
  /** 0 to 1: all of them together. */
  readonly tied: number;
}

export interface Scene {
  readonly facts: Facts;
  readonly movements: readonly Movement[];
  readonly symptoms: readonly Symptom[];
  readonly graph: CallGraph;
  /** The first thing that went out of order, or when the alert began. */
  readonly onset: number;
  readonly alertService: string | null;
  readonly firstFailing: string | null;
  /** What the alert is about. */
  readonly names: ReadonlySet<string>;
  readonly states: readonly StateSeen[];
}

/** Clocks differ, metrics are sampled, and a deploy is written down when it is over. Milliseconds. */
const slack = 90_000;
const minute = 60_000;

/** A flag acts at once: where the trouble is a step, one that was switched long before has nothing to do with it. */
const flagFades = { step: 12 * minute, other: 90 * minute } as const;

/** What became effective long before is seldom the cause, but slow bleeds exist. */
function nearness(delivered: number, onset: number, fades = 90 * minute): number {
  const gap = onset - delivered;
  if (gap < -slack) return 0.03;
  return 0.35 + 0.65 * Math.exp(-Math.max(0, gap) / fades);
}

const reached: Readonly<Record<Delivered['how'], number>> = {
  named: 1,
  brought: 0.95,
  carried: 0.75,
  assumed: 0.9,
  undelivered: 0.3,
};

/** Parts of the score beside the kind of change and its time: how it fits, what it shares, where it was deployed. */
export interface Weights {
  readonly mechanism: number;
  readonly links: number;
  readonly place: number;
}

const ownWeights: Weights = Object.freeze({ mechanism: 0.4, links: 0.35, place: 0.25 });

export function suspectsOf(scene: Scene, weights: Weights = ownWeights): readonly Blamed[] {
  const { facts, onset } = scene;
  const commits = facts.changes.filter(({ kind }) => kind === 'commit');
  const natures = new Map<string, Nature>(commits.map((commit) => [commit.id, natureOf(commit)]));
  const rarity = rarityOf(commits);
  const ordinary = ordinaryTexts(facts, onset);
  const sight = sightOf(scene, rarity, ordinary);
  const blamed = commits.map((commit): Blamed => {
    const nature = natures.get(commit.id)!;
    const deliveries = deliveriesOf(commit, facts.changes, natures);
    // The delivery that came last before the onset, since the earlier ones did no harm by then.
    const delivered = deliveries.filter(({ at }) => at <= onset + slack).at(-1) ?? deliveries[0]!;
    const links = linksOf(commit, nature, scene.symptoms, rarity, ordinary);
    const fitting = mechanismFit(nature, scene.symptoms);
    const place = placeOf(delivered.service, commit.paths, scene);
    const fit = weights.mechanism * fitting.fit + weights.links * links.strength + weights.place * place;
    const near = nearness(delivered.at, onset);
    const tied = tieTo({ change: commit, nature, at: delivered.at, service: delivered.service }, sight);
    const score = near * reached[delivered.how] * causeOf(nature, tied.ties) * (0.1 + 0.9 * fit);
    return {
      kind: 'commit',
      id: commit.id,
      title: commit.title,
      paths: commit.paths,
      score: round(score),
      fit: round(nature.cause * (fitting.fit * 0.6 + links.strength * 0.4)),
      at: delivered.at,
      how: delivered.how,
      service: delivered.service,
      diffRead: commit.diff !== null,
      before: delivered.at <= onset + slack,
      mechanism: fitting.says,
      category: fitting.name,
      ...tied,
      evidence: [...new Set([commit.evidence, ...delivered.evidence, ...links.evidence])],
      why: reasons(nature, delivered, onset, fitting.says, links.shared),
    };
  });
  const known = withoutVehicles(blamed, natures, facts);
  const flags = facts.changes.filter(({ kind }) => kind === 'flag' || kind === 'config');
  // The name of a service stands in all that is said of it, and so ties a flag to nothing.
  const names = new Set(
    [
      scene.alertService,
      scene.firstFailing,
      ...facts.series.map(serviceOf),
      ...facts.changes.map(({ service }) => service),
    ].flatMap((name) => (name === null ? [] : wordsOf(name))),
  );
  const fades = scene.movements[0]?.shape === 'step' ? flagFades.step : flagFades.other;
  const switched = flags.map((flag): Blamed => {
    const place = placeOf(flag.service, flag.paths, scene);
    const words = tellingWords(`${flag.id} ${flag.title}`).filter((word) => !names.has(word));
    const said = scene.symptoms.filter(({ evidence }) => evidence !== '');
    const seen = said.filter(({ words: have }) => words.some((word) => have.has(word)));
    // Trouble that names the flag as a whole speaks of it, and not of something alike.
    const named =
      flag.id.length > 5 && said.some(({ text, weight }) => weight >= 0.8 && text.includes(flag.id));
    const spoken = named || said.some(({ words: have, weight }) => weight >= 0.8 && tellsOfFlag(words, have));
    const link = named ? 1 : Math.min(1, seen.length / 3);
    const fit = 0.5 * link + 0.5 * place;
    return {
      kind: flag.kind === 'flag' ? 'flag' : 'config',
      id: flag.id,
      title: flag.title,
      paths: flag.paths,
      score: round(nearness(flag.at, onset, fades) * (named ? 0.7 : spoken ? 0.5 : 0.28) * (0.1 + 0.9 * fit)),
      fit: round(0.3 * link),
      at: flag.at,
      how: 'named',
      service: flag.service,
      diffRead: true,
      before: flag.at <= onset + slack,
      mechanism: null,
      category: null,
      ...tieTo({ change: flag, nature: flagNature, at: flag.at, service: flag.service }, sight),
      evidence: [flag.evidence],
      why: `${flag.title || 'changed'}${flag.service === null ? '' : ` on ${flag.service}`}, ${spanText(onset - flag.at)}; ${named ? 'what is out of order names it' : spoken ? 'what is out of order speaks of such a thing' : 'what it switches is not known'}`,
    };
  });
  return [...known, ...switched].sort((a, b) => b.score - a.score || b.at - a.at);
}

/** The effect of a flag is unknown: only names tie it. */
const flagNature: Nature = { kind: 'other', cause: 0.5, mechanisms: [], diff: null, modules: [] };

function tieTo(tied: Tied, sight: Sight): Pick<Blamed, 'ties' | 'tied'> {
  const ties = tiesOf(tied, sight);
  return { ties, tied: strengthOf(ties) };
}

/** A change that looks harmless and yet is in the trace, or in messages, can break everything all the same. */
function causeOf({ kind, cause }: Nature, [first]: readonly Tie[]): number {
  if (kind === 'inert' || kind === 'told' || first === undefined) return cause;
  return first.kind === 'edge' ? cause : Math.max(cause, 0.8 * first.strength);
}

/** What rules see of an incident: everything abnormal, and what is too common to tie anything. */
function sightOf(scene: Scene, rarity: Sight['rarity'], ordinary: string): Sight {
  const { facts, symptoms, movements, graph, names, states } = scene;
  const common = [
    ...names,
    ...facts.series.flatMap((one) => [serviceOf(one) ?? '']),
    ...facts.changes.map(({ service }) => service ?? ''),
    ...facts.spans.map(({ service }) => service),
  ];
  return {
    facts,
    symptoms,
    movements,
    states,
    graph,
    names,
    common: new Set(common.map((name) => name.replace(/[_.\-\s]/g, '').toLowerCase())),
    ordinary,
    rarity,
  };
}

/**
 * A commit that changes the version of a module does what the module's own commits do: where one of these is
 * known, it replaces the commit.
 */
function withoutVehicles(
  blamed: readonly Blamed[],
  natures: ReadonlyMap<string, Nature>,
  { changes }: Facts,
): readonly Blamed[] {
  return blamed.map((one) => {
    const piece = changes.find(({ kind, id }) => kind === 'commit' && id === one.id)?.evidence;
    if (natures.get(one.id)?.kind !== 'vehicle' || piece === undefined) return one;
    const inside = blamed.filter(
      ({ id, how, before, evidence }) =>
        how === 'brought' && before && evidence.includes(piece) && natures.get(id)?.kind === 'other',
    );
    const most = Math.max(0, ...inside.map(({ score }) => score));
    return most === 0 ? one : { ...one, score: round(Math.min(one.score, most / 2)) };
  });
}

/** Two words of its name in one message or metric, and most of them: one alone is chance. */
function tellsOfFlag(words: readonly string[], have: ReadonlySet<string>): boolean {
  const own = [...new Set(words)].filter((word) => !/^v\d+$/.test(word));
  const there = own.filter((word) => have.has(word)).length;
  return there >= 2 && there >= 0.6 * own.length;
}

interface Fitting {
  readonly fit: number;
  readonly says: string | null;
  readonly name: string | null;
}

/** The mechanism that the symptoms speak for most: two kinds of symptom that it leads one to expect are enough. */
function mechanismFit(nature: Nature, symptoms: readonly Symptom[]): Fitting {
  let best: Fitting = { fit: 0, says: null, name: null };
  for (const { name, force, shows, says } of nature.mechanisms) {
    const seen = symptoms.filter(({ text }) => shows.test(text)).reduce((sum, { weight }) => sum + weight, 0);
    const fit = force * (0.25 + 0.75 * Math.min(1, seen / 2));
    if (fit > best.fit) best = { fit, says, name };
  }
  return best;
}

/** Where it went, and whether that is where the trouble is. */
function placeOf(
  service: string | null,
  paths: readonly string[],
  { alertService, firstFailing, movements, graph }: Scene,
): number {
  const same = (a: string | null, b: string | null): boolean =>
    a !== null && b !== null && serviceStem(a) === serviceStem(b);
  const ill = [firstFailing, alertService].filter((name) => name !== null);
  if (ill.some((name) => same(service, name))) return 1;
  if (movements.some((one) => same(one.service, service))) return 0.8;
  if (service !== null && ill.some((name) => areNeighbours(graph, service, name))) return 0.7;
  if (ill.some((name) => paths.some((path) => namesService(path, name)))) return 0.7;
  const shared = paths.some((path) =>
    /^(pkg|lib|libs|common|shared|internal|core|packages|config|db|deploy|charts|infra)\//i.test(path),
  );
  return service === null && shared ? 0.4 : 0.1;
}

const spanText = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / minute);
  const text = minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
  return ms >= 0 ? `${text} before the onset` : `${text} after the onset`;
};

const kinds: Readonly<Record<Nature['kind'], string>> = {
  unread: 'its diff could not be read',
  inert: 'it changes nothing that runs',
  told: 'it changes only what is logged or measured',
  same: 'it writes the same in another way',
  vehicle: 'it changes versions of modules',
  other: 'it changes what is done',
};

const ways: Readonly<Record<Delivered['how'], string>> = {
  named: 'deployed',
  brought: `${pageWords.brought} along by a deploy`,
  carried: 'deployed with a later commit',
  assumed: 'written',
  undelivered: 'written, and in no deploy that is known',
};

function reasons(
  nature: Nature,
  { at, how, service }: Delivered,
  onset: number,
  mechanism: string | null,
  shared: readonly string[],
): string {
  return [
    `${ways[how]}${service === null ? '' : ` to ${service}`} ${spanText(onset - at)}`,
    mechanism ?? kinds[nature.kind],
    ...(shared.length === 0 ? [] : [`shares ${shared.slice(0, 4).join(', ')} with what was seen`]),
  ].join('; ');
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
