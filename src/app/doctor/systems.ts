/**
 * Checks the configured systems in parallel: whether each answers, its version, the permissions of the account, and how
 * far its clock is off.
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
import { brokenFinding, type Finding, ok } from './finding.ts';

/** A finding about a system. */
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

export interface SystemCheck {
  /** Maximum time for each system. Milliseconds. */
  readonly patienceMs: number;
  readonly clock?: Clock;
}

const remedy = 'Check its address, its token and the network: see docs/configuration.md.';
const refusedPattern = /NOPERM|permission|not permitted|denied|forbidden|access|\b403\b/i;
const unknownAccountPattern = /\b401\b|unauthori[sz]ed|password|authenticat|NOAUTH|WRONGPASS|credential/i;
const certificatePattern = /certificate|self[- ]signed|issuer|altname|SSL|TLS/i;

/** The remedy for the most likely cause. */
function remedyFor(name: string, reason: string): string {
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
  return remedy;
}

/** Maximum difference of the clocks: with more, evidence is searched at the wrong times. Milliseconds. */
const maxSkewMs = 60_000;

export async function checkSystems(
  configuration: Configuration,
  check: SystemCheck,
): Promise<readonly SystemFinding[]> {
  const names = Object.keys(systems);
  return (await Promise.all(names.map((name) => checkOne(name, configuration, check)))).flat();
}

async function checkOne(
  name: string,
  configuration: Configuration,
  { patienceMs, clock = systemClock }: SystemCheck,
): Promise<readonly SystemFinding[]> {
  const times = { clockMs: null as number | null };
  const signal = AbortSignal.timeout(patienceMs);
  let namedSystems: readonly NamedSystem[] = [];
  try {
    namedSystems = await openSystems(configuration, {
      only: name,
      watch: (fetch) => watchClock(fetch, times, clock),
    });
    const mask = openMasker(configuration);
    const signals = namedSystems.flatMap((system) => system.signals);
    return await Promise.all(signals.map((one) => examine(name, one, { signal, mask, times })));
  } catch (error) {
    const own = isSondeError(error) ? (error.remedy ?? remedy) : remedy;
    return [unknownOf(brokenFinding(`system:${name}`, messageOf(error), own))];
  } finally {
    await closeSystems(namedSystems);
  }
}

interface Examination {
  readonly signal: AbortSignal;
  readonly mask: SystemMask;
  readonly times: { readonly clockMs: number | null };
}

const unknownOf = (finding: Finding): SystemFinding => ({
  ...finding,
  reachable: false,
  version: null,
  rights: 'unknown',
  clock_ms: null,
});

async function examine(
  name: string,
  one: Signal,
  { signal, mask, times }: Examination,
): Promise<SystemFinding> {
  const title = `system:${name}`;
  const health = await one.health(signal, mask);
  if (health.kind === 'unhealthy') {
    // The system may work, but refuse this account.
    const lacking = refusedPattern.test(health.reason) ? await one.inspect?.(signal).catch(() => null) : null;
    const { rights, clockMs = null } = lacking ?? {};
    if (rights === undefined || rights === 'unknown' || rights.missing.length === 0)
      return unknownOf(
        brokenFinding(title, `${one.source}: ${health.reason}`, remedyFor(name, health.reason)),
      );
    const finding = judge(title, `${one.source} answers`, rights, clockMs ?? times.clockMs);
    return { ...finding, reachable: true, version: null, rights, clock_ms: clockMs ?? times.clockMs };
  }
  const inspected = await one.inspect?.(signal).catch(() => null);
  const rights = inspected?.rights ?? 'unknown';
  const clock = inspected?.clockMs ?? times.clockMs;
  const answers = `${one.source} answers${health.version === null ? '' : ` (${health.version})`}`;
  return {
    ...judge(title, answers, rights, clock),
    reachable: true,
    version: health.version,
    rights,
    clock_ms: clock,
  };
}

function judge(title: string, answers: string, rights: Rights, clockMs: number | null): Finding {
  const { missing, excess } = rights === 'unknown' ? { missing: [], excess: [] } : rights;
  const found = [
    answers,
    ...(missing.length > 0 ? [`the account lacks ${missing.join(', ')}`] : []),
    ...(excess.length > 0 ? [`the account has more rights than needed: ${excess.join(', ')}`] : []),
    ...(clockMs !== null && Math.abs(clockMs) > maxSkewMs ? [`its clock is ${skewText(clockMs)}`] : []),
  ].join('; ');
  if (missing.length > 0) return brokenFinding(title, found, 'Grant the missing rights, for reading only.');
  if (clockMs !== null && Math.abs(clockMs) > maxSkewMs)
    return brokenFinding(
      title,
      found,
      'Synchronise both clocks with a time server: evidence is searched by time.',
    );
  return ok(title, found);
}

function skewText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const long = seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${long} ${ms > 0 ? 'ahead of' : 'behind'} the one here`;
}

/** Measures the server's clock by the `date` header of its replies, which has no milliseconds. */
function watchClock(
  fetch: typeof globalThis.fetch,
  times: { clockMs: number | null },
  clock: Clock,
): typeof globalThis.fetch {
  return async (address, init) => {
    const sent = clock.now();
    const response = await fetch(address, init);
    const there = Date.parse(response.headers.get('date') ?? '');
    // A reply from a cache has the time at which the cache stored it.
    if (!Number.isNaN(there) && !response.headers.has('age'))
      times.clockMs = Math.round(there + 500 - (sent + clock.now()) / 2);
    return response;
  };
}
