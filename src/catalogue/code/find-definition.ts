import { z } from 'zod';
import type { Hover, SymbolReader } from '../../core/index.ts';
import { formatCount, partialIfCut } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, maxLength, narrowScope, requirePort, scope, spanData } from './code-ports.ts';

export const findDefinition = codeEntry({
  name: 'find_definition',
  description:
    'Where a name is defined: function, class, method, constant, type. Found in the text by the form of definitions, so an unusual form may be missed.',
  parameters: z.object({
    symbol: z.string().trim().min(1).max(maxLength).describe('name, Class.method or path#name'),
    scope,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '50 ms and more for large trees',
  needs: ['definitions'],
  pieces: { tool: 20, action: 8 },
  asAction: {
    description:
      'Where a name is defined, with its whole body: function, class, method, constant, type. An unusual form may be missed.',
    fixed: { scope: undefined },
  },
  async run({ symbol, scope: wanted }, { ports, scope: outer, pieces, collect, signal, citable }) {
    const name = toBareName(symbol);
    if (name === '') return failed('The name is empty.');
    const inside = narrowScope(outer, wanted);
    const reply = await requirePort(ports.definitions).find({
      name,
      ...inside.asked,
      ...(signal && { signal }),
    });
    const all = reply.definitions.filter(({ path }) => inside.admits(path));
    const [, file] = /^(.+[./].*)#/s.exec(symbol) ?? [];
    const owner = ownerOf(symbol.slice(file === undefined ? 0 : file.length + 1));
    const classes =
      owner === null || all.length < 2
        ? []
        : (
            await requirePort(ports.definitions).find({
              name: owner,
              ...inside.asked,
              ...(signal && { signal }),
            })
          ).definitions;
    const inOwner = all
      .filter(({ path }) => file === undefined || path === file)
      .filter(
        (one) =>
          owner === null ||
          classes.some(({ path, start, end }) => path === one.path && start < one.start && one.end <= end),
      );
    // Methods of Rust and Go are written outside of their type, inherited members in another class. The symbol index
    // finds both.
    const ofTypeElsewhere =
      inOwner.length > 0 || owner === null || all.length < 2 || ports.symbols === undefined
        ? []
        : await findMembersOfType(ports.symbols, `${owner}.${name}`, {
            ...inside.asked,
            ...(signal && { signal }),
          });
    const definedElsewhere = all.filter(({ path, start, end }) =>
      ofTypeElsewhere.some((one) => one.path === path && start <= one.start && one.start <= end),
    );
    const found = [inOwner, definedElsewhere, all].find(({ length }) => length > 0) ?? [];
    const { evidence, notes } = await collect(
      found.slice(0, pieces).map((one) => ({ ...one, reason: `defines ${one.symbol}` })),
    );
    const cut = found.length > pieces;
    return done({
      summary:
        evidence.length === 0
          ? 'no definition of that name was recognised; that is no proof that there is none'
          : formatCount(evidence.length, 'definition'),
      nothing: 'No definition of that name was recognised.',
      data: { spans: evidence.map(spanData) },
      evidence,
      completeness:
        evidence.length === 0 ? 'unknown' : partialIfCut(reply.completeness, cut || notes.length > 0),
      notes: [
        // `citable`: the caller is a planner, which calls this often and would get the same notes each time.
        ...(citable === true ? [] : reply.notes),
        ...(cut ? [`${found.length - pieces} more definitions are not shown`] : []),
        ...notes,
      ],
    });
  },
});

async function findMembersOfType(
  symbols: SymbolReader,
  symbol: string,
  asked: { readonly scope?: string; readonly signal?: AbortSignal },
): Promise<Hover['found']> {
  const reply = await symbols.hover({ symbol, ...asked });
  return reply.kind === 'hover' ? reply.found : [];
}

/** The class in `Class.method`; null if there is only a name. */
const ownerOf = (symbol: string): string | null =>
  /(?:^|[.:#/\s])([\p{L}_$][\p{L}\p{N}_$]*)(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*(?:\(.*)?$/su.exec(
    symbol.trim(),
  )?.[1] ?? null;

/** `Class.method(args)` names the method. */
const toBareName = (symbol: string): string =>
  symbol
    .trim()
    .replace(/\(.*$/s, '')
    .split(/[.:#/\s]+/)
    .at(-1) ?? '';
