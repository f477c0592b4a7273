import type { Schema } from '../store/index.ts';

/**
 * The same tables for both databases. The check keeps each tier in its own database. `place` is the thread, the
 * channel, or empty; `workspace` is empty in the account. Keys and requests of writes are stored as hashes, so that a
 * scrub has no text to find there.
 */
const tables = (allowed: string) => `
  CREATE TABLE memory_items (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    tier TEXT NOT NULL CHECK (tier IN (${allowed})),
    place TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    writer TEXT NOT NULL,
    UNIQUE (workspace, tier, place, key)
  ) STRICT;
  CREATE TABLE memory_writes (
    seq INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL,
    result TEXT NOT NULL,
    UNIQUE (workspace, idempotency_key)
  ) STRICT;`;

/** A list of texts, as JSON. In the account, items held for the owner have the place `held`. */
const origins = "ALTER TABLE memory_items ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';";

export const workspaceMemorySchema: Schema = {
  name: 'memory',
  steps: [
    { name: 'items', sql: tables("'conversation', 'channel', 'workspace'") },
    { name: 'origins of items', sql: origins },
  ],
};

export const accountMemorySchema: Schema = {
  name: 'account_memory',
  steps: [
    { name: 'items', sql: tables("'account'") },
    { name: 'origins of items', sql: origins },
  ],
};
