/** The journal of systemd, by `journalctl -o json`. Times are texts of microseconds; bytes come as numbers. */
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
  /** Only of these units. */
  readonly units?: readonly string[];
  /** For people: the machine. */
  readonly host?: string;
}

const maxBytes = 512 * 1024 * 1024;
const fields = 'MESSAGE,PRIORITY,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER';

export function openJournald({ run, clock, units = [], host = 'this machine' }: JournaldOptions): Signal {
  const place: SystemSource = { system: 'journald', source: `journald of ${host}`, clock };
  const scan: Scan = async (stretch, see, signal) => {
    const wanted = stretch.service === undefined ? units : [stretch.service];
    const args = [
      '--no-pager',
      '--quiet',
      '--output=json',
      // Without it a text of more than 4 KB comes as null.
      '--all',
      `--output-fields=${fields}`,
      `--since=@${Math.floor(stretch.from / 1_000)}`,
      `--until=@${Math.ceil(stretch.to / 1_000)}`,
      ...wanted.map((unit) => `--unit=${unit}`),
    ];
    const lines = splitter((line) => {
      const record = journalEntry(line);
      if (record !== null)
        see(stretch.service === undefined ? record : { ...record, service: stretch.service });
    });
    const reply = await run({
      args,
      signal,
      maxBytes: maxBytes,
      onOutput(chunk) {
        lines.push(chunk);
        return signal.aborted ? 'enough' : 'more';
      },
    }).catch((thrown: unknown) =>
      failure('unreachable', `journalctl could not be run: ${messageOf(thrown)}`),
    );
    if ('kind' in reply) return reply;
    lines.end();
    if (reply.code !== 0 && reply.ended === 'exit')
      return failure('refused', `journalctl: ${shortLine(reply.stderr, 200)}`);
    return {
      kind: 'scanned',
      query: `journalctl ${wanted.map((unit) => `--unit=${unit}`).join(' ')}${filterText(stretch)}`,
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
        async (within) => {
          const commandReply = await run({ args: ['--version'], signal: within, maxBytes: 4_096 });
          if (commandReply.code !== 0)
            return failure('refused', `journalctl: ${shortLine(commandReply.stderr, 200)}`);
          // If there is no readable journal, journalctl prints that to standard error, and exits with 0.
          const args = ['--no-pager', '--quiet', '--output=json', '--output-fields=PRIORITY', '--lines=1'];
          const last = await run({ args, signal: within, maxBytes: 65_536 });
          if (last.code !== 0) return failure('refused', `journalctl: ${shortLine(last.stderr, 200)}`);
          if (last.stdout.length === 0)
            return failure(
              'not_found',
              'journalctl shows no entry: there is no journal, or this user may not read it (the group systemd-journal may)',
            );
          return { kind: 'healthy', version: /systemd (\d+)/.exec(String(commandReply.stdout))?.[1] ?? null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

function splitter(see: (line: string) => void): { push(chunk: Buffer): void; end(): void } {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    push(chunk) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop()!;
      for (const part of parts) see(part);
    },
    end() {
      if (rest !== '') see(rest);
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
