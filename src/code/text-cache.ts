import type { FileText, TextReader, Unreadable } from '../core/index.ts';

/** Maximum characters of all cached texts. */
const defaultLimit = 64 * 1024 * 1024;

/**
 * A reader that reads each file once, for checking many claims about one moment. Not for the working tree in a run's
 * own gate, which must read files again.
 */
export function cacheTexts(reader: TextReader, limit = defaultLimit): TextReader {
  const cache = new Map<string, { readonly reply: FileText | Unreadable; readonly size: number }>();
  let totalSize = 0;
  return {
    async readText(path, commit = null) {
      const key = `${commit ?? ''}\0${path}`;
      const known = cache.get(key);
      if (known !== undefined) return known.reply;
      const reply = await reader.readText(path, commit);
      const size =
        reply.kind === 'text' ? reply.lines.reduce((sum, line) => sum + line.length + 16, 64) : 256;
      cache.set(key, { reply, size });
      totalSize += size;
      for (const [oldest, entry] of cache) {
        if (totalSize <= limit || oldest === key) break;
        cache.delete(oldest);
        totalSize -= entry.size;
      }
      return reply;
    },
  };
}
