/**
 * Values between host and guest: JSON, with tags for values that JSON lacks. The guest's side, which lists the tags, is
 * guest/sonde_values.py.
 *
 * A Python int is a number up to 2^53 and a bigint beyond. A float is a number, also NaN and infinities; a float without
 * a fraction is returned as an int. A dict is a plain object, or a Map if a key is not a string.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Special
  | readonly Value[]
  | ReadonlySet<Value>
  | ReadonlyMap<Value, Value>
  | { readonly [key: string]: Value };

const specialKinds = ['tuple', 'frozenset', 'datetime', 'date', 'time', 'timedelta', 'decimal'] as const;

/** Values of Python that JavaScript has no type for. `content` is a list for tuple and frozenset, a text otherwise. */
export class Special {
  readonly kind: (typeof specialKinds)[number];
  readonly content: readonly Value[] | string;

  constructor(kind: Special['kind'], content: readonly Value[] | string) {
    this.kind = kind;
    this.content = Object.freeze(content);
    Object.freeze(this);
  }
}

/** Thrown for a value that can't be sent, or bytes that can't be decoded. The message says where and why. */
export class BadValue extends Error {
  override readonly name = 'BadValue';
}

const maxDepth = 64;
const tag = '$';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function encodeValue(value: Value): string {
  return JSON.stringify(toJson(value, []));
}

function toJson(value: unknown, inside: readonly object[]): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberToJson(value);
  if (typeof value === 'bigint') return { [tag]: 'int', v: hex(value) };
  if (typeof value !== 'object') throw new BadValue(`a ${typeof value} can't be sent to the sandbox`);
  if (value instanceof Uint8Array) return { [tag]: 'bytes', v: Buffer.from(value).toString('base64') };
  if (inside.includes(value)) throw new BadValue('the value contains itself');
  if (inside.length >= maxDepth) throw new BadValue(`the value is nested more than ${maxDepth} deep`);
  const nested = [...inside, value];
  if (Array.isArray(value)) return value.map((item) => toJson(item, nested));
  if (value instanceof Set) return { [tag]: 'set', v: Array.from(value, (item) => toJson(item, nested)) };
  if (value instanceof Map) return entriesToJson([...value], nested);
  if (value instanceof Special) return specialToJson(value, nested);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (Object.hasOwn(value, tag)) return entriesToJson(entries, nested);
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item, nested)]));
}

function numberToJson(value: number): Json {
  if (Number.isNaN(value)) return { [tag]: 'float', v: 'nan' };
  if (!Number.isFinite(value)) return { [tag]: 'float', v: value > 0 ? 'inf' : '-inf' };
  if (Object.is(value, -0)) return { [tag]: 'float', v: '-0.0' };
  return value;
}

function entriesToJson(entries: readonly (readonly [unknown, unknown])[], inside: readonly object[]): Json {
  return { [tag]: 'dict', v: entries.map(([key, item]) => [toJson(key, inside), toJson(item, inside)]) };
}

function specialToJson({ kind, content }: Special, inside: readonly object[]): Json {
  if (typeof content !== 'string') return { [tag]: kind, v: content.map((item) => toJson(item, inside)) };
  return { [tag]: kind, v: kind === 'timedelta' ? content.split(' ').map(Number) : content };
}

/** Decodes JSON that the guest sent, which may be hostile. Throws BadValue for anything malformed. */
export function decodeValue(text: string): Value {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    throw new BadValue('what the sandbox sent is not JSON');
  }
  return fromJson(json, 0);
}

export function fromJson(json: unknown, depth: number): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string')
    return json;
  // `depth` counts levels of JSON. A dict, as a list of pairs, takes two of them for one level of the value.
  if (depth > 3 * maxDepth) throw new BadValue(`the value is nested more than ${maxDepth} deep`);
  if (Array.isArray(json)) return json.map((item) => fromJson(item, depth + 1));
  if (typeof json !== 'object') throw new BadValue('what the sandbox sent is no value');
  if (Object.hasOwn(json, tag)) return decodeTagged(json as Record<string, unknown>, depth);
  // fromEntries defines properties, so that a key "__proto__" is a key like any other.
  return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, fromJson(item, depth + 1)]));
}

function decodeTagged(json: Record<string, unknown>, depth: number): Value {
  const { [tag]: kind, v: content } = json;
  const bad = () => new BadValue(`the sandbox sent a malformed value of kind ${String(kind).slice(0, 40)}`);
  const items = () => {
    if (!Array.isArray(content)) throw bad();
    return content.map((item) => fromJson(item, depth + 1));
  };
  if (kind === 'set') return new Set(items());
  if (kind === 'tuple' || kind === 'frozenset') return new Special(kind, items());
  if (kind === 'dict') {
    return new Map(
      items().map((pair) => {
        if (!Array.isArray(pair) || pair.length !== 2) throw bad();
        return [pair[0] as Value, pair[1] as Value];
      }),
    );
  }
  if (kind === 'timedelta') return new Special(kind, items().join(' '));
  if (typeof content !== 'string') throw bad();
  if (kind === 'bytes') return new Uint8Array(Buffer.from(content, 'base64'));
  if (kind === 'int' && /^-?0x[0-9a-f]+$/.test(content)) return unhex(content);
  if (kind === 'float' && content in floats) return floats[content]!;
  if (typeof kind === 'string' && (specialKinds as readonly string[]).includes(kind)) {
    return new Special(kind as Special['kind'], content);
  }
  throw bad();
}

const floats: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-0.0': -0,
});

function hex(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

function unhex(text: string): bigint {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}

/** The value as JSON for people and other programs: tuples and sets as lists, bytes as base64, the rest as text. */
export function plainJson(value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Special)
    return typeof value.content === 'string' ? value.content : value.content.map(plainJson);
  if (value instanceof Map) return Array.from(value, ([key, item]) => [plainJson(key), plainJson(item)]);
  if (value instanceof Set) return Array.from(value, plainJson);
  if (Array.isArray(value)) return value.map(plainJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item as Value)]));
}
