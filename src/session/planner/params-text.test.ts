import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { forPrograms } from '../../core/index.ts';
import { formatParams } from './params-text.ts';

describe('parameters in a line', () => {
  it.each<[string, z.ZodType, string]>([
    ['a text', z.object({ a: z.string() }), '{a}'],
    ['what may be left out', z.object({ a: z.string().optional() }), '{a?}'],
    ['what it is then', z.object({ a: z.int().min(1).max(9).default(3) }), '{a?: integer 1 to 9 = 3}'],
    ['what it is for', z.object({ a: z.boolean().describe('Whether') }), '{a: boolean (Whether)}'],
    ['a choice', z.object({ a: z.enum(['x', 'y']) }), '{a: "x" | "y"}'],
    ['one value', z.object({ a: z.literal('x') }), '{a: "x"}'],
    ['a list', z.object({ a: z.array(z.string()) }), '{a: [string]}'],
    ['parts', z.object({ a: z.object({ b: z.number().min(5) }) }), '{a: {b: number from 5}}'],
    [
      'several types',
      z.object({ a: z.union([z.string(), z.number(), z.null()]) }),
      '{a: string | number | null}',
    ],
    ['anything', z.object({ a: z.unknown() }), '{a: any JSON}'],
    ['what holds itself', z.object({ a: z.json() }), '{a: any JSON}'],
    ['no bound that nobody meets', z.object({ a: z.int().min(0) }), '{a: integer}'],
    ['names of any kind', z.object({ a: z.record(z.string(), z.unknown()) }), '{a: object}'],
    ['nothing', z.object({}), '{}'],
    ['not what programs set', z.object({ a: z.string(), b: z.int().optional().meta(forPrograms) }), '{a}'],
    ['not what is one thing anyway', z.object({ a: z.enum(['x']).default('x'), b: z.string() }), '{b}'],
    ['what has to be given, though it is one thing', z.object({ a: z.enum(['x']) }), '{a: "x"}'],
  ])('%s', (_name, schema, text) => {
    expect(formatParams(z.toJSONSchema(schema, { io: 'input' }))).toBe(text);
  });

  it('says what was said once', () => {
    const said = new Set<string>();
    const schema = z.toJSONSchema(z.object({ scope: z.string().describe('Globs') }), { io: 'input' });
    expect(formatParams(schema, said)).toBe('{scope (Globs)}');
    expect(formatParams(schema, said)).toBe('{scope}');
    const other = z.toJSONSchema(z.object({ scope: z.string().describe('A folder') }), { io: 'input' });
    expect(formatParams(other, said)).toBe('{scope (A folder)}');
  });
});
