/**
 * Ties by a service that needs more resources for the same load since the change: it sends more bytes, or uses more
 * CPU. The diff must show a mechanism that can cause this.
 */
import { serviceOf } from '../facts.ts';
import { classifyMetric, isRate, type Movement } from '../movement.ts';
import { serviceStem } from '../words.ts';
import { formatChangeName, type Rule, type Tie, type TieContext } from './tie.ts';

const slackMs = 90_000;
/** A rise within this time after the change, in milliseconds, is attributed to it. */
const soonMs = 10 * 60_000;
/** The minimum rise, as a factor: more than ordinary variation. */
const minRise = 1.8;

const isSent = (metric: string): boolean =>
  /(?:network|net)_?(?:tx|out)|tx_|bytes?_(?:out|sent|written)|egress|(?:response|reply|payload|body)_?(?:size|bytes|kb|mb)|outbound/i.test(
    metric,
  );
const isBusy = (metric: string): boolean => /cpu|processor/i.test(metric);

/** Names of mechanisms that cost more for each request. */
const costsPerRequest =
  /^(?:blocks|call in a loop|costlier|a loop more|one by one|an expression|no longer kept|all at once|unbounded|past the index)$/;
/** Additional parts of replies: `variants: List<VariantView>`, `.include(…)`, `expand=…`. */
const largerReply =
  /(?:list|array|seq|vec|set|collection)\s*<\s*[A-Z]\w*|:\s*[A-Z]\w*\[\]|\bwith[A-Z]\w+\(|\b(?:include|embed|expand|select_related|populate|serialize|joins?)\w*\b/i;

const isSameService = (service: string | null, name: string | null): boolean =>
  service !== null && name !== null && serviceStem(service) === serviceStem(name);

export const costlierRequests: Rule = ({ change, nature, at, service, isIncluded }, context) => {
  const { diff, mechanisms } = nature;
  if (service === null || diff === null || nature.kind !== 'other' || isIncluded === true) return [];
  if (context.reach.of(service) === 0 || !hasSameLoad(service, context)) return [];
  const increase = context.movements.find(
    (movement) =>
      isSameService(movement.service, service) &&
      movement.direction === 'up' &&
      movement.factor >= minRise &&
      movement.onset >= at - slackMs &&
      movement.onset <= at + soonMs &&
      (isSent(movement.metric)
        ? diff.code.added.some((line) => largerReply.test(line))
        : isBusy(movement.metric)),
  );
  if (increase === undefined) return [];
  const costlyMechanism = mechanisms.find(({ name }) => costsPerRequest.test(name));
  if (costlyMechanism === undefined && !isSent(increase.metric)) return [];
  return [
    createTie(
      formatChangeName(change),
      costlyMechanism?.description ?? 'its answers carry more',
      change.evidence,
      increase,
    ),
  ];
};

const createTie = (name: string, description: string, evidence: string, increase: Movement): Tie => ({
  kind: 'edge',
  from: `${name}: ${description}`,
  to: `${increase.metric} of ${increase.service}, which is asked no more than before`,
  evidence: [evidence, increase.evidence],
  strength: 0.72,
  showsBehaviour: true,
});

/** Whether the load of the service is measured, and rose by less than the square root of `minRise`. */
function hasSameLoad(service: string, { facts, movements }: TieContext): boolean {
  const isLoadMetric = (name: string): boolean =>
    classifyMetric(name) === 'demand' ||
    (isRate(name) && /request|call|order|message|event|quer/i.test(name));
  return (
    facts.series.some((item) => isSameService(serviceOf(item), service) && isLoadMetric(item.name)) &&
    !movements.some(
      (movement) =>
        isSameService(movement.service, service) &&
        isLoadMetric(movement.metric) &&
        movement.direction === 'up' &&
        movement.factor >= Math.sqrt(minRise),
    )
  );
}
