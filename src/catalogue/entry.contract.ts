/** Contract tests for catalogue entries: run them over all entries of a catalogue and over each new one. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSondeError } from '../core/index.ts';
import type { AnyContext, Entry, EntryResult, FileContext } from './entry.ts';
import { createScope } from './scope.ts';

export interface EntryCase<Context extends AnyContext> {
  readonly entry: Entry<Context>;
  /** Arguments that match something inside of the scope, and would match something outside if the scope were ignored. */
  readonly args: Readonly<Record<string, unknown>>;
}

async function run<Context extends AnyContext>(
  { entry, args }: EntryCase<Context>,
  context: Context,
): Promise<EntryResult> {
  try {
    return await entry.run(entry.parameters.parse(args), context);
  } catch (thrown) {
    // Expected failures become results; everything else is a bug of the entry.
    if (isSondeError(thrown) && thrown.code !== 'internal')
      return { kind: 'failed', message: thrown.message };
    throw thrown;
  }
}

/** `open` returns a context over fresh material each time. */
export function entryContract<Context extends AnyContext>(
  cases: readonly EntryCase<Context>[],
  open: (entry: Entry<Context>) => Context,
): void {
  describe.each(cases.map((one) => [one.entry.name, one] as const))('%s', (_, one) => {
    const { entry } = one;

    it('has a name, a description and a cost, and names only parameters that exist', () => {
      expect(entry.name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(entry.description).toMatch(/^[A-Z].{8,}[.]$/s);
      expect(entry.cost).not.toBe('');
      const { properties = {} } = z.toJSONSchema(entry.parameters, { io: 'input' });
      // In an action, the field `name` is the name of the action itself.
      if (entry.asAction !== undefined) expect(Object.keys(properties)).not.toContain('name');
      const named = [
        ...Object.keys(entry.asAction?.fixed ?? {}),
        ...Object.keys(entry.asAction?.renamedTo ?? {}),
        ...Object.keys(entry.asTool ?? {}),
      ];
      for (const name of [...named, ...(entry.asAction?.required ?? [])])
        expect(properties).toHaveProperty(name);
    });

    it('has texts that do not name other entries', async () => {
      const others = cases.map((each) => each.entry.name).filter((name) => name !== entry.name);
      const { properties = {} } = z.toJSONSchema(entry.parameters, { io: 'input' });
      const result = await run(one, open(entry));
      const resultTexts = result.kind === 'done' ? [result.summary, result.nothing, ...result.notes] : [];
      const texts = [entry.description, JSON.stringify(properties), ...resultTexts].join('\n');
      for (const name of others.filter((other) => other.includes('_')))
        expect(texts).not.toMatch(new RegExp(`\\b${name}\\b`));
    });

    it('gives a result that survives JSON, with one line of facts', async () => {
      const result = await run(one, open(entry));
      expect(result.kind).toBe('done');
      if (result.kind === 'failed') return;
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      expect(result.summary).toMatch(/^[^\n]+$/);
      for (const note of [...result.notes, ...result.asides]) expect(note).not.toContain('\n');
      for (const line of result.lines) expect(line).not.toContain('\n');
      if (entry.effect === 'read') expect(result.write).toBe(null);
    });

    if (entry.effect === 'read')
      it('gives the same result for the same call', async () => {
        const context = open(entry);
        expect(await run(one, context)).toEqual(await run(one, context));
      });

    it('passes the signal to every port', async () => {
      const context = open(entry);
      const { signal } = new AbortController();
      const seen: unknown[] = [];
      const result = await run(one, { ...context, ports: watchPorts(context.ports, seen), signal });
      expect(result.kind).toBe('done');
      for (const each of seen) expect(each).toBe(signal);
    });
  });
}

export interface FileBench<Ports> {
  readonly ports: Ports;
  /** The scope of the caller. */
  readonly scope: string;
  /** Matches a text that occurs only outside of the scope. */
  readonly secret: RegExp;
  readonly collect: FileContext<Ports>['collect'];
}

/** Further contract tests for entries over files: they stay inside of the scope, and read what they cite. */
export function fileEntryContract<Ports extends object>(
  cases: readonly EntryCase<FileContext<Ports>>[],
  bench: () => FileBench<Ports>,
): void {
  const open = (
    { pieces }: Entry<FileContext<Ports>>,
    { ports, scope, collect }: FileBench<Ports> = bench(),
  ): FileContext<Ports> => ({
    ports,
    scope: createScope(scope),
    pieces: pieces?.action ?? 0,
    pieceLines: 100,
    held: [],
    path: (path) => path,
    collect,
  });
  entryContract(cases, (entry) => open(entry));

  describe.each(cases.map((one) => [one.entry.name, one] as const))('%s, over files', (_, one) => {
    it('returns only evidence that it has read', async () => {
      const given: unknown[] = [];
      const context = open(one.entry);
      const result = await run(one, {
        ...context,
        async collect(finds) {
          const found = await context.collect(finds);
          given.push(...found.evidence);
          return found;
        },
      });
      if (result.kind === 'failed') return;
      for (const piece of result.evidence) expect(given).toContain(piece);
    });

    it('shows nothing from outside of the scope', async () => {
      const { secret } = bench();
      for (const more of [{}, { pieces: 0 }])
        expect(JSON.stringify(await run(one, { ...open(one.entry), ...more }))).not.toMatch(secret);
    });
  });
}

/** Wraps the ports so that the signal of each asynchronous request is added to `seen`. */
function watchPorts<Ports extends object>(ports: Ports, seen: unknown[]): Ports {
  const noted =
    (method: (...all: readonly unknown[]) => unknown, of: unknown) =>
    (...given: readonly unknown[]): unknown => {
      const answer = method.apply(of, [...given]);
      const [request] = given;
      if (answer instanceof Promise && typeof request === 'object' && request !== null)
        seen.push((request as { readonly signal?: unknown }).signal);
      return answer;
    };
  const port = (real: object) =>
    // The target is an empty object: a proxy of a frozen port may not return other values for its properties.
    new Proxy(Object.create(null) as object, {
      get(_, name) {
        const held: unknown = Reflect.get(real, name, real);
        return typeof held === 'function' ? noted(held as never, real) : held;
      },
    });
  const entries = Object.entries(ports).map(([name, real]) => [
    name,
    typeof real === 'function'
      ? noted(real as never, ports)
      : typeof real === 'object' && real !== null && !Array.isArray(real)
        ? port(real as object)
        : real,
  ]);
  return Object.fromEntries(entries) as Ports;
}
