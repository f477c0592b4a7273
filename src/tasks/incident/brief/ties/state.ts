/**
 * Ties by an object that reports a trouble since the change, if the change affects it: by a setting that is documented
 * for this trouble, or by using up the resource.
 */
import type { StateSeen } from '../state/condition.ts';
import { isAmong } from '../subject.ts';
import { hasMovedSince } from './has-moved-since.ts';
import { placeFactor } from './place.ts';
import { isRaisedLimit, raisedLimitFactor } from './raised-limit.ts';
import {
  formatChangeName,
  type Rule,
  shortenText,
  type Tie,
  type TieContext,
  type TiedChange,
} from './tie.ts';

export const state: Rule = (tied, context) => {
  if (tied.nature.kind === 'inert' || tied.nature.kind === 'logging') return [];
  return [...findByEffect(tied, context), ...findBySetting(tied, context)]
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, 1);
};

const createTie = ({ change }: TiedChange, from: string, met: StateSeen, strength: number): Tie => ({
  kind: 'state',
  from: `${formatChangeName(change)}: ${from}`,
  to: shortenText(`${met.object}: ${met.condition.name}`),
  evidence: [change.evidence, met.evidence],
  strength,
});

const hasBegunSince = ({ first, condition, service }: StateSeen, tied: TiedChange): boolean =>
  condition.role !== 'good' && (first === null || hasMovedSince({ service, onset: first }, tied));

/**
 * Factors for a change to another object: code uses up its own process's memory, but may use up other resources
 * elsewhere.
 */
const otherResourceFactor = 0.6;
const otherMemoryFactor = 0.2;
function stateFactor(tied: TiedChange, met: StateSeen, context: TieContext): number {
  if (hasReachedObject(tied, met, context)) return placeFactor(tied, context);
  return met.condition.resource === 'memory' && isOnlyForVariant(context.names, tied)
    ? otherMemoryFactor
    : otherResourceFactor;
}

function findByEffect(tied: TiedChange, context: TieContext): readonly Tie[] {
  return tied.nature.mechanisms.flatMap(({ shows, says, force }) => {
    const met = context.states.find(
      (one) =>
        hasBegunSince(one, tied) && shows.test(`${one.condition.name} ${one.condition.resource ?? ''}`),
    );
    return met === undefined
      ? []
      : [createTie(tied, says, met, 0.65 * force * stateFactor(tied, met, context))];
  });
}

/** Ties by a setting. A setting with a changed value counts more than one that was added or removed. */
function findBySetting(tied: TiedChange, context: TieContext): readonly Tie[] {
  const { change, nature } = tied;
  const { diff } = nature;
  const set =
    diff === null
      ? change.kind === 'commit'
        ? []
        : [`${change.id} ${change.title} ${change.diff ?? ''}`]
      : [
          ...diff.values.map(({ line, near }) => `${line} ${/^[\w.-]+:?$/.test(near) ? near : ''}`),
          ...diff.texts.filter(({ isForPeople }) => !isForPeople).map(({ line }) => line),
          ...diff.switches,
        ];
  const edited = diff === null ? [] : [...diff.removed, ...diff.added];
  return context.states
    .filter((one) => one.condition.settings !== undefined && hasBegunSince(one, tied))
    .flatMap((met): readonly Tie[] => {
      const settings = met.condition.settings!;
      const here = stateFactor(tied, met, context);
      const changed = set.find((line) => settings.test(removeValues(line)));
      const isWider = diff?.values.some(
        (value) => changed?.startsWith(value.line) === true && isRaisedLimit(value),
      );
      if (changed !== undefined)
        return [
          createTie(tied, shortenText(changed), met, (isWider === true ? raisedLimitFactor : 0.82) * here),
        ];
      const gone = diff?.removed.find((one) => settings.test(removeValues(one)));
      if (gone !== undefined && !diff!.added.some((one) => settings.test(removeValues(one))))
        return [createTie(tied, `takes away ${shortenText(gone)}`, met, 0.8 * here)];
      const line = edited.find((one) => settings.test(removeValues(one)));
      if (line !== undefined) return [createTie(tied, shortenText(line), met, 0.55 * here)];
      // Ties by the title of a change, if it was delivered to the object in that state.
      return here === 1 && settings.test(change.title)
        ? [createTie(tied, shortenText(change.title), met, 0.5)]
        : [];
    });
}

/** The line without its values, so that only names are compared. */
const removeValues = (line: string): string =>
  line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, (text) => (/\s/.test(text) ? ' ' : text));

/** Whether a service is a variant of another: `relay-canary` of `relay`. */
const isVariant = (service: string, name: string): boolean =>
  service.toLowerCase().startsWith(`${name.toLowerCase()}-`);

/** Whether the change was delivered only to a variant of the alerted service. */
export const isOnlyForVariant = (names: ReadonlySet<string>, { service }: TiedChange): boolean =>
  service !== null && !isAmong(names, service) && [...names].some((name) => isVariant(service, name));

/**
 * Whether the change was delivered to the object with the trouble, to the subject of the alert, or to an unknown place.
 */
export function hasReachedObject(
  { service, change }: TiedChange,
  met: StateSeen,
  { names, serverOf }: TieContext,
): boolean {
  const { object, service: of } = met;
  if (service === null) return true;
  const server = serverOf(met);
  const reports = new Set([
    object.split('/').at(-1)!,
    ...[of, server].filter((name) => name !== null),
    ...names,
  ]);
  return (
    isAmong(reports, service) ||
    change.paths.some((path) => [...reports].some((name) => path.includes(name) && !isVariant(service, name)))
  );
}
