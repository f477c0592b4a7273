import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IncidentWindow, Observation, Signal, SignalFailure, SignalLimits } from '../core/index.ts';
import { contractLimits } from './asking.contract.ts';
import { countRows } from './rows.ts';

export { contractLimits };

/** What every signal must hold to, whatever is behind it. */
export interface ContractSubject {
  readonly signal: Signal;
  /** A window in which there is something to see. */
  readonly window: IncidentWindow;
  /** Arguments for every question, by its name. */
  readonly ask: Readonly<Record<string, unknown>>;
  /** Questions that have more than one row to show with these arguments. */
  readonly plentiful?: readonly string[];
  /** Credentials that were given to it, and secrets that lie in what it reads. */
  readonly secrets?: readonly string[];
  /** The same system when nobody is there, when it never answers, and when it answers rubbish. */
  readonly broken?: {
    readonly unreachable?: Signal;
    readonly silent?: Signal;
    readonly garbage?: Signal;
  };
  dispose(): Promise<void>;
}

/** No question says that it does any of these. */
const changing =
  /_(create|delete|remove|update|write|set|put|patch|restart|scale|kill|apply|drop|insert|flush|silence|deploy|exec|run|trigger)(_|$)/;
/** A question's arguments hold no time. */
const timely = /^(from|to|start|end|since|until|before|after|time|window|range|at|ago)$/i;

export function signalContract(name: string, open: () => Promise<ContractSubject>): void {
  describe(`${name}: contract of a signal`, () => {
    let subject: ContractSubject;
    let seen: unknown[];
    beforeAll(async () => {
      subject = await open();
      seen = [];
    });
    afterAll(async () => {
      await subject.signal.close();
      await subject.dispose();
    });

    const ask = async (
      question: string,
      change: {
        window?: IncidentWindow;
        limits?: Partial<SignalLimits>;
        signal?: AbortSignal;
        of?: Signal;
      } = {},
    ): Promise<Observation | SignalFailure> => {
      const found = (change.of ?? subject.signal).questions.find((one) => one.name === question);
      if (found === undefined) throw new Error(`No question ${question}.`);
      const reply = await found.ask(subject.ask[question], {
        window: change.window ?? subject.window,
        limits: { ...contractLimits, ...change.limits },
        ...(change.signal && { signal: change.signal }),
      });
      seen.push(reply);
      return reply;
    };
    const askForObservation = async (...args: Parameters<typeof ask>): Promise<Observation> => {
      const reply = await ask(...args);
      if (reply.kind === 'failure') throw new Error(`${args[0]}: ${reply.reason}: ${reply.message}`);
      return reply;
    };
    const names = (): readonly string[] => subject.signal.questions.map((one) => one.name);

    test('its questions are named after it, and none changes anything or asks for a time', () => {
      const { system, questions } = subject.signal;
      expect(new Set(names()).size).toBe(questions.length);
      expect(names().length).toBeGreaterThan(0);
      expect(Object.keys(subject.ask).toSorted()).toEqual(names().toSorted());
      for (const { name, parameters } of questions) {
        expect(name).toMatch(new RegExp(`^${system}_[a-z0-9_]+$`));
        expect(name).not.toMatch(changing);
        const shape = (parameters as { shape?: Record<string, unknown> }).shape ?? {};
        for (const key of Object.keys(shape)) expect(key).not.toMatch(timely);
      }
    });

    test('it is there', async () => {
      const health = await subject.signal.health();
      seen.push(health);
      expect(health.kind).toBe('healthy');
    });

    test('an observation says what was asked, of whom, when, and about what time', async () => {
      for (const name of names()) {
        const reply = await askForObservation(name);
        expect(reply.query, name).not.toBe('');
        expect(reply.source).toBe(subject.signal.source);
        expect(reply.window).toEqual(subject.window);
        expect(Number.isFinite(reply.at)).toBe(true);
        expect(reply.text).not.toBe('');
        expect(Object.isFrozen(reply) && Object.isFrozen(reply.rows)).toBe(true);
        expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(contractLimits.bytes);
      }
    });

    test('nothing lies outside the window and the calm before it', async () => {
      const { baseline_from, to } = subject.window;
      for (const name of names())
        for (const at of timesOf(withoutBrought(await askForObservation(name)))) {
          expect(at, name).toBeGreaterThanOrEqual(baseline_from);
          expect(at, name).toBeLessThan(to);
        }
    });

    test('of a time long ago it shows nothing that has a time', async () => {
      const hour = 3_600_000;
      const from = Date.UTC(1995, 0, 1);
      const window = { from, to: from + hour, baseline_from: from - hour, derivation: 'long ago' };
      for (const name of names()) {
        const reply = await ask(name, { window });
        if (reply.kind === 'observation') expect(timesOf(reply), name).toEqual([]);
      }
    });

    test('caps hold, and what they cut is told', async () => {
      for (const name of names()) {
        const one = await askForObservation(name, { limits: { rows: 1 } });
        expect(countRows(one.rows), name).toBeLessThanOrEqual(1);
        const short = await askForObservation(name, { limits: { bytes: 300 } });
        expect(Buffer.byteLength(short.text), name).toBeLessThanOrEqual(300);
        if (!(subject.plentiful ?? []).includes(name)) continue;
        expect(one.truncated, name).not.toBeNull();
        expect(one.completeness, name).toBe('partial');
        if (one.truncated?.total !== null) expect(one.truncated?.total, name).toBeGreaterThan(1);
      }
    });

    test('bad arguments and a cancelled request are values', async () => {
      for (const { name, ask } of subject.signal.questions) {
        const bad = await ask(42, { window: subject.window, limits: contractLimits });
        expect(bad, name).toMatchObject({ kind: 'failure', reason: 'bad_query' });
      }
      for (const name of names())
        expect(await ask(name, { signal: AbortSignal.abort() })).toMatchObject({
          kind: 'failure',
          reason: 'cancelled',
        });
    });

    test('a system that is away, silent or talks rubbish is a value too', async () => {
      const { unreachable, silent, garbage } = subject.broken ?? {};
      for (const name of names()) {
        if (unreachable !== undefined)
          expect(await ask(name, { of: unreachable }), name).toMatchObject({
            kind: 'failure',
            reason: 'unreachable',
          });
        if (silent !== undefined)
          expect(await ask(name, { of: silent, limits: { timeoutMs: 150 } }), name).toMatchObject({
            kind: 'failure',
            reason: 'timeout',
          });
        if (garbage !== undefined) expect((await ask(name, { of: garbage })).kind, name).toBe('failure');
      }
      for (const one of [unreachable, garbage])
        if (one !== undefined) {
          const health = await one.health();
          seen.push(health);
          expect(health.kind).toBe('unhealthy');
        }
      for (const one of [unreachable, silent, garbage]) await one?.close();
    });

    test('no secret is in anything it said', () => {
      const { signal, secrets = [] } = subject;
      const said = JSON.stringify([seen, signal.source, signal.offers, signal.questions]);
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(5);
        for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
          expect(said.includes(form), 'a secret was told').toBe(false);
      }
    });
  });
}

/** A commit counts at the time of the deploy that brought it. */
function withoutBrought(one: Observation): Observation {
  if (one.rows.kind !== 'changes') return one;
  const brought = one.rows.changes.flatMap(({ kind, commits }) => (kind === 'commit' ? [] : commits));
  const changes = one.rows.changes.filter(({ id }) => !brought.includes(id));
  return { ...one, rows: { kind: 'changes', changes } };
}

function timesOf({ rows }: Observation): readonly number[] {
  switch (rows.kind) {
    case 'series':
      return rows.series.flatMap(({ points }) => points.map(([at]) => at));
    case 'lines':
      return rows.lines.flatMap(({ at }) => at ?? []);
    case 'patterns':
      return rows.patterns.flatMap(({ first }) => first ?? []);
    case 'changes':
      return rows.changes.map(({ at }) => at);
    case 'spans':
      return rows.spans.map(({ at }) => at);
    case 'alerts':
    case 'table':
      return [];
  }
}
