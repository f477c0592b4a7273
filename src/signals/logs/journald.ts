/** Reads the journal of systemd with `journalctl -o json`, in which times are microseconds as text. */
import { type Clock, messageOf, type Signal, shortLine } from '../../core/index.ts';
import type { RunCommand } from '../command.ts';
import { checkHealth } from '../health.ts';
import { failure, type SystemSource } from '../question.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from './log-questions.ts';
import { type LogRecord, levelOf } from './record.ts';

export interface JournaldOptions {
  /** Runs `journalctl`, and nothing else. */
  readonly run: RunCommand;
  readonly clock: Clock;
  /** The units whose entries are read. Default: all. */
  readonly units?: readonly string[];
  /** The name of the machine, which is shown in `source`. */
  readonly host?: string;
}

const maxOutputBytes = 512 * 1024 * 1024;
const outputFields = 'MESSAGE,PRIORITY,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER';

export function openJournald({ run, clock, units = [], host = 'this machine' }: JournaldOptions): Signal {
  const place: SystemSource = { system: 'journald', source: `journald of ${host}`, clock };
  const scan: Scan = async (request, onRecord, signal) => {
    const wantedUnits = request.service === undefined ? units : [request.service];
    const args = [
      '--no-pager',
      '--quiet',
      '--output=json',
      // Without this option a text of more than 4 KB is printed as null.
      '--all',
      `--output-fields=${outputFields}`,
      `--since=@${Math.floor(request.from / 1_000)}`,
      `--until=@${Math.ceil(request.to / 1_000)}`,
      ...wantedUnits.map((unit) => `--unit=${unit}`),
    ];
    const splitter = lineSplitter((line) => {
      const record = journalEntry(line);
      if (record !== null)
        onRecord(request.service === undefined ? record : { ...record, service: request.service });
    });
    const reply = await run({
      args,
      signal,
      maxBytes: maxOutputBytes,
      onOutput(chunk) {
        splitter.push(chunk);
        return signal.aborted ? 'enough' : 'more';
      },
    }).catch((thrown: unknown) =>
      failure('unreachable', `journalctl could not be run: ${messageOf(thrown)}`),
    );
    if ('kind' in reply) return reply;
    splitter.end();
    if (reply.code !== 0 && reply.ended === 'exit')
      return failure('refused', `journalctl: ${shortLine(reply.stderr, 200)}`);
    return {
      kind: 'scanned',
      query: `journalctl ${wantedUnits.map((unit) => `--unit=${unit}`).join(' ')}${filterText(request)}`,
      whole: reply.ended === 'exit',
      notes: reply.stderr.trim() === '' ? [] : [shortLine(reply.stderr, 200)],
    };
  };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'lines of the journal by unit, and their patterns',
    questions: Object.freeze([linesQuestion(place, scan), patternsQuestion(place, scan)]),
    health: (signal, mask) =>
      checkHealth(
        async (checkSignal) => {
          const versionReply = await run({ args: ['--version'], signal: checkSignal, maxBytes: 4_096 });
          if (versionReply.code !== 0)
            return failure('refused', `journalctl: ${shortLine(versionReply.stderr, 200)}`);
          // If there is no readable journal, journalctl prints that to standard error, and exits with 0.
          const args = ['--no-pager', '--quiet', '--output=json', '--output-fields=PRIORITY', '--lines=1'];
          const lastEntry = await run({ args, signal: checkSignal, maxBytes: 65_536 });
          if (lastEntry.code !== 0)
            return failure('refused', `journalctl: ${shortLine(lastEntry.stderr, 200)}`);
          if (lastEntry.stdout.length === 0)
            return failure(
              'not_found',
              'journalctl shows no entry: there is no journal, or this user may not read it (the group systemd-journal may)',
            );
          return { kind: 'healthy', version: /systemd (\d+)/.exec(String(versionReply.stdout))?.[1] ?? null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

function lineSplitter(onLine: (line: string) => void): { push(chunk: Buffer): void; end(): void } {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    push(chunk) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop()!;
      for (const part of parts) onLine(part);
    },
    end() {
      if (rest !== '') onLine(rest);
    },
  };
}

export function journalEntry(line: string): LogRecord | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const micros = Number(value['__REALTIME_TIMESTAMP']);
  const message = textOf(value['MESSAGE']);
  if (message === null) return null;
  const unit = textOf(value['_SYSTEMD_UNIT']) ?? textOf(value['SYSLOG_IDENTIFIER']);
  return {
    at: Number.isFinite(micros) ? Math.floor(micros / 1_000) : null,
    service: unit,
    level: levelOf(value['PRIORITY']),
    message,
    fields: {},
  };
}

/**
 * The text of a field. journalctl prints bytes that are not UTF-8 as a list of numbers, and a field that was set twice
 * as a list of texts.
 */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  return value.every((one) => typeof one === 'number')
    ? Buffer.from(value as number[]).toString('utf8')
    : value.map((one) => textOf(one) ?? '').join('\n');
}
