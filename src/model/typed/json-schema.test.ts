import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeFields, isStrict, toOutputSchema, withoutNulls } from './json-schema.ts';

test('what is optional becomes required and nullable, and objects are closed', () => {
  const { json, wrapped } = toOutputSchema(
    's',
    z.object({
      a: z.string(),
      b: z.number().int().optional(),
      c: z.object({ d: z.boolean().default(true) }),
    }),
  );
  expect(wrapped).toBe(false);
  expect(json).toEqual({
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      c: {
        type: 'object',
        properties: { d: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } },
        required: ['d'],
        additionalProperties: false,
      },
    },
    required: ['a', 'b', 'c'],
    additionalProperties: false,
  });
});

test('alternatives at the root are wrapped in an object', () => {
  const action = z.discriminatedUnion('action', [
    z.object({ action: z.literal('search'), query: z.string() }),
    z.object({ action: z.literal('open'), path: z.string() }),
  ]);
  const { json, wrapped } = toOutputSchema('s', action);
  expect(wrapped).toBe(true);
  expect(json).toMatchObject({
    type: 'object',
    required: ['value'],
    properties: { value: { anyOf: [{}, {}] } },
  });
  expect(JSON.stringify(json)).not.toContain('oneOf');
  expect(isStrict(json)).toBe(true);
});

test.each([
  [z.object({ a: z.array(z.enum(['x', 'y'])) }), true],
  [z.object({ a: z.string().nullable() }), true],
  [z.object({ a: z.record(z.string(), z.number()) }), false],
  [z.object({ a: z.unknown() }), false],
  [z.object({ a: z.looseObject({ b: z.string() }) }), true],
])('%# strict: %s', (schema, strict) => {
  expect(isStrict(toOutputSchema('s', schema).json)).toBe(strict);
});

test('a type that JSON does not have is refused when the signature is made', () => {
  expect(() => toOutputSchema('when', z.object({ at: z.date() }))).toThrow(/signature when/);
});

test('nulls are dropped from objects, kept in lists', () => {
  expect(withoutNulls({ a: null, b: [null, { c: null, d: 0 }] })).toEqual({ b: [null, { d: 0 }] });
});

test('fields are described for a reader', () => {
  const { json } = toOutputSchema(
    's',
    z.object({
      kind: z.enum(['a', 'b']).describe('which'),
      spans: z.array(z.object({ path: z.string().describe('where'), line: z.number().int() })),
      note: z.string().optional(),
    }),
  );
  expect(describeFields(json)).toBe(
    [
      '- `kind` ("a" | "b"): which',
      '- `spans` (list of object {path: string, where; line: integer})',
      '- `note` (string or null)',
    ].join('\n'),
  );
});
