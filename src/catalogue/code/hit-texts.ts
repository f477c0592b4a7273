import type { SpanHit, TextReader } from '../../core/index.ts';

/**
 * Maximum characters of the text of a hit. A whole piece of the index fits, since a filter in code must not miss its
 * end.
 */
const maxHitText = 4_000;
/** Number of files read at the same time. */
const readers = 8;

/** The present lines of each hit; empty if the file can't be read. */
export async function readHitTexts(hits: readonly SpanHit[], text: TextReader): Promise<readonly string[]> {
  const lines = new Map<string, readonly string[]>();
  const next = new Set(hits.map(({ path }) => path)).values();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (const path of next) {
        const file = await text.readText(path, null).catch(() => null);
        lines.set(path, file?.kind === 'text' ? file.lines : []);
      }
    }),
  );
  return hits.map(({ path, start, end }) => {
    const hitText = (lines.get(path) ?? []).slice(start - 1, end).join('\n');
    return hitText.length > maxHitText ? `${hitText.slice(0, maxHitText)}…` : hitText;
  });
}
