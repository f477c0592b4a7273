/**
 * Ties by an object that reports a problem since the change, if the change affects it: by a setting that is documented
 * for this problem, or by using up the resource.
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

const createTie = ({ change }: TiedChange, from: string, state: StateSeen, strength: number): Tie => ({
  kind: 'state',
  from: `${formatChangeName(change)}: ${from}`,
  to: shortenText(`${state.object}: ${state.condition.name}`),
  evidence: [change.evidence, state.evidence],
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
function stateFactor(tied: TiedChange, state: StateSeen, context: TieContext): number {
  if (hasReachedObject(tied, state, context)) return placeFactor(tied, context);
  return state.condition.resource === 'memory' && isOnlyForVariant(context.names, tied)
    ? otherMemoryFactor
    : otherResourceFactor;
}

function findByEffect(tied: TiedChange, context: TieContext): readonly Tie[] {
  return tied.nature.mechanisms.flatMap(({ symptoms, description, severity }) => {
    const found = context.states.find(
      (state) =>
        hasBegunSince(state, tied) &&
        symptoms.test(`${state.condition.name} ${state.condition.resource ?? ''}`),
    );
    return found === undefined
      ? []
      : [createTie(tied, description, found, 0.65 * severity * stateFactor(tied, found, context))];
  });
}

/** Ties by a setting. A setting with a changed value counts more than one that was added or removed. */
function findBySetting(tied: TiedChange, context: TieContext): readonly Tie[] {
  const { change, nature } = tied;
  const { diff } = nature;
  const settingLines =
    diff === null
      ? change.kind === 'commit'
        ? []
        : [`${change.id} ${change.title} ${change.diff ?? ''}`]
      : [
          ...diff.values.map(({ line, near }) => `${line} ${/^[\w.-]+:?$/.test(near) ? near : ''}`),
          ...diff.texts.filter(({ isForPeople }) => !isForPeople).map(({ line }) => line),
          ...diff.switches,
        ];
  const editedLines = diff === null ? [] : [...diff.removed, ...diff.added];
  return context.states
    .filter((state) => state.condition.settings !== undefined && hasBegunSince(state, tied))
    .flatMap((state): readonly Tie[] => {
      const settings = state.condition.settings!;
      const factor = stateFactor(tied, state, context);
      const changedLine = settingLines.find((line) => settings.test(removeValues(line)));
      const isWider = diff?.values.some(
        (value) => changedLine?.startsWith(value.line) === true && isRaisedLimit(value),
      );
      if (changedLine !== undefined)
        return [
          createTie(
            tied,
            shortenText(changedLine),
            state,
            (isWider === true ? raisedLimitFactor : 0.82) * factor,
          ),
        ];
      const removedLine = diff?.removed.find((line) => settings.test(removeValues(line)));
      if (removedLine !== undefined && !diff!.added.some((line) => settings.test(removeValues(line))))
        return [createTie(tied, `takes away ${shortenText(removedLine)}`, state, 0.8 * factor)];
      const line = editedLines.find((editedLine) => settings.test(removeValues(editedLine)));
      if (line !== undefined) return [createTie(tied, shortenText(line), state, 0.55 * factor)];
      // Ties by the title of a change, if it was delivered to the object in that state.
      return factor === 1 && settings.test(change.title)
        ? [createTie(tied, shortenText(change.title), state, 0.5)]
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
 * Whether the change was delivered to the object with the problem, to the subject of the alert, or to an unknown place.
 */
export function hasReachedObject(
  { service, change }: TiedChange,
  state: StateSeen,
  { names, serverOf }: TieContext,
): boolean {
  const { object, service: reportingService } = state;
  if (service === null) return true;
  const server = serverOf(state);
  const reporterNames = new Set([
    object.split('/').at(-1)!,
    ...[reportingService, server].filter((name) => name !== null),
    ...names,
  ]);
  return (
    isAmong(reporterNames, service) ||
    change.paths.some((path) =>
      [...reporterNames].some((name) => path.includes(name) && !isVariant(service, name)),
    )
  );
}
