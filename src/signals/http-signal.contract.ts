/**
 * What every system behind HTTP must hold to, beside the contract of a signal: the same troubles for each of them,
 * made by a double of it that is its own again afterwards. Titles cite the checklist of incidents.
 */
import { describe, expect, test } from 'vitest';
import type { IncidentWindow, Observation, Signal, SignalFailure } from '../core/index.ts';
import { askQuestion, contractLimits } from './asking.contract.ts';
import {
  brokenServers,
  type DoubleAnswer,
  type DoubleRequest,
  type HttpDouble,
  httpDouble,
} from './http-double.contract.ts';
import { signalContract } from './signal.contract.ts';

export interface HttpSubject {
  /** The double: answers as the system does, and refuses other credentials than those of `open`. */
  answer(request: DoubleRequest): DoubleAnswer | Promise<DoubleAnswer>;
  open(base: string): Signal;
  /** With credentials that the system does not know. */
  openStranger(base: string): Signal;
  readonly window: IncidentWindow;
  readonly ask: Readonly<Record<string, unknown>>;
  readonly plentiful?: readonly string[];
  /** Questions whose requests carry ends of the window; the others are clipped by the engine. */
  readonly timed: readonly string[];
  /** Paths that a query is posted to. */
  readonly posts?: readonly string[];
  /** Questions that read plain text, of which nobody can tell whether it is all. */
  readonly plainText?: readonly string[];
  readonly secrets: readonly string[];
}

type Fault = (
  request: DoubleRequest,
  count: number,
) => DoubleAnswer | undefined | Promise<DoubleAnswer | undefined>;

export function httpSignalContract(name: string, subject: HttpSubject): void {
  const { answer, open, openStranger, window, ask, timed, posts = [], secrets } = subject;
  const names = Object.keys(ask);

  signalContract(name, async () => {
    const server = await httpDouble(answer);
    const { broken, close } = await brokenServers(open);
    const { plainText = [], plentiful = [] } = subject;
    return {
      signal: open(server.base),
      window,
      ask,
      plentiful,
      secrets,
      broken: plainText.length > 0 ? { unreachable: broken.unreachable, silent: broken.silent } : broken,
      async dispose() {
        await server.close();
        await close();
      },
    };
  });

  /** Asks while the double is at fault, and then what it was asked. */
  const during = async <Value>(
    fault: Fault,
    run: (base: string, server: HttpDouble) => Promise<Value>,
  ): Promise<Value> => {
    let count = 0;
    const server = await httpDouble(async (request) => {
      const faulty = await fault(request, count++);
      return faulty === undefined ? answer(request) : faulty;
    });
    try {
      return await run(server.base, server);
    } finally {
      await server.close();
    }
  };
  const put = async (
    signal: Signal,
    question: string,
    args: unknown = ask[question],
    timeoutMs = contractLimits.timeoutMs,
  ): Promise<Observation | SignalFailure> => {
    const reply = await askQuestion(signal, question, args, window, { timeoutMs });
    const said = JSON.stringify(reply);
    for (const secret of secrets) expect(said.includes(secret), `${question} told a secret`).toBe(false);
    return reply;
  };
  const failsWith = (fault: Fault, expected: object, timeoutMs?: number) =>
    during(fault, async (base) => {
      for (const question of names)
        expect(await put(open(base), question, ask[question], timeoutMs), question).toMatchObject({
          kind: 'failure',
          ...expected,
        });
    });

  describe(`${name}: a system behind HTTP`, () => {
    // incident.md: extract_alert 5.
    test('the window is in every request that can carry one, and no argument widens it (extract_alert 5)', () =>
      during(
        () => undefined,
        async (base, server) => {
          const wide = { from: 0, to: 9e12, start: 0, end: 9e9, since: '1990-01-01T00:00:00Z', until: 'now' };
          for (const question of names) {
            const listRequestsOf = async (args: unknown) => {
              const before = server.requests.length;
              await put(open(base), question, args);
              return server.requests.slice(before).map((request) => ({ ...request, headers: null }));
            };
            const plain = await listRequestsOf(ask[question]);
            const times = plain.flatMap(timesOf);
            for (const at of times) {
              expect(at, question).toBeGreaterThanOrEqual(window.baseline_from - 1_000);
              expect(at, question).toBeLessThanOrEqual(window.to + 1_000);
            }
            expect(times.length > 0, `${question} has times`).toBe(timed.includes(question));
            expect(await listRequestsOf({ ...(ask[question] as object), ...wide }), question).toEqual(plain);
          }
        },
      ));

    test('it is only read: GET, and searches that are posted (Integrations 1)', () =>
      during(
        () => undefined,
        async (base, server) => {
          for (const question of names) await put(open(base), question);
          await open(base).health();
          const other = server.requests.filter(({ method }) => method !== 'GET');
          expect(other.filter(({ method, path }) => method !== 'POST' || !posts.includes(path))).toEqual([]);
        },
      ));

    test('an argument is no path (gather_evidence 2)', () =>
      during(
        () => undefined,
        async (base, server) => {
          for (const question of names)
            for (const key of Object.keys(ask[question] as object))
              await put(open(base), question, {
                ...(ask[question] as object),
                [key]: '../../../admin?x=1#y',
              });
          expect(server.requests.map(({ path }) => path).filter((path) => path.includes('admin'))).toEqual(
            [],
          );
        },
      ));

    test('who is not known is refused, and it is no healthy system (resolve_integrations 1)', () =>
      during(
        () => undefined,
        async (base) => {
          const stranger = openStranger(base);
          for (const question of names)
            expect(await put(stranger, question), question).toMatchObject({
              kind: 'failure',
              reason: 'refused',
              message: expect.stringMatching(/answered 40[13]/),
            });
          expect(await stranger.health()).toMatchObject({
            kind: 'unhealthy',
            reason: expect.stringMatching(/answered 40[13]/),
          });
        },
      ));

    test('a short pause that it asks for is kept (gather_evidence 3)', async () => {
      const limitFirstRequest: Fault = (_, count) =>
        count === 0 ? { json: {}, status: 429, headers: { 'retry-after': '0' } } : undefined;
      for (const question of names) {
        const calm = await during(
          () => undefined,
          (base) => put(open(base), question),
        );
        const paused = await during(limitFirstRequest, (base) => put(open(base), question));
        if (calm.kind === 'failure' || paused.kind === 'failure') throw new Error(JSON.stringify(paused));
        expect(paused.text, question).toBe(calm.text);
      }
    });

    test.each<[string, Fault, object, number?]>([
      [
        'a long pause that it asks for is told',
        () => ({ json: {}, status: 429, headers: { 'retry-after': '3600' } }),
        { reason: 'refused', message: expect.stringContaining('takes more in 3600 s') },
      ],
      ['it is down', () => ({ text: '<html>', status: 502 }), { reason: 'unreachable' }],
      [
        'it echoes what it was sent',
        (request) => ({
          json: { error: `bad query with ${JSON.stringify(request.headers)} and password=${secrets[0]}` },
          status: 400,
        }),
        { reason: 'bad_query' },
      ],
      [
        'its answer is too large',
        () => ({ begins: '[', after: 'silence', headers: { 'content-length': '99999999999' } }),
        { reason: 'too_large' },
      ],
      ['its answer stops', () => ({ begins: '[{"a":', after: 'silence' }), { reason: 'timeout' }, 150],
      ['the line is cut', () => ({ begins: '[{"a":', after: 'cut' }), { reason: 'unreachable' }],
    ])('%s (gather_evidence 6, Integrations 3)', (_, fault, expected, timeoutMs) =>
      failsWith(fault, expected, timeoutMs),
    );

    test.each([
      ['half of its JSON', (json: unknown) => ({ text: JSON.stringify(json).slice(0, -2) })],
      ['JSON of another shape', () => ({ json: { unexpected: true } })],
      ['a text', () => ({ json: 'maintenance' })],
      ['nothing', () => ({ json: null })],
    ])('%s is no answer (gather_evidence 10)', (_, broken) =>
      during(
        async (request) => {
          const whole = await answer(request);
          return whole !== null && 'json' in whole ? broken(whole.json) : undefined;
        },
        async (base) => {
          for (const question of names)
            if (!subject.plainText?.includes(question))
              expect(await put(open(base), question), question).toMatchObject({
                kind: 'failure',
                reason: 'bad_reply',
              });
        },
      ),
    );
  });
}

/** Whatever in a request is an instant of this century: milliseconds. */
function timesOf({ query, body }: Pick<DoubleRequest, 'query' | 'body'>): readonly number[] {
  const found: number[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) look(one);
    else if (typeof value === 'string' && /^20\d\d-\d\d-\d\dT/.test(value))
      // A time without a zone is one in UTC.
      found.push(Date.parse(/Z|[+-]\d\d:\d\d$/.test(value) ? value : `${value}Z`));
    else if (/^\d{10}(\.\d+)?$|^\d{13}$|^\d{19}$/.test(String(value))) {
      const digits = String(value).split('.')[0]!.length;
      found.push(Number(value) * { 10: 1_000, 13: 1, 19: 1e-6 }[digits]!);
    }
  };
  for (const value of query.values()) look(value);
  if (/^[[{]/.test(body)) look(JSON.parse(body));
  else for (const value of new URLSearchParams(body).values()) look(value);
  return found;
}
