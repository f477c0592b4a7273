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
import { type GivenSettings, loadGivenSettings } from './given-settings.ts';
import { planChange, writeChange } from './settings-file.ts';
import { formatSnippet } from './snippets.ts';

export interface InitRequest {
  readonly given: GivenSettings;
  readonly sender?: string;
  /** The settings file to write. Absent: the user's own. */
  readonly out?: string;
  /** The length of the preview's time window, which ends now. Milliseconds. */
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
const timeoutMs = 10_000;

/** Throws for wrong input before anything is written. */
export async function initIncident(request: InitRequest, environment: Environment): Promise<InitOutcome> {
  const { given, force, lastMs } = request;
  const sender = parseSender(request.sender);
  const sondeDirectories = directories(environment);
  const change = planChange(request.out ?? userConfigFile(sondeDirectories), given, force);
  const configuration = loadGivenSettings(change.content, environment);
  if (change.written.length > 0) writeChange(change);
  const systems = await checkSystems(configuration, { timeoutMs });
  return {
    file: change.path,
    written: change.written,
    systems: systems.map((finding) => ({ ...finding, found: configuration.redact(finding.found) })),
    preview: await previewAlert(configuration, systems, lastMs),
    sender: sender === null ? null : setUpSender(sender, configuration),
    reachable: systems.every((finding) => finding.reachable),
  };
}

function parseSender(senderName: string | undefined): Sender | null {
  if (senderName === undefined) return null;
  const sender = senders.find((known) => known === senderName);
  if (sender !== undefined) return sender;
  throw new SondeError('bad_argument', {
    message: `There is no sender ${JSON.stringify(senderName)}`,
    remedy: `It may be ${senders.join(', ')}.`,
  });
}

async function previewAlert(
  configuration: Configuration,
  systems: readonly SystemFinding[],
  lastMs: number,
): Promise<readonly DryRunResult[]> {
  const reachableNames = new Set(systems.filter(({ reachable }) => reachable).map(({ name }) => name));
  const names = [...reachableNames].map((name) => name.replace('system:', ''));
  const now = systemClock.now();
  const window = {
    from: now - lastMs,
    to: now,
    baseline_from: now - 2 * lastMs,
    derivation: 'the time until now, as somebody who sets it up asked for',
  };
  const previews = names.map(async (systemName) => {
    const systems = await openSystems(configuration, { only: systemName });
    try {
      const signals = systems.flatMap((system) => system.signals);
      return await dryRun(signals, { window, mask: openMasker(configuration), timeoutMs });
    } finally {
      await closeSystems(systems);
    }
  });
  return (await Promise.all(previews)).flat();
}

/** Makes the token of the sender, or finds the one that an earlier call made and kept in a file. */
function setUpSender(sender: Sender, configuration: Configuration): NonNullable<InitOutcome['sender']> {
  const { values, directories: sondeDirectories } = configuration;
  const tokenPlace = { kind: 'alerts' } as const;
  const tokens = openTokens(sondeDirectories);
  try {
    const path = tokens.atomic(() => {
      const keptToken = readSavedToken(sondeDirectories, tokenPlace, sender);
      const entry = keptToken === null ? null : tokens.check(keptToken.token, tokenPlace);
      if (keptToken !== null && entry?.kind === 'holder' && entry.token.sender === sender)
        return keptToken.path;
      // If the file is gone or the token was revoked, a new token is made. A token of the same name that a person was
      // given stays, so the new one gets another name.
      const taken = new Set(
        tokens.list().flatMap((token) => (token.place.kind === 'alerts' && !token.kept ? [token.name] : [])),
      );
      const name = taken.has(sender) ? `${sender}-init` : sender;
      tokens.remove(tokenPlace, name, thisUser());
      const token = tokens.add(
        { name, place: tokenPlace, allow: null, author: false, kept: true, sender },
        thisUser(),
      );
      return saveToken(sondeDirectories, tokenPlace, sender, token);
    });
    const url =
      values.serve_public_url ??
      `${values.serve_tls_cert_file === undefined ? 'http' : 'https'}://${senderHost(values.serve_bind)}:${values.serve_port}`;
    const snippet = formatSnippet(sender, { url: url.replace(/\/$/, ''), tokenFile: path });
    return { name: sender, token_file: path, snippet };
  } finally {
    tokens.close();
  }
}

/** Returns the host for the sender's configuration; a placeholder if Sonde listens on all addresses. */
const senderHost = (bind: string): string =>
  bind === '0.0.0.0' || bind === '::' ? 'THIS-HOST' : bind.includes(':') ? `[${bind}]` : bind;
