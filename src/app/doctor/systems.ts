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
   * The time there minus the time here, in milliseconds; null if the system does not tell. Over HTTP exact to the
   * second.
   */
  readonly clock_ms: number | null;
}

export interface SystemCheck {
  /** Maximum time for each system. Milliseconds. */
  readonly patienceMs: number;
  readonly clock?: Clock;
}

const remedy = 'Check its address, its token and the network: see docs/configuration.md.';
const refuses = /NOPERM|permission|not permitted|denied|forbidden|access|\b403\b/i;
const strange = /\b401\b|unauthori[sz]ed|password|authenticat|NOAUTH|WRONGPASS|credential/i;
const unsigned = /certificate|self[- ]signed|issuer|altname|SSL|TLS/i;

/** Where to look first. */
function remedyFor(name: string, reason: string): string {
  if (unsigned.test(reason)) {
    const setting = `${name}_ca_file`;
    return settingKeys.some((key) => key === setting)
      ? `Name the authority that signed its certificate with ${setting}, and ask it by a name that stands in its certificate.`
      : 'Name the authority that signed its certificate with NODE_EXTRA_CA_CERTS.';
  }
  if (refuses.test(reason))
    return 'It is there, and refuses this account: grant it what it lacks, for reading alone.';
  if (strange.test(reason))
    return 'It is there, and does not know this account: check its user, password or token.';
  return remedy;
}

/** With a larger difference between the clocks, evidence is looked for at the wrong times. Milliseconds. */
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
    // The system may work, but tell this account nothing.
    const lacking = refuses.test(health.reason) ? await one.inspect?.(signal).catch(() => null) : null;
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
  const said = [
    answers,
    ...(missing.length > 0 ? [`the account lacks ${missing.join(', ')}`] : []),
    ...(excess.length > 0 ? [`the account may more than is needed: ${excess.join(', ')}`] : []),
    ...(clockMs !== null && Math.abs(clockMs) > maxSkewMs ? [`its clock is ${skewText(clockMs)}`] : []),
  ].join('; ');
  if (missing.length > 0) return brokenFinding(title, said, 'Grant what it lacks, for reading alone.');
  if (clockMs !== null && Math.abs(clockMs) > maxSkewMs)
    return brokenFinding(
      title,
      said,
      'Set both clocks by the same time server: what happened is looked for by them.',
    );
  return ok(title, said);
}

function skewText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const long = seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${long} ${ms > 0 ? 'ahead of' : 'behind'} the one here`;
}

/** Reads the time of the server from its answers. Servers leave out the milliseconds. */
function watchClock(
  fetch: typeof globalThis.fetch,
  times: { clockMs: number | null },
  clock: Clock,
): typeof globalThis.fetch {
  return async (address, init) => {
    const asked = clock.now();
    const response = await fetch(address, init);
    const there = Date.parse(response.headers.get('date') ?? '');
    // A cache in between answers with the time at which it stored the answer.
    if (!Number.isNaN(there) && !response.headers.has('age'))
      times.clockMs = Math.round(there + 500 - (asked + clock.now()) / 2);
    return response;
  };
}
