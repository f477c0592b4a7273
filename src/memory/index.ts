export {
  type Forgotten,
  type Memory,
  type MemoryFilter,
  type MemoryHit,
  type MemoryItem,
  type MemoryPut,
  type MemoryRefusalCode,
  type MemoryRefused,
  type MemoryView,
  type MemoryWriter,
  type ReaderPosition,
  type ScrubResult,
  type StoredItem,
  type Tier,
  type TierLimits,
  tiers,
} from './memory.ts';
export { type MemoryOptions, openMemory } from './open-memory.ts';
export { workspaceMemorySchema } from './schema.ts';
