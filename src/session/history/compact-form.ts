/** The form that replaces the removed part of a history. */
import { z } from 'zod';

/** A fact worth remembering. It is stored only if a tool call does so. */
export const memoryCandidate = z.strictObject({
  tier: z.enum(['conversation', 'channel', 'workspace', 'account']),
  key: z.string().min(1).max(200),
  text: z.string().min(1).max(4000),
});
export type MemoryCandidate = z.infer<typeof memoryCandidate>;

export const compactForm = z.strictObject({
  summary: z.string().min(1),
  insights: z.array(memoryCandidate),
  /**
   * The person's messages in that part, oldest first. Absent in forms of an earlier version, and for delegated work.
   */
  said: z.array(z.string()).optional(),
  /** Writes made in that part. They stay: compaction undoes nothing in the world. */
  write_ids: z.array(z.string()),
  /** The removed part of the history. */
  dropped: z.strictObject({ messages: z.number().int().min(0), bytes: z.number().int().min(0) }),
  /** The place where all of it can still be read. */
  trace: z.strictObject({ thread: z.string(), namespace: z.string() }),
});
export type CompactForm = z.infer<typeof compactForm>;
