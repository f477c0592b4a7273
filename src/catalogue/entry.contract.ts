/** What every entry holds to, whoever asks: run it over the entries of a catalogue and over each new one. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSondeError } from '../core/index.ts';
import type { Entry, EntryContext, EntryResult } from './entry.ts';
import { scopeOf } from './scope.ts';

export interface EntryCase<Ports> {
  readonly entry: Entry<Ports>;
  /** That find something within the scope, and something outside it where nobody looks at the scope. */
  readonly args: Readonly<Record<string, unknown>>;
}

export interface EntryBench<Ports> {
  readonly ports: Ports;
  /** Of who asks. */
  readonly scope: string;
  /** Text that stands outside of the scope alone. */
  readonly secret: RegExp;
  readonly collect: EntryContext<Ports>['collect'];
}

export function entryContract<Ports>(
  cases: readonly EntryCase<Ports>[],
  bench: () => EntryBench<Ports>,
): void {
  describe.each(cases.map(({ entry, args }) => [entry.name, entry, args] as const))(
    '%s',
    (_, entry, args) => {
      async function run(more: Partial<EntryContext<Ports>> = {}) {
        const { ports, scope, collect } = bench();
        const given: unknown[] = [];
        const result = await entry
          .run(entry.parameters.parse(args), {
            ports,
            scope: scopeOf(scope),
            pieces: entry.pieces.action,
            pieceLines: 100,
            held: [],
            path: (path) => path,
            async collect(finds) {
              const found = await collect(finds);
              given.push(...found.evidence);
              return found;
            },
            ...more,
          })
          .catch((thrown: unknown): EntryResult => {
            // Of a failure that may be expected: everything else is a bug of the entry.
            if (isSondeError(thrown) && thrown.code !== 'internal')
              return { kind: 'failed', message: thrown.message };
            throw thrown;
          });
        return { result, given };
      }

      it('has a name, says what it does and costs, and describes what is not plain', () => {
        expect(entry.name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
        expect(entry.description).toMatch(/^[A-Z].{20,}[.]$/s);
        expect(entry.cost).not.toBe('');
        const { properties = {} } = z.toJSONSchema(entry.parameters, { io: 'input' });
        // The field of an action's own name.
        expect(Object.keys(properties)).not.toContain('name');
        const named = [
          ...Object.keys(entry.asAction?.fixed ?? {}),
          ...Object.keys(entry.asAction?.called ?? {}),
        ];
        for (const name of [...named, ...(entry.asAction?.required ?? [])])
          expect(properties).toHaveProperty(name);
      });

      it('gives a result that can be kept, with one line of facts', async () => {
        const { result } = await run();
        expect(result.kind).toBe('done');
        if (result.kind === 'failed') return;
        expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(result)));
        expect(result.summary).toMatch(/^[^\n]+$/);
        for (const note of result.notes) expect(note).not.toContain('\n');
        for (const line of result.lines) expect(line).not.toContain('\n');
      });

      it('keeps nothing between calls', async () => {
        expect((await run()).result).toEqual((await run()).result);
      });

      it('makes no evidence but by reading it', async () => {
        const { result, given } = await run();
        if (result.kind === 'failed') return;
        for (const one of result.evidence) expect(given).toContain(one);
      });

      it('shows nothing from outside of the scope of who asks', async () => {
        const { secret } = bench();
        for (const more of [{}, { pieces: 0 }]) {
          const { result } = await run(more);
          expect(JSON.stringify(result)).not.toMatch(secret);
        }
      });

      it('hands the signal on to whoever works', async () => {
        const { ports } = bench();
        const { signal } = new AbortController();
        const seen: unknown[] = [];
        const { result } = await run({ ports: watched(ports, seen), signal });
        expect(result.kind).toBe('done');
        for (const one of seen) expect(one).toBe(signal);
      });
    },
  );
}

/** The ports, with the signal noted of each request that is an object. */
function watched<Ports>(ports: Ports, seen: unknown[]): Ports {
  const port = (real: object) =>
    new Proxy(real, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        return (request: unknown, ...rest: readonly unknown[]) => {
          if (typeof request === 'object' && request !== null)
            seen.push((request as { readonly signal?: unknown }).signal);
          return (method as (...all: readonly unknown[]) => unknown).call(target, request, ...rest);
        };
      },
    });
  const entries = Object.entries(ports as object).map(([name, real]) => [
    name,
    typeof real === 'object' && real !== null && !Array.isArray(real) ? port(real as object) : real,
  ]);
  return Object.fromEntries(entries) as Ports;
}
