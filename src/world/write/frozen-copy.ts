/** Thrown for a value that JSON can't represent; the message says where and why. */
export class NotPlain extends Error {}

/**
 * A deeply frozen copy of a plain value, so that the caller can't change it later. Each property is read once. Throws
 * `NotPlain` for functions, class instances, cycles and numbers that are not finite.
 */
export function copyFrozen(value: unknown, name = 'the request', depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new NotPlain(`${name} has half a character (a lone surrogate)`);
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotPlain(`${name} is not a finite number`);
      return value;
    case 'object':
      if (value === null) return null;
      break;
    default:
      throw new NotPlain(`${name} is a ${typeof value}`);
  }
  // Also ends cycles.
  if (depth > 32) throw new NotPlain(`${name} is nested too deeply`);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return Object.freeze(items.map((item, index) => copyFrozen(item, `${name}[${index}]`, depth + 1)));
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotPlain(`${name} is not a plain object`);
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    // Not by assignment, which would treat `__proto__` specially.
    Object.defineProperty(copy, key, {
      value: copyFrozen(inner, `${name}.${key}`, depth + 1),
      enumerable: true,
    });
  }
  return Object.freeze(copy);
}
