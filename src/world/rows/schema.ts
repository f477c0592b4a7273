import type { Schema } from '../../store/index.ts';

/**
 * The tables of a world. Rows refer to each other by number (`n`); ids are for the outside. Computed values (weight,
 * standing) have no column. Names, tags and links are an index of the Markdown, which is written with it.
 */
export const worldSchema: Schema = {
  name: 'world',
  steps: [
    {
      name: 'pages, blocks, derivations, deviations, flags, events',
      sql: `
      CREATE TABLE world_about (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created INTEGER NOT NULL             -- milliseconds since the Unix epoch, as every time here
      ) STRICT;

      CREATE TABLE world_sources (
        n INTEGER PRIMARY KEY,
        text TEXT NOT NULL UNIQUE            -- origin_source_id
      ) STRICT;

      CREATE TABLE world_pages (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        path TEXT NOT NULL,
        front TEXT NOT NULL,                 -- front matter as written
        properties TEXT NOT NULL,            -- JSON: the parsed front matter
        origin TEXT NOT NULL CHECK (origin IN ('Authored', 'Imported', 'AgentProduced', 'Observed')),
        lifecycle TEXT NOT NULL CHECK (lifecycle IN ('Draft', 'Candidate', 'Canonical')),
        source INTEGER NOT NULL REFERENCES world_sources (n),
        writer TEXT NOT NULL,                -- kind and name of the last writer of path or front matter
        revision INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        deleted INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE UNIQUE INDEX world_pages_path ON world_pages (path) WHERE deleted = 0;
      CREATE INDEX world_pages_candidates ON world_pages (n) WHERE lifecycle = 'Candidate' AND deleted = 0;

      CREATE TABLE world_blocks (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        place INTEGER NOT NULL,              -- order within the page, with gaps
        text TEXT NOT NULL,
        kind TEXT NOT NULL,
        origin TEXT NOT NULL CHECK (origin IN ('Authored', 'Imported', 'AgentProduced', 'Observed')),
        lifecycle TEXT NOT NULL CHECK (lifecycle IN ('Draft', 'Candidate', 'Canonical')),
        source INTEGER NOT NULL REFERENCES world_sources (n),
        revision INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,   -- 1: has links that are bound to a page
        deleted INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX world_blocks_page ON world_blocks (page, place) WHERE deleted = 0;
      CREATE INDEX world_blocks_candidates ON world_blocks (n) WHERE lifecycle = 'Candidate' AND deleted = 0;

      -- The names by which links find a page: its path (alias = 0) and its aliases (1), folded.
      CREATE TABLE world_names (
        key TEXT NOT NULL,                   -- last segment of whole
        alias INTEGER NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        whole TEXT NOT NULL,
        PRIMARY KEY (key, alias, page, whole)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_names_page ON world_names (page);

      CREATE TABLE world_links (
        block INTEGER NOT NULL REFERENCES world_blocks (n),
        ordinal INTEGER NOT NULL,            -- index of the link in the block's text, from 0
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        fragment TEXT NOT NULL,
        key TEXT NOT NULL,                   -- folded last segment of target
        pin INTEGER REFERENCES world_pages (n),
        PRIMARY KEY (block, ordinal)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_links_key ON world_links (key);
      CREATE INDEX world_links_pin ON world_links (pin) WHERE pin IS NOT NULL;

      CREATE TABLE world_tags (
        tag TEXT NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        block INTEGER NOT NULL,              -- 0: a tag in the front matter
        PRIMARY KEY (tag, page, block)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_tags_page ON world_tags (page, block);

      CREATE TABLE world_attachments (
        path TEXT PRIMARY KEY,
        page INTEGER REFERENCES world_pages (n),
        bytes INTEGER NOT NULL,
        hash TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_attachments_page ON world_attachments (page);

      CREATE TABLE world_derivations (
        derived TEXT NOT NULL,
        source TEXT NOT NULL,
        type TEXT NOT NULL,
        created INTEGER NOT NULL,
        created_by TEXT NOT NULL,
        PRIMARY KEY (derived, source, type)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_derivations_source ON world_derivations (source);

      CREATE TABLE world_flags (
        id TEXT PRIMARY KEY,
        content TEXT NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        source TEXT NOT NULL,
        event INTEGER NOT NULL,              -- the event that changed the source
        raised INTEGER NOT NULL,
        cleared INTEGER
      ) STRICT;
      CREATE INDEX world_flags_content ON world_flags (content);
      CREATE UNIQUE INDEX world_flags_open ON world_flags (content, source) WHERE cleared IS NULL;
      CREATE INDEX world_flags_page ON world_flags (page) WHERE cleared IS NULL;

      CREATE TABLE world_deviations (
        id TEXT PRIMARY KEY,
        type TEXT NOT NULL CHECK (type IN ('contradiction', 'overwrite')),
        status TEXT NOT NULL CHECK (status IN ('open', 'resolved', 'dismissed')),
        submitted TEXT NOT NULL,             -- JSON
        candidate TEXT,
        note TEXT NOT NULL,
        created INTEGER NOT NULL,
        resolved INTEGER,
        resolution TEXT
      ) STRICT;
      CREATE INDEX world_deviations_open ON world_deviations (created) WHERE status = 'open';

      -- The content of a deviation: what it contradicts (role 0, in order) and the candidate (role 1).
      CREATE TABLE world_deviation_content (
        content TEXT NOT NULL,
        deviation TEXT NOT NULL REFERENCES world_deviations (id),
        role INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        PRIMARY KEY (content, deviation, role)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_deviation_content_deviation ON world_deviation_content (deviation);
      CREATE INDEX world_deviation_content_page ON world_deviation_content (page);

      CREATE TABLE world_proposals (
        deviation TEXT NOT NULL REFERENCES world_deviations (id),
        ordinal INTEGER NOT NULL,
        author TEXT NOT NULL,
        at INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (deviation, ordinal)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE world_events (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        write_id TEXT NOT NULL,
        op TEXT NOT NULL,
        content TEXT NOT NULL,               -- JSON: ids
        before TEXT,                         -- JSON
        after TEXT,                          -- JSON
        caller TEXT NOT NULL,
        caller_kind TEXT NOT NULL,
        thread TEXT,
        device TEXT NOT NULL,
        source TEXT NOT NULL
      ) STRICT;

      CREATE TABLE world_event_pages (
        page INTEGER NOT NULL REFERENCES world_pages (n),
        seq INTEGER NOT NULL REFERENCES world_events (seq),
        PRIMARY KEY (page, seq)
      ) STRICT, WITHOUT ROWID;

      -- A queue for programs that copy changes elsewhere: they delete a row once it has arrived.
      CREATE TABLE world_outbox (
        seq INTEGER PRIMARY KEY REFERENCES world_events (seq)
      ) STRICT;

      CREATE TABLE world_keys (
        key TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        result TEXT NOT NULL                 -- JSON
      ) STRICT, WITHOUT ROWID;

      -- Events are never changed or deleted, and the origin of content never changes, whatever the program does.
      CREATE TRIGGER world_events_kept BEFORE UPDATE ON world_events
        BEGIN SELECT raise(ABORT, 'an event is never changed'); END;
      CREATE TRIGGER world_events_there BEFORE DELETE ON world_events
        BEGIN SELECT raise(ABORT, 'an event is never deleted'); END;
      CREATE TRIGGER world_pages_origin BEFORE UPDATE OF origin, source ON world_pages
        BEGIN SELECT raise(ABORT, 'the origin of a page never changes'); END;
      CREATE TRIGGER world_blocks_origin BEFORE UPDATE OF origin, source ON world_blocks
        BEGIN SELECT raise(ABORT, 'the origin of a block never changes'); END;
    `,
    },
    {
      name: 'what was shown to whom, and what an edit that is held was made of',
      sql: `
      CREATE TABLE world_shown (
        person TEXT NOT NULL,                -- name of the person; empty: everybody
        content TEXT NOT NULL,               -- id of a page, block or deviation; head:ID: path and front matter of a page
        revision INTEGER NOT NULL,
        state TEXT NOT NULL,                 -- hash of everything that a decision would make Canonical
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (person, content, revision)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_shown_content ON world_shown (content);

      ALTER TABLE world_event_pages ADD COLUMN revision INTEGER;  -- of the page after the event; null in older rows
      ALTER TABLE world_deviations ADD COLUMN base INTEGER;       -- the last event before it; null in older rows
    `,
    },
    {
      name: 'decisions that can be taken back',
      sql: `
      ALTER TABLE world_deviations ADD COLUMN closed_by TEXT;     -- write_id; null in older rows
      ALTER TABLE world_flags ADD COLUMN cleared_by TEXT;
      CREATE INDEX world_deviations_closed ON world_deviations (closed_by) WHERE closed_by IS NOT NULL;
      CREATE INDEX world_flags_cleared ON world_flags (cleared_by) WHERE cleared_by IS NOT NULL;
      CREATE TABLE world_undone (
        write_id TEXT PRIMARY KEY,
        undone_by TEXT NOT NULL              -- write_id
      ) STRICT, WITHOUT ROWID;
    `,
    },
    {
      name: 'links in front matter',
      sql: `
      -- Like world_links, for the front matter of a page.
      CREATE TABLE world_front_links (
        page INTEGER NOT NULL REFERENCES world_pages (n),
        ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        fragment TEXT NOT NULL,
        key TEXT NOT NULL,
        pin INTEGER REFERENCES world_pages (n),
        PRIMARY KEY (page, ordinal)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX world_front_links_key ON world_front_links (key);
      CREATE INDEX world_front_links_pin ON world_front_links (pin) WHERE pin IS NOT NULL;

      -- The names of indexes that were built for existing pages after an upgrade.
      CREATE TABLE world_fills (
        name TEXT PRIMARY KEY
      ) STRICT, WITHOUT ROWID;
    `,
    },
  ],
};
