/**
 * Checks the configured systems in parallel: whether each answers, its version, the rights of the account, and how far
 * its clock is off.
 */
import {
  type Clock,
  isSondeError,
  messageOf,
  type Rights,
  type Signal,
  type SystemMask,
  systemClock,
} from '../../core/index.ts';
import { systems } from '../../signals/systems.ts';
import { type Configuration, settingKeys } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { closeSystems, type NamedSystem, openSystems } from '../systems.ts';
import { brokenFinding, type Finding, okFinding } from './finding.ts';

export interface SystemFinding extends Finding {
  readonly reachable: boolean;
  readonly version: string | null;
  readonly rights: Rights;
  /**
   * The time of the system minus the time of this machine, in milliseconds; null if unknown. Over HTTP it is exact to
   * the second.
   */
  readonly clock_ms: number | null;
}

export interface SystemCheckOptions {
  /** Maximum time for each system. Milliseconds. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

const generalRemedy = 'Check its address, its token and the network: see docs/configuration.md.';
const refusedPattern = /NOPERM|permission|not permitted|denied|forbidden|access|\b403\b/i;
const unknownAccountPattern = /\b401\b|unauthori[sz]ed|password|authenticat|NOAUTH|WRONGPASS|credential/i;
const certificatePattern = /certificate|self[- ]signed|issuer|altname|SSL|TLS/i;

/** The remedy for the most likely cause. */
function chooseRemedy(name: string, reason: string): string {
  if (certificatePattern.test(reason)) {
    const setting = `${name}_ca_file`;
    return settingKeys.some((key) => key === setting)
      ? `Set ${setting} to the certificate of the authority that signed its certificate, and use an address whose host is in its certificate.`
      : 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed its certificate.';
  }
  if (refusedPattern.test(reason))
    return 'It answers, but refuses this account: grant the account the missing rights, for reading only.';
  if (unknownAccountPattern.test(reason))
    return 'It answers, but does not know this account: check its user, password or token.';
  return generalRemedy;
}

/** Maximum difference of the clocks in milliseconds. With a larger one, evidence is searched at the wrong times. */
const maxSkewMs = 60_000;

export async function checkSystems(
  configuration: Configuration,
  options: SystemCheckOptions,
): Promise<readonly SystemFinding[]> {
  const names = Object.keys(systems);
  return (await Promise.all(names.map((name) => checkSystem(name, configuration, options)))).flat();
}

async function checkSystem(
  name: string,
  configuration: Configuration,
  { timeoutMs, clock = systemClock }: SystemCheckOptions,
): Promise<readonly SystemFinding[]> {
  const clockReading = { clockMs: null as number | null };
  const signal = AbortSignal.timeout(timeoutMs);
  let namedSystems: readonly NamedSystem[] = [];
  try {
    namedSystems = await openSystems(configuration, {
      only: name,
      watch: (fetch) => clockReadingFetch(fetch, clockReading, clock),
    });
    const mask = openMasker(configuration);
    const signals = namedSystems.flatMap((named) => named.signals);
    return await Promise.all(
      signals.map((system) => examineSystem(name, system, { signal, mask, clockReading })),
    );
  } catch (error) {
    const errorRemedy = isSondeError(error) ? (error.remedy ?? generalRemedy) : generalRemedy;
    return [unreachableFinding(brokenFinding(`system:${name}`, messageOf(error), errorRemedy))];
  } finally {
    await closeSystems(namedSystems);
  }
}

interface ExaminationContext {
  readonly signal: AbortSignal;
  readonly mask: SystemMask;
  readonly clockReading: { readonly clockMs: number | null };
}

const unreachableFinding = (finding: Finding): SystemFinding => ({
  ...finding,
  reachable: false,
  version: null,
  rights: 'unknown',
  clock_ms: null,
});

async function examineSystem(
  name: string,
  system: Signal,
  { signal, mask, clockReading }: ExaminationContext,
): Promise<SystemFinding> {
  const title = `system:${name}`;
  const health = await system.health(signal, mask);
  if (health.kind === 'unhealthy') {
    // The system may answer, but refuse this account. Then `inspect` says which rights are missing.
    const inspection = refusedPattern.test(health.reason)
      ? await system.inspect?.(signal).catch(() => null)
      : null;
    const { rights, clockMs = null } = inspection ?? {};
    if (rights === undefined || rights === 'unknown' || rights.missing.length === 0)
      return unreachableFinding(
        brokenFinding(title, `${system.source}: ${health.reason}`, chooseRemedy(name, health.reason)),
      );
    const finding = assess(title, `${system.source} answers`, rights, clockMs ?? clockReading.clockMs);
    return { ...finding, reachable: true, version: null, rights, clock_ms: clockMs ?? clockReading.clockMs };
  }
  const inspection = await system.inspect?.(signal).catch(() => null);
  const rights = inspection?.rights ?? 'unknown';
  const clock = inspection?.clockMs ?? clockReading.clockMs;
  const answers = `${system.source} answers${health.version === null ? '' : ` (${health.version})`}`;
  return {
    ...assess(title, answers, rights, clock),
    reachable: true,
    version: health.version,
    rights,
    clock_ms: clock,
  };
}

function assess(title: string, answers: string, rights: Rights, clockMs: number | null): Finding {
  const { missing, excess } = rights === 'unknown' ? { missing: [], excess: [] } : rights;
  const found = [
    answers,
    ...(missing.length > 0 ? [`the account lacks ${missing.join(', ')}`] : []),
    ...(excess.length > 0 ? [`the account has more rights than needed: ${excess.join(', ')}`] : []),
    ...(clockMs !== null && Math.abs(clockMs) > maxSkewMs ? [`its clock is ${formatSkew(clockMs)}`] : []),
  ].join('; ');
  if (missing.length > 0) return brokenFinding(title, found, 'Grant the missing rights, for reading only.');
  if (clockMs !== null && Math.abs(clockMs) > maxSkewMs)
    return brokenFinding(
      title,
      found,
      'Synchronise both clocks with a time server: evidence is searched by time.',
    );
  return okFinding(title, found);
}

function formatSkew(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const duration = seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${duration} ${ms > 0 ? 'ahead of' : 'behind'} the one here`;
}

/** Returns a fetch that stores in `clockReading` how far the server's clock is off, by the `date` header in seconds. */
function clockReadingFetch(
  fetch: typeof globalThis.fetch,
  clockReading: { clockMs: number | null },
  clock: Clock,
): typeof globalThis.fetch {
  return async (address, init) => {
    const sentAt = clock.now();
    const response = await fetch(address, init);
    const serverTime = Date.parse(response.headers.get('date') ?? '');
    // A reply from a cache has the time at which the cache stored it.
    if (!Number.isNaN(serverTime) && !response.headers.has('age'))
      clockReading.clockMs = Math.round(serverTime + 500 - (sentAt + clock.now()) / 2);
    return response;
  };
}
