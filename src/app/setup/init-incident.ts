/**
 * Prepares everything that an on-call team needs before its first alert: settings in a file, a token for the sender,
 * and a check of each system with the questions of an investigation.
 */
import { SondeError, systemClock } from '../../core/index.ts';
import { type Sender, senders } from '../../tasks/incident/index.ts';
import {
  type Configuration,
  directories,
  type Environment,
  thisUser,
  userConfigFile,
} from '../config/index.ts';
import { checkSystems, type SystemFinding } from '../doctor/systems.ts';
import { openMasker } from '../masking.ts';
import { closeSystems, openSystems } from '../systems.ts';
import { openTokens } from '../tokens/open-tokens.ts';
import { readSavedToken, saveToken } from '../tokens/saved-token.ts';
import { type DryRunResult, dryRun } from './dry-run.ts';
import { configurationWith, type GivenSettings } from './given-settings.ts';
import { planChange, writeChange } from './settings-file.ts';
import { snippetFor } from './snippets.ts';

export interface InitRequest {
  readonly given: GivenSettings;
  readonly sender?: string;
  /** Absent: the user's own file of settings. */
  readonly out?: string;
  /** How far back the check looks. Milliseconds. */
  readonly lastMs: number;
  readonly force: boolean;
}

export interface InitOutcome {
  readonly file: string;
  /** Names of settings that are new or changed. */
  readonly written: readonly string[];
  readonly systems: readonly SystemFinding[];
  readonly preview: readonly DryRunResult[];
  readonly sender: { readonly name: Sender; readonly token_file: string; readonly snippet: string } | null;
  /** Whether each configured system answers. */
  readonly reachable: boolean;
}

/** Maximum time for the check of one system, and again for its questions. Milliseconds. */
const patienceMs = 10_000;

/** Throws for wrong input, before anything is written. */
export async function initIncident(request: InitRequest, environment: Environment): Promise<InitOutcome> {
  const { given, force, lastMs } = request;
  const sender = senderOf(request.sender);
  const where = directories(environment);
  const change = planChange(request.out ?? userConfigFile(where), given, force);
  const configuration = configurationWith(change.content, environment);
  if (change.written.length > 0) writeChange(change);
  const systems = await checkSystems(configuration, { patienceMs });
  return {
    file: change.path,
    written: change.written,
    systems: systems.map((finding) => ({ ...finding, found: configuration.redact(finding.found) })),
    preview: await look(configuration, systems, lastMs),
    sender: sender === null ? null : introduce(sender, configuration),
    reachable: systems.every((finding) => finding.reachable),
  };
}

function senderOf(named: string | undefined): Sender | null {
  if (named === undefined) return null;
  const sender = senders.find((known) => known === named);
  if (sender !== undefined) return sender;
  throw new SondeError('bad_argument', {
    message: `There is no sender ${JSON.stringify(named)}`,
    remedy: `It may be ${senders.join(', ')}.`,
  });
}

async function look(
  configuration: Configuration,
  systems: readonly SystemFinding[],
  lastMs: number,
): Promise<readonly DryRunResult[]> {
  const well = new Set(systems.filter(({ reachable }) => reachable).map(({ name }) => name));
  const names = [...well].map((name) => name.replace('system:', ''));
  const to = systemClock.now();
  const window = {
    from: to - lastMs,
    to,
    baseline_from: to - 2 * lastMs,
    derivation: 'the time until now, as somebody who sets it up asked for',
  };
  const seen = names.map(async (only) => {
    const systems = await openSystems(configuration, { only });
    try {
      const signals = systems.flatMap((system) => system.signals);
      return await dryRun(signals, { window, mask: openMasker(configuration), patienceMs });
    } finally {
      await closeSystems(systems);
    }
  });
  return (await Promise.all(seen)).flat();
}

/** The token of the sender is made once, and kept in a file for its owner. */
function introduce(sender: Sender, configuration: Configuration): NonNullable<InitOutcome['sender']> {
  const { values, directories: where } = configuration;
  const place = { kind: 'alerts' } as const;
  const tokens = openTokens(where);
  try {
    const path = tokens.atomic(() => {
      const keptToken = readSavedToken(where, place, sender);
      const entry = keptToken === null ? null : tokens.check(keptToken.token, place);
      if (keptToken !== null && entry?.kind === 'holder' && entry.token.sender === sender)
        return keptToken.path;
      // A token whose file is gone, or that was revoked, is made again. One of the same name that was given to somebody
      // stays.
      const taken = new Set(
        tokens.list().flatMap((token) => (token.place.kind === 'alerts' && !token.kept ? [token.name] : [])),
      );
      const name = taken.has(sender) ? `${sender}-init` : sender;
      tokens.remove(place, name, thisUser());
      const token = tokens.add({ name, place, allow: null, author: false, kept: true, sender }, thisUser());
      return saveToken(where, place, sender, token);
    });
    const url =
      values.serve_public_url ??
      `${values.serve_tls_cert_file === undefined ? 'http' : 'https'}://${hostOf(values.serve_bind)}:${values.serve_port}`;
    const snippet = snippetFor(sender, { url: url.replace(/\/$/, ''), tokenFile: path });
    return { name: sender, token_file: path, snippet };
  } finally {
    tokens.close();
  }
}

/** Senders need an address, but only the owner of the machine knows which one they can reach. */
const hostOf = (bind: string): string =>
  bind === '0.0.0.0' || bind === '::' ? 'THIS-HOST' : bind.includes(':') ? `[${bind}]` : bind;
