-- A workspace of 0.1 (commit 9b0012d): `sonde world import` of four notes, three with links in their properties, one of which
-- has no end.
PRAGMA application_id = 1397706308;
BEGIN TRANSACTION;
CREATE TABLE versions (
    part TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (part, version)
  ) STRICT;
INSERT INTO versions VALUES('world',1,'pages, blocks, derivations, deviations, flags, events',1795454356000);
INSERT INTO versions VALUES('vault',1,'vaults, runs, files, changes',1795454356000);
CREATE TABLE world_about (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created INTEGER NOT NULL             -- milliseconds since the Unix epoch, as every time here
      ) STRICT;
INSERT INTO world_about VALUES('ws-0mwtj5zvewbhz7tqsn53','main',1795454356442);
CREATE TABLE world_sources (
        n INTEGER PRIMARY KEY,
        text TEXT NOT NULL UNIQUE            -- origin_source_id
      ) STRICT;
INSERT INTO world_sources VALUES(1,'imp-0mwtj5zz56e581c9e:Book.md');
INSERT INTO world_sources VALUES(2,'imp-0mwtj5zz56e581c9e:Bread.md');
INSERT INTO world_sources VALUES(3,'imp-0mwtj5zz56e581c9e:Broken.md');
INSERT INTO world_sources VALUES(4,'imp-0mwtj5zz56e581c9e:People/Ada.md');
CREATE TABLE world_pages (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        path TEXT NOT NULL,
        front TEXT NOT NULL,                 -- front matter as written
        properties TEXT NOT NULL,            -- JSON: what it says
        origin TEXT NOT NULL CHECK (origin IN ('Authored', 'Imported', 'AgentProduced', 'Observed')),
        lifecycle TEXT NOT NULL CHECK (lifecycle IN ('Draft', 'Candidate', 'Canonical')),
        source INTEGER NOT NULL REFERENCES world_sources (n),
        writer TEXT NOT NULL,                -- kind and name of who changed the page itself last
        revision INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        deleted INTEGER NOT NULL DEFAULT 0
      ) STRICT;
INSERT INTO world_pages VALUES(1,'pg-0mwtj6002cx6zltig06c','Book',replace('---\nauthor: "[[Ada]]"\ntopics:\n  - "[[Bread]]"\n  - "[[Not written yet]]"\n---\n','\n',char(10)),'{"author":"[[Ada]]","topics":["[[Bread]]","[[Not written yet]]"]}','Imported','Draft',1,'import:vault',1,1795454356610,1795454356610,0);
INSERT INTO world_pages VALUES(2,'pg-0mwtj603b9x1iqlhwe13','Bread',replace('---\ntags: [food]\n---\n','\n',char(10)),'{"tags":["food"]}','Imported','Draft',2,'import:vault',1,1795454356727,1795454356727,0);
INSERT INTO world_pages VALUES(3,'pg-0mwtj603e415qs5cq2r0','Broken','','{}','Imported','Draft',3,'import:vault',1,1795454356730,1795454356730,0);
INSERT INTO world_pages VALUES(4,'pg-0mwtj6047bnyiqh05kbe','People/Ada','','{}','Imported','Draft',4,'import:vault',1,1795454356759,1795454356759,0);
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
        pinned INTEGER NOT NULL DEFAULT 0,   -- has links that are bound to a page, whatever their text
        deleted INTEGER NOT NULL DEFAULT 0
      ) STRICT;
INSERT INTO world_blocks VALUES(1,'bl-0mwtj60022f2hqe2rvhr',1,1024,replace('Notes on a book, without a link in its text.\n','\n',char(10)),'paragraph','Imported','Draft',1,1,1795454356610,1795454356610,0,0);
INSERT INTO world_blocks VALUES(2,'bl-0mwtj603bjiky0q8dexh',2,1024,replace('# Bread\n\n','\n',char(10)),'heading','Imported','Draft',2,1,1795454356727,1795454356727,0,0);
INSERT INTO world_blocks VALUES(3,'bl-0mwtj603bq12d0ix1bh2',2,2048,replace('See [[Ada]].\n','\n',char(10)),'paragraph','Imported','Draft',2,1,1795454356727,1795454356727,0,0);
INSERT INTO world_blocks VALUES(4,'bl-0mwtj603e71w858zgzl0',3,1024,replace('---\n','\n',char(10)),'rule','Imported','Draft',3,1,1795454356730,1795454356730,0,0);
INSERT INTO world_blocks VALUES(5,'bl-0mwtj603ezmwmck6kcpz',3,2048,replace('see: "[[Bread]]"\n','\n',char(10)),'paragraph','Imported','Draft',3,1,1795454356730,1795454356730,0,0);
INSERT INTO world_blocks VALUES(6,'bl-0mwtj6047p2n03k0m6ia',4,1024,replace('Ada bakes.\n','\n',char(10)),'paragraph','Imported','Draft',4,1,1795454356759,1795454356759,0,0);
CREATE TABLE world_names (
        key TEXT NOT NULL,                   -- last segment of whole
        alias INTEGER NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        whole TEXT NOT NULL,
        PRIMARY KEY (key, alias, page, whole)
      ) STRICT, WITHOUT ROWID;
INSERT INTO world_names VALUES('book',0,1,'book');
INSERT INTO world_names VALUES('bread',0,2,'bread');
INSERT INTO world_names VALUES('broken',0,3,'broken');
INSERT INTO world_names VALUES('ada',0,4,'people/ada');
CREATE TABLE world_links (
        block INTEGER NOT NULL REFERENCES world_blocks (n),
        ordinal INTEGER NOT NULL,            -- which link of the block's text, from 0
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        fragment TEXT NOT NULL,
        key TEXT NOT NULL,                   -- folded last segment of target
        pin INTEGER REFERENCES world_pages (n),
        PRIMARY KEY (block, ordinal)
      ) STRICT, WITHOUT ROWID;
INSERT INTO world_links VALUES(3,0,'wiki','Ada','','ada',NULL);
INSERT INTO world_links VALUES(5,0,'wiki','Bread','','bread',NULL);
CREATE TABLE world_tags (
        tag TEXT NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        block INTEGER NOT NULL,              -- 0: of the front matter
        PRIMARY KEY (tag, page, block)
      ) STRICT, WITHOUT ROWID;
INSERT INTO world_tags VALUES('food',2,0);
CREATE TABLE world_attachments (
        path TEXT PRIMARY KEY,
        page INTEGER REFERENCES world_pages (n),
        bytes INTEGER NOT NULL,
        hash TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
CREATE TABLE world_derivations (
        derived TEXT NOT NULL,
        source TEXT NOT NULL,
        type TEXT NOT NULL,
        created INTEGER NOT NULL,
        created_by TEXT NOT NULL,
        PRIMARY KEY (derived, source, type)
      ) STRICT, WITHOUT ROWID;
CREATE TABLE world_flags (
        id TEXT PRIMARY KEY,
        content TEXT NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        source TEXT NOT NULL,
        event INTEGER NOT NULL,              -- what changed the source
        raised INTEGER NOT NULL,
        cleared INTEGER
      ) STRICT;
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
CREATE TABLE world_deviation_content (
        content TEXT NOT NULL,
        deviation TEXT NOT NULL REFERENCES world_deviations (id),
        role INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        page INTEGER NOT NULL REFERENCES world_pages (n),
        PRIMARY KEY (content, deviation, role)
      ) STRICT, WITHOUT ROWID;
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
INSERT INTO world_events VALUES(1,1795454356610,'wr-0mwtj6002ghk9mnitqhq','create_page','["pg-0mwtj6002cx6zltig06c","bl-0mwtj60022f2hqe2rvhr"]',NULL,'{"pg-0mwtj6002cx6zltig06c":{"path":"Book","front":"---\nauthor: \"[[Ada]]\"\ntopics:\n  - \"[[Bread]]\"\n  - \"[[Not written yet]]\"\n---\n","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj60022f2hqe2rvhr":{"page":"pg-0mwtj6002cx6zltig06c","place":1024,"text":"Notes on a book, without a link in its text.\n","lifecycle":"Draft","origin":"Imported"}}','vault','import',NULL,'vm','imp-0mwtj5zz56e581c9e:Book.md');
INSERT INTO world_events VALUES(2,1795454356727,'wr-0mwtj603bn3yb4zyavme','create_page','["pg-0mwtj603b9x1iqlhwe13","bl-0mwtj603bjiky0q8dexh","bl-0mwtj603bq12d0ix1bh2"]',NULL,'{"pg-0mwtj603b9x1iqlhwe13":{"path":"Bread","front":"---\ntags: [food]\n---\n","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj603bjiky0q8dexh":{"page":"pg-0mwtj603b9x1iqlhwe13","place":1024,"text":"# Bread\n\n","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj603bq12d0ix1bh2":{"page":"pg-0mwtj603b9x1iqlhwe13","place":2048,"text":"See [[Ada]].\n","lifecycle":"Draft","origin":"Imported"}}','vault','import',NULL,'vm','imp-0mwtj5zz56e581c9e:Bread.md');
INSERT INTO world_events VALUES(3,1795454356730,'wr-0mwtj603eg9lqdw072ea','create_page','["pg-0mwtj603e415qs5cq2r0","bl-0mwtj603e71w858zgzl0","bl-0mwtj603ezmwmck6kcpz"]',NULL,'{"pg-0mwtj603e415qs5cq2r0":{"path":"Broken","front":"","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj603e71w858zgzl0":{"page":"pg-0mwtj603e415qs5cq2r0","place":1024,"text":"---\n","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj603ezmwmck6kcpz":{"page":"pg-0mwtj603e415qs5cq2r0","place":2048,"text":"see: \"[[Bread]]\"\n","lifecycle":"Draft","origin":"Imported"}}','vault','import',NULL,'vm','imp-0mwtj5zz56e581c9e:Broken.md');
INSERT INTO world_events VALUES(4,1795454356759,'wr-0mwtj6047jxf0kjbd6r8','create_page','["pg-0mwtj6047bnyiqh05kbe","bl-0mwtj6047p2n03k0m6ia"]',NULL,'{"pg-0mwtj6047bnyiqh05kbe":{"path":"People/Ada","front":"","lifecycle":"Draft","origin":"Imported"},"bl-0mwtj6047p2n03k0m6ia":{"page":"pg-0mwtj6047bnyiqh05kbe","place":1024,"text":"Ada bakes.\n","lifecycle":"Draft","origin":"Imported"}}','vault','import',NULL,'vm','imp-0mwtj5zz56e581c9e:People/Ada.md');
CREATE TABLE world_event_pages (
        page INTEGER NOT NULL REFERENCES world_pages (n),
        seq INTEGER NOT NULL REFERENCES world_events (seq),
        PRIMARY KEY (page, seq)
      ) STRICT, WITHOUT ROWID;
INSERT INTO world_event_pages VALUES(1,1);
INSERT INTO world_event_pages VALUES(2,2);
INSERT INTO world_event_pages VALUES(3,3);
INSERT INTO world_event_pages VALUES(4,4);
CREATE TABLE world_outbox (
        seq INTEGER PRIMARY KEY REFERENCES world_events (seq)
      ) STRICT;
INSERT INTO world_outbox VALUES(1);
INSERT INTO world_outbox VALUES(2);
INSERT INTO world_outbox VALUES(3);
INSERT INTO world_outbox VALUES(4);
CREATE TABLE world_keys (
        key TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        result TEXT NOT NULL                 -- JSON
      ) STRICT, WITHOUT ROWID;
INSERT INTO world_keys VALUES('imp-0mwtj5zz56e581c9e:create_page:Book.md:ccc372c6c05b2e6cb1c582a8848cc2ab940633efcd832b37d92231204a729f0b','9de6b99f12779a777fdb13f3c7fea8c150d46c9508a0d93ae7fd397b9f4d0da0','{"kind":"accepted","write_id":"wr-0mwtj6002ghk9mnitqhq","applied":true,"content_ids":["pg-0mwtj6002cx6zltig06c"],"deviation_ids":[],"flag_ids":[],"repeated":false}');
INSERT INTO world_keys VALUES('imp-0mwtj5zz56e581c9e:create_page:Bread.md:1c468d34bcc896bb2d472bbd50ea83edd6c21989d56d080091071a6415da745e','fa6a2fdf9a747bad3d71fd17a22494a534e8039e77e5b0bf15cfe422d3e49826','{"kind":"accepted","write_id":"wr-0mwtj603bn3yb4zyavme","applied":true,"content_ids":["pg-0mwtj603b9x1iqlhwe13"],"deviation_ids":[],"flag_ids":[],"repeated":false}');
INSERT INTO world_keys VALUES('imp-0mwtj5zz56e581c9e:create_page:Broken.md:b255bce6a9331f9a8c03586e45225c9380e909cbe7b9c0cae15004290f7c7111','a1fd84cc9a456359966b50e59085c1509730fc6040625bad8e7111e816aba984','{"kind":"accepted","write_id":"wr-0mwtj603eg9lqdw072ea","applied":true,"content_ids":["pg-0mwtj603e415qs5cq2r0"],"deviation_ids":[],"flag_ids":[],"repeated":false}');
INSERT INTO world_keys VALUES('imp-0mwtj5zz56e581c9e:create_page:People/Ada.md:a6714074a248a84955d22941d93e5d6ec154f70de70a9e28660a95637d236fbb','78bee788de4f04faba4b900d098ed73fdc0e7506fd6936d2133a1dbe10876032','{"kind":"accepted","write_id":"wr-0mwtj6047jxf0kjbd6r8","applied":true,"content_ids":["pg-0mwtj6047bnyiqh05kbe"],"deviation_ids":[],"flag_ids":[],"repeated":false}');
CREATE TABLE vault_roots (
        n INTEGER PRIMARY KEY,
        root TEXT NOT NULL,
        into_path TEXT NOT NULL,
        UNIQUE (root, into_path)
      ) STRICT;
INSERT INTO vault_roots VALUES(1,'/notes','');
CREATE TABLE vault_runs (
        n INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        started INTEGER NOT NULL,            -- milliseconds since the Unix epoch, as every time here
        finished INTEGER,
        undone INTEGER
      ) STRICT;
INSERT INTO vault_runs VALUES(1,'imp-0mwtj5zz56e581c9e',1,1795454356577,1795454356781,NULL);
CREATE TABLE vault_pages (
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        file TEXT NOT NULL,
        page TEXT NOT NULL,
        hash TEXT NOT NULL,
        revision INTEGER NOT NULL,
        told TEXT,                           -- hash of the file that is held as a deviation
        PRIMARY KEY (vault, file)
      ) STRICT, WITHOUT ROWID;
INSERT INTO vault_pages VALUES(1,'Book.md','pg-0mwtj6002cx6zltig06c','ccc372c6c05b2e6cb1c582a8848cc2ab940633efcd832b37d92231204a729f0b',1,NULL);
INSERT INTO vault_pages VALUES(1,'Bread.md','pg-0mwtj603b9x1iqlhwe13','1c468d34bcc896bb2d472bbd50ea83edd6c21989d56d080091071a6415da745e',1,NULL);
INSERT INTO vault_pages VALUES(1,'Broken.md','pg-0mwtj603e415qs5cq2r0','b255bce6a9331f9a8c03586e45225c9380e909cbe7b9c0cae15004290f7c7111',1,NULL);
INSERT INTO vault_pages VALUES(1,'People/Ada.md','pg-0mwtj6047bnyiqh05kbe','a6714074a248a84955d22941d93e5d6ec154f70de70a9e28660a95637d236fbb',1,NULL);
CREATE TABLE vault_attachments (
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        file TEXT NOT NULL,
        path TEXT NOT NULL,                  -- of the attachment in the world
        bytes INTEGER NOT NULL,
        modified REAL NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (vault, file)
      ) STRICT, WITHOUT ROWID;
CREATE TABLE vault_changes (
        run INTEGER NOT NULL REFERENCES vault_runs (n),
        file TEXT NOT NULL,
        page TEXT,                           -- null: an attachment
        revision INTEGER NOT NULL,           -- the page's, after it
        before_text TEXT,                    -- null: there was no page, or no attachment
        before_hash TEXT,
        PRIMARY KEY (run, file)
      ) STRICT, WITHOUT ROWID;
INSERT INTO vault_changes VALUES(1,'Book.md','pg-0mwtj6002cx6zltig06c',1,NULL,NULL);
INSERT INTO vault_changes VALUES(1,'Bread.md','pg-0mwtj603b9x1iqlhwe13',1,NULL,NULL);
INSERT INTO vault_changes VALUES(1,'Broken.md','pg-0mwtj603e415qs5cq2r0',1,NULL,NULL);
INSERT INTO vault_changes VALUES(1,'People/Ada.md','pg-0mwtj6047bnyiqh05kbe',1,NULL,NULL);
CREATE UNIQUE INDEX world_pages_path ON world_pages (path) WHERE deleted = 0;
CREATE INDEX world_pages_candidates ON world_pages (n) WHERE lifecycle = 'Candidate' AND deleted = 0;
CREATE INDEX world_blocks_page ON world_blocks (page, place) WHERE deleted = 0;
CREATE INDEX world_blocks_candidates ON world_blocks (n) WHERE lifecycle = 'Candidate' AND deleted = 0;
CREATE INDEX world_names_page ON world_names (page);
CREATE INDEX world_links_key ON world_links (key);
CREATE INDEX world_links_pin ON world_links (pin) WHERE pin IS NOT NULL;
CREATE INDEX world_tags_page ON world_tags (page, block);
CREATE INDEX world_attachments_page ON world_attachments (page);
CREATE INDEX world_derivations_source ON world_derivations (source);
CREATE INDEX world_flags_content ON world_flags (content);
CREATE UNIQUE INDEX world_flags_open ON world_flags (content, source) WHERE cleared IS NULL;
CREATE INDEX world_flags_page ON world_flags (page) WHERE cleared IS NULL;
CREATE INDEX world_deviations_open ON world_deviations (created) WHERE status = 'open';
CREATE INDEX world_deviation_content_deviation ON world_deviation_content (deviation);
CREATE INDEX world_deviation_content_page ON world_deviation_content (page);
CREATE TRIGGER world_events_kept BEFORE UPDATE ON world_events
        BEGIN SELECT raise(ABORT, 'an event is never changed'); END;
CREATE TRIGGER world_events_there BEFORE DELETE ON world_events
        BEGIN SELECT raise(ABORT, 'an event is never deleted'); END;
CREATE TRIGGER world_pages_origin BEFORE UPDATE OF origin, source ON world_pages
        BEGIN SELECT raise(ABORT, 'the origin of a page never changes'); END;
CREATE TRIGGER world_blocks_origin BEFORE UPDATE OF origin, source ON world_blocks
        BEGIN SELECT raise(ABORT, 'the origin of a block never changes'); END;
CREATE INDEX vault_pages_page ON vault_pages (page);
CREATE INDEX vault_attachments_path ON vault_attachments (path);
CREATE INDEX vault_changes_page ON vault_changes (page, run);
COMMIT;
