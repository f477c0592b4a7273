/** The kind of run `incident`: over the configured systems, or over a recorded incident in a folder. */

import { resolve } from 'node:path';
import type { ChangedNamesReader } from '../../code/changed-names.ts';
import { formatIncidentReport } from '../../core/incidents.ts';
import { type CheckedIncident, decodeSentText, type Signal, SondeError } from '../../core/index.ts';
import { listEvidence } from '../../core/runs.ts';
import type { IncidentPorts, IncidentTypes } from '../../tasks/index.ts';
import { exitCodeOfIncident } from '../cli/exit-codes.ts';
import { readGivenFile } from '../cli/given-file.ts';
import type { Configuration } from '../config/index.ts';
import { checkedIncident, incidentJson } from '../incident/json.ts';
import { reportPath } from '../incident/places.ts';
import type { OpenSignals } from '../incident/signals.ts';
import { openMasker } from '../masking.ts';
import { type AppTypes, appKind, type CallerParts, type KindRequest } from '../runs/run-kind.ts';
import type { Watch } from '../runs/watch.ts';
import { readStandardInput } from '../standard-input.ts';

export interface IncidentRequest extends KindRequest {
  /** The alert as it was sent. If absent, the alert of the recorded incident is used (`replay`). */
  readonly alert?: string;
  /** A folder with a recorded incident, instead of the configured systems. */
  readonly replay?: string;
}

export interface OpenSystems {
  readonly signals: OpenSignals;
  readonly ports: Omit<IncidentPorts, 'models'>;
  close(): Promise<void>;
}

interface Incident extends AppTypes {
  readonly run: IncidentTypes;
  readonly request: IncidentRequest;
  readonly place: { readonly replay: string | null };
  readonly open: OpenSystems;
  readonly value: CheckedIncident;
}

interface Flags {
  readonly text?: string;
  readonly replay?: string;
}

/** Limits if the user set none, the time in milliseconds. Systems take their time to answer. */
const ownDefaults = { max_time: 300_000, max_tokens: 600_000 } as const;

export const incident = appKind<Incident>({
  definition: async () => (await import('../../tasks/incident/index.ts')).incidentRun,
  place: ({ replay }) => ({ replay: replay === undefined ? null : resolve(replay) }),
  placeOf: ({ extra: { replay } }) => ({ replay: typeof replay === 'string' ? replay : null }),
  project: () => null,
  open: async ({ replay }, { configuration, watch, callerParts }) =>
    openSystems(configuration, replay, watch, await collectSignals(callerParts)),
  request({ alert: givenAlert }, { place: { replay }, configuration, open: { signals } }) {
    const alert = givenAlert ?? signals.alert;
    if (alert === null)
      throw new SondeError('bad_argument', {
        message: replay === null ? 'There is no alert' : `${replay} holds no alert`,
        remedy: 'Give one: sonde incident ALERT.json, sonde incident -, or sonde incident --text "...".',
      });
    return {
      // Masked with the key of this installation; what is overlooked here is masked where it is read.
      alert: openMasker(configuration).system(alert),
      root: replay ?? process.cwd(),
      limits: toLimits(configuration),
      reader: configuration.values.reader === 'on',
      extra: { replay },
      ...(signals.now !== null && { now: signals.now }),
    };
  },
  async openForReplay({ replay }, configuration, callerParts) {
    const { openSignals } = await import('../incident/signals.ts');
    const { signals, close } = await openSignals(configuration, replay, await collectSignals(callerParts));
    return { value: signals, close };
  },
  value: ({ incident, result }) => checkedIncident(incident, result),
  evaluated: {
    needsQuestion: false,
    request: ({ question, folder }) => ({
      replay: folder,
      ...(question !== undefined && { alert: question }),
    }),
    args: ({ question, folder }) => [
      'incident',
      '--replay',
      folder,
      ...(question === undefined ? [] : ['--text', question]),
    ],
  },
  command: {
    name: 'incident',
    description: 'investigate an alert: find what happened and why, with evidence; it only reads the systems',
    arguments: [
      {
        name: '[alert]',
        what: 'a file with the alert as it was sent (Alertmanager, Grafana, PagerDuty, OpsGenie, CloudWatch, Datadog, Sentry, JSON, text), or - for standard input',
      },
    ],
    options: [
      { flag: '--text <text>', what: 'the alert in your own words' },
      {
        flag: '--replay <folder>',
        what: 'investigate the incident recorded in this folder, without asking any system; its alert is used unless you give another',
      },
      { setting: 'turns', placeholder: 'n' },
    ],
    limits: ownDefaults,
    json: 'print one JSON object and nothing else',
    async request([file], flags: Flags) {
      const { alertLimits } = await import('../../tasks/incident/index.ts');
      const alert = await readAlert(file, flags, alertLimits.bodyBytes);
      const { replay } = flags;
      return { ...(alert !== undefined && { alert }), ...(replay !== undefined && { replay }) };
    },
  },
  shown: {
    json: ({ incident, result }) => incidentJson(incident, result),
    exitCode: ({ incident }) => exitCodeOfIncident(incident),
    text: ({ incident }, evidence) => formatIncidentReport(incident, evidence).trimEnd(),
    report: ({ incident }, log) =>
      incident === undefined ? null : formatIncidentReport(incident, listEvidence(log)),
    fields: ({ incident, result }) =>
      incident === undefined ? {} : { incident: incidentJson(incident, result) },
  },
  async offer({ configuration, callerParts = {} }) {
    const { openSignals } = await import('../incident/signals.ts');
    const open = await openSignals(
      configuration,
      null,
      await collectSignals({ signals: callerParts.signals ?? [] }),
    );
    const { notes } = open;
    // A conversation is not told that no system is configured.
    if (open.signals.length === 0) {
      await open.close();
      return null;
    }
    const { signals, mask, sinks } = await openPorts(configuration, open);
    const names = openNamesReader();
    const close = async () => {
      await Promise.all([open.close(), names.close()]);
    };
    return {
      value: { signals, mask, sinks, changedNames: names.read, root: process.cwd() },
      notes,
      close,
    };
  },
});

export function toLimits({ values, sources }: Pick<Configuration, 'values' | 'sources'>) {
  return {
    iterations: values.turns,
    wall_ms: sources.max_time === 'default' ? ownDefaults.max_time : values.max_time,
    tool_ms: values.action_timeout,
    tokens: sources.max_tokens === 'default' ? ownDefaults.max_tokens : values.max_tokens,
    usd: values.max_usd,
  };
}

/** The systems that the calling program passed in: its signals, and its tools as one more signal. */
async function collectSignals({ signals = [], tools = [] }: CallerParts): Promise<readonly Signal[]> {
  if (tools.length === 0) return signals;
  const { createToolsSignal: toolsSignal } = await import('../library/tools-signal.ts');
  return [...signals, toolsSignal(tools)];
}

/** `replay`: a folder with a recorded incident. */
export async function openSystems(
  configuration: Configuration,
  replay: string | null,
  { onNote }: Pick<Watch, 'onNote'>,
  callerParts?: readonly Signal[],
): Promise<OpenSystems> {
  const { openSignals } = await import('../incident/signals.ts');
  const signals = await openSignals(configuration, replay, callerParts);
  for (const note of signals.notes) onNote?.(note);
  const names = openNamesReader();
  const close = async () => {
    await Promise.all([signals.close(), names.close()]);
  };
  return {
    signals,
    ports: { ...(await openPorts(configuration, signals)), changedNames: names.read },
    close,
  };
}

/** Opens the parser only when the first diff is read. */
function openNamesReader(): ChangedNamesReader {
  let opening: Promise<ChangedNamesReader> | undefined;
  return {
    async read(change, waitMs) {
      opening ??= import('../../code/changed-names.ts').then(({ openChangedNames }) => openChangedNames());
      return (await opening).read(change, waitMs);
    },
    close: async () => (await opening)?.close(),
  };
}

/** Closes the systems if something else cannot be opened. */
async function openPorts(configuration: Configuration, { signals, close }: OpenSignals) {
  try {
    const [{ openSinks }, { openErrorSink }, { reportFile }] = await Promise.all([
      import('../incident/sinks.ts'),
      import('../incident/errors.ts'),
      import('../../tasks/incident/index.ts'),
    ]);
    const sinks = await openSinks(configuration);
    const folder = configuration.values.runbooks;
    return {
      signals,
      mask: openMasker(configuration),
      sinks: (run: string) => [reportFile(reportPath(configuration, run)), ...sinks],
      errors: openErrorSink(configuration),
      earlier: true,
      ...(folder !== undefined && {
        runbooks: async () => (await import('../incident/runbooks.ts')).readRunbooks(folder),
      }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined only with `--replay`: the alert is that of the recorded incident. */
async function readAlert(
  file: string | undefined,
  { text, replay }: Flags,
  maxSize: number,
): Promise<string | undefined> {
  if (file !== undefined && text !== undefined)
    throw new SondeError('bad_argument', {
      message: 'The alert is given twice, as a file and as --text',
      remedy: 'Give one of them.',
    });
  if (text !== undefined) return text;
  if (file === '-') return decodeSentText(await readStandardInput());
  if (file !== undefined)
    return decodeSentText(
      readGivenFile(file, {
        maxSize,
        remedies: {
          missing: 'Name the file that holds the alert.',
          large: 'Name a file that holds one alert as it was sent.',
        },
      }),
    );
  if (replay !== undefined) return undefined;
  throw new SondeError('bad_argument', {
    message: 'There is no alert to investigate',
    remedy: 'Name a file, - for standard input, --text "...", or --replay FOLDER.',
  });
}
