/** Shapes that are secrets wherever they come from: provider keys, bearer tokens, passwords in addresses. */
const shapes: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, '[secret]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [secret]'],
  [/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, '$1[secret]@'],
];

/** Shorter values are words that occur by chance, and no provider gives out such keys. */
const shortest = 6;

/** Removes the values themselves, as they are and as they are encoded in an address or in JSON. */
export function redactExact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]))
      clean = clean.replaceAll(form, '[secret]');
  }
  return clean;
}

/** What a message may say when it leaves the room: no known secret, and nothing that has the shape of one. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = redactExact(text, secrets);
  for (const [shape, mark] of shapes) clean = clean.replace(shape, mark);
  return clean;
}
