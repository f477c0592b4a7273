/**
 * A change to a service that needs far more for as much work since: it sends more bytes, or keeps its processor busier, while it
 * is asked no more than before. What the diff does has to be of that kind.
 */
import { serviceOf } from '../facts.ts';
import { isRate, kindOf, type Movement } from '../movement.ts';
import { serviceStem } from '../words.ts';
import { nameOf, type Rule, type Tie, type TieContext } from './tie.ts';

const slack = 90_000;
/** What begins so soon after the change began with it. Milliseconds. */
const soon = 10 * 60_000;
/** More than ordinary days bring. */
const surge = 1.8;

const isSent = (metric: string): boolean =>
  /(?:network|net)_?(?:tx|out)|tx_|bytes?_(?:out|sent|written)|egress|(?:response|reply|payload|body)_?(?:size|bytes|kb|mb)|outbound/i.test(
    metric,
  );
const isBusy = (metric: string): boolean => /cpu|processor/i.test(metric);

/** Ways to do more for each request. */
const isOfEach =
  /^(?:blocks|call in a loop|costlier|a loop more|one by one|an expression|no longer kept|all at once|unbounded|past the index)$/;
/** Parts that answers did not carry: `variants: List<VariantView>`, `.include(…)`, `expand=…`. */
const carries =
  /(?:list|array|seq|vec|set|collection)\s*<\s*[A-Z]\w*|:\s*[A-Z]\w*\[\]|\bwith[A-Z]\w+\(|\b(?:include|embed|expand|select_related|populate|serialize|joins?)\w*\b/i;

const isOf = (service: string | null, name: string | null): boolean =>
  service !== null && name !== null && serviceStem(service) === serviceStem(name);

export const heavier: Rule = ({ change, nature, at, service, isCarried }, context) => {
  const { diff, mechanisms } = nature;
  if (service === null || diff === null || nature.kind !== 'other' || isCarried === true) return [];
  if (context.reach.of(service) === 0 || !isAskedAsBefore(service, context)) return [];
  const more = context.movements.find(
    (one) =>
      isOf(one.service, service) &&
      one.direction === 'up' &&
      one.factor >= surge &&
      one.onset >= at - slack &&
      one.onset <= at + soon &&
      (isSent(one.metric) ? diff.added.some((line) => carries.test(line)) : isBusy(one.metric)),
  );
  if (more === undefined) return [];
  const does = mechanisms.find(({ name }) => isOfEach.test(name));
  if (does === undefined && !isSent(more.metric)) return [];
  return [tieOf(nameOf(change), does?.says ?? 'its answers carry more', change.evidence, more)];
};

const tieOf = (name: string, says: string, evidence: string, more: Movement): Tie => ({
  kind: 'edge',
  from: `${name}: ${says}`,
  to: `${more.metric} of ${more.service}, which is asked no more than before`,
  evidence: [evidence, more.evidence],
  strength: 0.72,
  isOfWork: true,
});

/** What it is asked is measured, and did not rise by as much as the square root of the surge. */
function isAskedAsBefore(service: string, { facts, movements }: TieContext): boolean {
  const isAsked = (name: string): boolean =>
    kindOf(name) === 'demand' || (isRate(name) && /request|call|order|message|event|quer/i.test(name));
  return (
    facts.series.some((one) => isOf(serviceOf(one), service) && isAsked(one.name)) &&
    !movements.some(
      (one) =>
        isOf(one.service, service) &&
        isAsked(one.metric) &&
        one.direction === 'up' &&
        one.factor >= Math.sqrt(surge),
    )
  );
}
