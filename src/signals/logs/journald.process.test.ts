/** The journal read by the real journalctl, from journals that Debian's systemd-journal-remote wrote. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, type Observation, type Signal } from '../../core/index.ts';
import { missingPrograms } from '../real-server.contract.ts';
import { runReal } from '../run-command.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { openJournald } from './journald.ts';

/** It is no program for people, and so not on the PATH. */
const writer = '/usr/lib/systemd/systemd-journal-remote';
const minute = 60_000;
const noon = Date.UTC(2026, 6, 11, 12);
const clock = manualClock(noon + 60 * minute);
const window = {
  from: noon,
  to: noon + 30 * minute,
  baseline_from: noon - 120 * minute,
  derivation: 'made up',
};

interface Entry {
  /** Minutes after noon. */
  readonly at: number;
  readonly message: string | Buffer;
  readonly priority: number;
  readonly unit?: string;
}

/** The export format of the journal: what is no plain line stands behind its length. */
function exported(entries: readonly Entry[]): Buffer {
  const id = '0123456789abcdef0123456789abcdef';
  return Buffer.concat(
    entries.flatMap(({ at, message, priority, unit }, n) => {
      const bytes = Buffer.from(message);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(bytes.length));
      const fields = [
        `__REALTIME_TIMESTAMP=${(noon + at * minute) * 1_000}`,
        `__MONOTONIC_TIMESTAMP=${(n + 1) * 1_000_000}`,
        `_BOOT_ID=${id}`,
        `PRIORITY=${priority}`,
        unit === undefined ? 'SYSLOG_IDENTIFIER=kernel' : `_SYSTEMD_UNIT=${unit}`,
      ];
      return [Buffer.from(`${fields.join('\n')}\nMESSAGE\n`), length, bytes, Buffer.from('\n\n')];
    }),
  );
}

describe.skipIf(missingPrograms('journalctl', writer) !== null)('a real journal', () => {
  const place = mkdtempSync(join(tmpdir(), 'sonde-journal-'));
  const folder = join(place, 'machine');
  const empty = join(place, 'empty');
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const write = (file: string, entries: readonly Entry[]): void => {
    execFileSync(writer, [`--output=${join(folder, file)}`, '-'], {
      input: exported(entries),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  };
  const signalOf = (directory: string, units?: readonly string[]): Signal =>
    openJournald({
      run: runReal('journalctl', '/', [`--directory=${directory}`]),
      clock,
      ...(units !== undefined && { units }),
    });
  const asked = async (signal: Signal, name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const question = signal.questions.find((one) => one.name === name)!;
    const seen = await question.ask(question.parameters.parse(args) as never, {
      window,
      limits: contractLimits,
      signal: AbortSignal.timeout(20_000),
    });
    expect(seen.kind).toBe('observation');
    return seen as Observation;
  };

  beforeAll(() => {
    mkdirSync(folder);
    mkdirSync(empty);
    const shop = (at: number, message: string | Buffer, priority = 6): Entry => ({
      at,
      message,
      priority,
      unit: 'shop.service',
    });
    // Two files, as after a rotation.
    write('system@1.journal', [
      ...Array.from({ length: 20 }, (_, n) => shop(n - 100, `served ${n}`)),
      shop(-1, 'the last before noon', 3),
    ]);
    write('system.journal', [
      ...Array.from({ length: 40 }, (_, n) => shop(n / 4, `charge ${n} failed, token=journal-secret`, 3)),
      shop(11, 'first line\nsecond line', 3),
      shop(12, `long ${'x'.repeat(6_000)}`, 3),
      shop(13, Buffer.from([72, 105, 255]), 4),
      { at: 14, message: 'Out of memory: Killed process 812 (shop)', priority: 2 },
      { at: 15, message: 'another unit', priority: 3, unit: 'cart.service' },
      shop(31, 'behind the window', 3),
    ]);
  });

  it('lines of the window, from both files', async () => {
    const { rows } = await asked(signalOf(folder), 'journald_lines', { limit: 200 });
    const lines = rows.kind === 'lines' ? rows.lines : [];
    expect(lines).toHaveLength(45);
    expect(lines[0]).toMatchObject({
      at: noon,
      service: 'shop.service',
      level: 'ERROR',
      text: 'charge 0 failed, token=[secret]',
    });
    const texts = lines.map(({ text }) => text);
    expect(texts.filter((text) => /before noon|behind the window|served/.test(text))).toEqual([]);
    expect(texts.some((text) => /first line.second line/s.test(text))).toBe(true);
    expect(texts.some((text) => text.startsWith('long xxx'))).toBe(true);
    expect(lines.find(({ service }) => service === 'kernel')).toMatchObject({ level: 'FATAL' });
    expect(lines.find(({ level }) => level === 'WARN')?.text).toBe('Hi\ufffd');
  });

  it.each([
    ['of the units that are configured', ['cart.service'], {}],
    ['of the unit that is asked for', undefined, { service: 'cart.service' }],
  ])('lines %s', async (_, units, args) => {
    const { rows } = await asked(signalOf(folder, units), 'journald_lines', args);
    expect(rows.kind === 'lines' && rows.lines.map(({ text }) => text)).toEqual(['another unit']);
  });

  it('patterns with their count, against the time before', async () => {
    const { rows } = await asked(signalOf(folder), 'journald_patterns');
    const patterns = rows.kind === 'patterns' ? rows.patterns : [];
    expect(patterns.find(({ template }) => /charge .* failed/.test(template))).toMatchObject({
      count: 40,
      baseline: 0,
    });
  });

  it('its health is that of the journal, and not of the program', async () => {
    expect(await signalOf(folder).health()).toMatchObject({
      kind: 'healthy',
      version: expect.stringMatching(/^\d+$/),
    });
    expect(await signalOf(empty).health()).toMatchObject({
      kind: 'unhealthy',
      reason: expect.stringContaining('shows no entry'),
    });
    expect(await signalOf(join(place, 'nowhere')).health()).toMatchObject({
      kind: 'unhealthy',
      reason: expect.stringContaining('No such file'),
    });
  });

  signalContract('journald over a real journal', async () => ({
    signal: signalOf(folder),
    window,
    ask: { journald_lines: {}, journald_patterns: {} },
    plentiful: ['journald_lines', 'journald_patterns'],
    secrets: ['journal-secret'],
    broken: {
      unreachable: openJournald({ run: runReal('/no/such/journalctl', '/'), clock }),
      silent: openJournald({ run: runReal('sh', '/', ['-c', 'sleep 60']), clock }),
    },
    dispose: async () => {},
  }));
});
