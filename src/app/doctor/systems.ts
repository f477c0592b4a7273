/** The systems that are configured to look at: each is asked whether it is well, as an investigation asks it. */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { Configuration } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { closeSystems, type NamedSystem, openSystems } from '../systems.ts';
import { brokenFinding, type Finding, ok, patienceMs } from './finding.ts';

const remedy = 'Check its address, its token and the network: see docs/configuration.md.';

export async function checkSystems(configuration: Configuration): Promise<readonly Finding[]> {
  let opened: readonly NamedSystem[] = [];
  try {
    opened = await openSystems(configuration);
    const mask = openMasker(configuration);
    return await Promise.all(
      opened.flatMap(({ signals }) =>
        signals.map(async (signal) => {
          const name = `system: ${signal.source}`;
          const health = await signal.health(AbortSignal.timeout(patienceMs), mask);
          return health.kind === 'healthy'
            ? ok(name, `answers${health.version === null ? '' : ` (${health.version})`}`)
            : brokenFinding(name, health.reason, remedy);
        }),
      ),
    );
  } catch (error) {
    return [
      brokenFinding('systems', messageOf(error), isSondeError(error) ? (error.remedy ?? remedy) : remedy),
    ];
  } finally {
    await closeSystems(opened);
  }
}
