/** Which service failed first, and in what order the trouble went on. */
import { below, type CallGraph } from './call-graph.ts';
import { isSymptom, type Movement } from './movement.ts';

/**
 * The service that failed first: the alerted one, unless a service that it calls has a symptom clearly earlier; without
 * symptoms, the one whose metrics moved first. A service that only counts requests abandoned by its callers is not
 * failing.
 */
export function firstFailingOf(
  movements: readonly Movement[],
  graph: CallGraph,
  alertService: string | null,
): string | null {
  const symptoms = movements.filter(
    (one) => one.service !== null && isSymptom(one) && !/cancel/i.test(one.metric) && one.direction === 'up',
  );
  const firstOf = (service: string): number =>
    Math.min(...symptoms.filter((one) => one.service === service).map(({ onset }) => onset));
  if (alertService !== null) {
    const own = firstOf(alertService);
    const callees = below(graph, alertService);
    const earlier = [...callees]
      .map((service) => ({ service, onset: firstOf(service) }))
      .filter(({ onset }) => onset < own - clearly)
      .sort((a, b) => a.onset - b.onset)[0];
    if (earlier !== undefined) return earlier.service;
    if (Number.isFinite(own) || symptoms.length === 0) return alertService;
  }
  return symptoms[0]?.service ?? movements.find(({ service }) => service !== null)?.service ?? alertService;
}

/** A distance in time that is larger than the sampling interval of ordinary metrics. Milliseconds. */
const clearly = 90_000;
