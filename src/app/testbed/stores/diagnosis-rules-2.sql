-- A store of commit 2153ff5: `sonde incident --replay` over one alert, its conclusion by a played model, whose claims were
-- checked by the second rules of diagnosis; dumped table by table.
PRAGMA user_version = 0;
PRAGMA application_id = 1397706308;
CREATE TABLE versions (
    part TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (part, version)
  ) STRICT;
CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        shape TEXT NOT NULL,
        question TEXT NOT NULL,
        root TEXT NOT NULL,
        params TEXT NOT NULL,                -- JSON
        status TEXT NOT NULL CHECK (status IN ('running', 'finished')),
        created INTEGER NOT NULL,            -- milliseconds since the Unix epoch, as every time here
        updated INTEGER NOT NULL
      ) STRICT;
CREATE TABLE leases (
        run TEXT PRIMARY KEY,
        fence INTEGER NOT NULL,
        host TEXT,                           -- boot and process namespace of the holder; null: nobody holds it
        pid INTEGER,
        started TEXT,                        -- start of the process, since a pid is used again
        expires INTEGER
      ) STRICT;
CREATE TABLE events (
        run TEXT NOT NULL REFERENCES runs (id),
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        key TEXT NOT NULL,
        event TEXT NOT NULL,                 -- JSON
        UNIQUE (run, seq),
        UNIQUE (run, key)
      ) STRICT;
CREATE TABLE journal (
        run TEXT NOT NULL REFERENCES runs (id),
        key TEXT NOT NULL,
        value TEXT NOT NULL,                 -- JSON
        UNIQUE (run, key)
      ) STRICT;
CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        parent TEXT REFERENCES accounts (id),
        opened TEXT NOT NULL                 -- JSON: the terms it was first opened on
      ) STRICT, WITHOUT ROWID;
CREATE TABLE balances (
        account TEXT NOT NULL REFERENCES accounts (id),
        resource TEXT NOT NULL,
        ceiling INTEGER,                     -- null: none
        kept INTEGER NOT NULL DEFAULT 0,
        spent INTEGER NOT NULL DEFAULT 0,
        held INTEGER NOT NULL DEFAULT 0,
        unknown INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (account, resource)
      ) STRICT, WITHOUT ROWID;
CREATE TABLE reservations (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL,
        step TEXT NOT NULL,
        fence INTEGER NOT NULL,
        account TEXT NOT NULL REFERENCES accounts (id),
        asked TEXT NOT NULL,                 -- JSON: whole units by resource
        spent TEXT,                          -- JSON, once it is settled
        state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'recovered'))
      ) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
        run TEXT NOT NULL REFERENCES runs (id),
        node TEXT NOT NULL,
        cells INTEGER NOT NULL,              -- that had run when it was taken
        bytes BLOB NOT NULL,
        PRIMARY KEY (run, node)
      ) STRICT;
INSERT INTO "versions" VALUES ('runs', 1, 'runs, leases, logs and journals', 1795430310000);
INSERT INTO "versions" VALUES ('runs', 2, 'ledger', 1795430310000);
INSERT INTO "versions" VALUES ('runs', 3, 'snapshots of sessions', 1795430310000);
INSERT INTO "runs" VALUES ('run-0mwt4ulkcoixyqk', 'incident', 'Slow (shop)', '/material', '{"sent":"{\"title\": \"Shop is slow\", \"severity\": \"critical\", \"commonLabels\": {\"alertname\": \"Slow\", \"service\": \"shop\"}, \"startsAt\": \"2026-06-18T15:10:00Z\"}","fingerprint":"82f7c7491a8634ab","now":1795430310059,"limits":{"iterations":20,"wall_ms":300000,"tool_ms":30000,"tokens":600000,"context_tokens":24000,"usd":1},"store_artifacts":true,"model":"openai-compatible:hand","extra":{"analyst":null,"replay":"/material"}}', 'finished', 1795430310060, 1795430310353);
INSERT INTO "leases" VALUES ('run-0mwt4ulkcoixyqk', 1, NULL, 8467, '7487149', 1795430340063);
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 1, 1795430310069, 'run-started', '{"kind":"run_started","shape":"incident","question":"Slow (shop)","params":{"sent":"{\"title\": \"Shop is slow\", \"severity\": \"critical\", \"commonLabels\": {\"alertname\": \"Slow\", \"service\": \"shop\"}, \"startsAt\": \"2026-06-18T15:10:00Z\"}","fingerprint":"82f7c7491a8634ab","now":1795430310059,"limits":{"iterations":20,"wall_ms":300000,"tool_ms":30000,"tokens":600000,"context_tokens":24000,"usd":1},"store_artifacts":true,"model":"openai-compatible:hand","extra":{"analyst":null,"replay":"/material"}},"limits":{"steps":20,"wall_ms":300000,"tokens":600000,"usd":1}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 2, 1795430310073, 'stage/resolve_integrations', '{"kind":"note","level":"info","text":"stage resolve_integrations"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 3, 1795430310076, 'stage/extract_alert', '{"kind":"note","level":"info","text":"stage extract_alert"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 4, 1795430310079, 'stage/plan_actions', '{"kind":"note","level":"info","text":"stage plan_actions"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 5, 1795430310081, 'stage/gather_evidence', '{"kind":"note","level":"info","text":"stage gather_evidence"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 6, 1795430310083, 'alert/ev-17866207ce', '{"kind":"evidence_registered","step":0,"evidence":{"id":"ev-17866207ce","file_path":"alert/1","start_line":1,"end_line":5,"content":"query: Slow\nsource: alert from alertmanager\nwindow: 2026-06-18T14:10:00Z to 2026-06-18T15:40:00Z, compared with 2026-06-18T11:10:00Z on\nasked: 2026-11-23T10:38:30.059Z; all is shown; complete\n{\"title\": \"Shop is slow\", \"severity\": \"critical\", \"commonLabels\": {\"alertname\": \"Slow\", \"service\": \"shop\"}, \"startsAt\": \"2026-06-18T15:10:00Z\"}","reason":"alert asked Slow of alert from alertmanager","provenance":"manual","score":null,"symbol_id":null,"symbol_kind":null,"hash":"3e31c20d531ffc32ef2a4001a7bf213176ddc83cd0335601f85f0244c7f2cb52","commit":null}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 7, 1795430310083, 'turn-0/call-1/begun', '{"kind":"action_started","step":0,"call":"turn-0/call-1","action":"frozen_alerts","input":{},"reasoning":"what else there is"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 8, 1795430310090, 'turn-0/call-1/evidence/ev-4acaa38de6', '{"kind":"evidence_registered","step":0,"evidence":{"id":"ev-4acaa38de6","file_path":"signals/frozen_alerts/1","start_line":1,"end_line":5,"content":"query: alert\nsource: frozen incident\nwindow: 2026-06-18T14:10:00Z to 2026-06-18T15:40:00Z, compared with 2026-06-18T11:10:00Z on\nasked: 2026-11-23T10:38:30.085Z; all is shown; complete\nfiring since 2026-06-18T15:10:00Z Shop is slow title=\"Shop is slow\" severity=critical startsAt=2026-06-18T15:10:00Z","reason":"frozen_alerts asked alert of frozen incident","provenance":"manual","score":null,"symbol_id":null,"symbol_kind":null,"hash":"02a77d587920d6c10f8c5bbe6ab3ce97c546da572f4814e03509d55665951a40","commit":null}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 9, 1795430310090, 'turn-0/call-1/finished', '{"kind":"action_finished","step":0,"call":"turn-0/call-1","action":"frozen_alerts","outcome":"ok","summary":"1 alerts","evidence":["ev-4acaa38de6"],"fresh":1,"completeness":"complete","wall_ms":6}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 10, 1795430310101, 'turn-1/started', '{"kind":"step_started","step":1,"left":{"tokens":584000,"usd":0.85,"wall_ms":209969,"steps":18}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 11, 1795430310156, 'turn-1/model/begun', '{"kind":"model_called","step":1,"call":"turn-1/model/attempt-1","model":"openai-compatible:hand","signature":"incident","reserved":{"tokens":12738,"usd":0,"calls":1}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 12, 1795430310243, 'turn-1/model/attempt-1/replied', '{"kind":"model_replied","step":1,"call":"turn-1/model/attempt-1","spent":{"tokens":550,"usd":0,"calls":1},"unknown":false,"wall_ms":86,"text":"<call name=\"conclude\">\n<arg name=\"verdict\">no_code_change</arg>\n<arg name=\"culprit\">shop</arg>\n<arg name=\"root_cause\">{\"verb\":\"other\",\"text\":\"The shop was slow as too many people came.\",\"evidence\":[\"ev-89f9dd583c\"]}</arg>\n<arg name=\"root_cause_category\">resource_exhaustion</arg>\n<arg name=\"detail\">too many people</arg>\n<arg name=\"causal_chain\">[{\"verb\":\"logged\",\"object\":\"Shop is slow\",\"evidence\":[\"ev-89f9dd583c\"]}]</arg>\n<arg name=\"claims\">[]</arg>\n<arg name=\"remediation_steps\">[\"Look at the shop.\"]</arg>\n</call>"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 13, 1795430310246, 'stage/diagnose', '{"kind":"note","level":"info","text":"stage diagnose"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 14, 1795430310272, 'diagnose/model/begun', '{"kind":"model_called","step":21,"call":"diagnose/model/attempt-1","model":"openai-compatible:hand","signature":"incident","reserved":{"tokens":4729,"usd":0,"calls":1}}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 15, 1795430310314, 'diagnose/model/attempt-1/replied', '{"kind":"model_replied","step":21,"call":"diagnose/model/attempt-1","spent":{"tokens":550,"usd":0,"calls":1},"unknown":false,"wall_ms":33,"text":"<call name=\"conclude\">\n<arg name=\"verdict\">no_code_change</arg>\n<arg name=\"culprit\">shop</arg>\n<arg name=\"root_cause\">{\"verb\":\"other\",\"text\":\"The shop was slow as too many people came.\",\"evidence\":[\"ev-89f9dd583c\"]}</arg>\n<arg name=\"root_cause_category\">resource_exhaustion</arg>\n<arg name=\"detail\">too many people</arg>\n<arg name=\"causal_chain\">[{\"verb\":\"logged\",\"object\":\"Shop is slow\",\"evidence\":[\"ev-89f9dd583c\"]}]</arg>\n<arg name=\"claims\">[]</arg>\n<arg name=\"remediation_steps\">[\"Look at the shop.\"]</arg>\n</call>"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 16, 1795430310318, 'stage/deliver', '{"kind":"note","level":"info","text":"stage deliver"}');
INSERT INTO "events" VALUES ('run-0mwt4ulkcoixyqk', 17, 1795430310353, 'run-finished', '{"kind":"run_finished","result":{"run_id":"run-0mwt4ulkcoixyqk","status":"unverified","answer":"UNVERIFIED: no claim in this answer is carried by a confirmed citation.\n\nVerdict: no_code_change.\n\nThe shop was slow as too many people came.","citations":[],"unsupported":[],"confidence":0,"stop_reason":"finalized","model":"openai-compatible:hand","spent":{"tokens":1100,"usd":0,"wall_ms":259,"fuel":0,"calls":2,"steps":1},"coverage":{"files":2,"skipped":0,"searches":1,"files_read":2,"evidence":2,"completeness":"complete","notes":["The verdict no_code_change is the model''s, and not all of it is shown: the root cause could not be found in the evidence that it names."]}},"incident":{"run_id":"run-0mwt4ulkcoixyqk","verdict":"no_code_change","root_cause":"The shop was slow as too many people came.","root_cause_category":"resource_exhaustion","detail":"too many people","confidence":0.45,"blamed":{"kind":"upstream","id":"shop","service":null},"links":[],"suspects":[],"causal_chain":[],"validated_claims":[],"non_validated_claims":[{"text":"The shop was slow as too many people came.","fields":{"verb":"other"},"evidence":["ev-89f9dd583c"],"verdict":"not shown","reason":"what it names is no evidence of this run"},{"text":"The logs logged `Shop is slow`.","fields":{"verb":"logged","object":"Shop is slow"},"evidence":["ev-89f9dd583c"],"verdict":"not shown","reason":"what it names is no evidence of this run"}],"remediation_steps":["Look at the shop."],"validity_score":0,"timeline":[{"at":"2026-06-18T15:10:00Z","what":"alert Slow","evidence":["ev-17866207ce"]}],"coverage":{"signals":[{"system":"frozen","source":"frozen incident","state":"usable, there"}],"asked":1,"empty":[],"unchecked":[],"left_out":[],"evidence":2,"notes":["The verdict no_code_change is the model''s, and not all of it is shown: the root cause could not be found in the evidence that it names."]},"stop_reason":"finalized","spent":{"tokens":1100,"usd":0,"wall_ms":259,"fuel":0,"calls":2,"steps":1},"alert":"Slow (shop)","window":{"from":1781791800000,"to":1781797200000,"baseline_from":1781781000000,"derivation":"the alert says 2026-06-18T15:10:00Z; from 60 min before it to 30 min after, with 180 min before that for comparison"},"first_failing_service":"shop","model":"openai-compatible:hand","deliveries":[{"sink":"report.md","state":"delivered","detail":"/material/h2/data/incidents/run-0mwt4ulkcoixyqk/report.md"}]},"spent":{"tokens":1100,"usd":0,"wall_ms":259,"fuel":0,"calls":2,"steps":1}}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'models', '{"planner":{"name":"openai-compatible:hand","contextWindow":32768,"maxOutput":8192},"analyst":{"name":"openai-compatible:hand","contextWindow":32768,"maxOutput":8192}}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'resolve/systems', '[{"system":"frozen","source":"frozen incident","usable":true,"detail":"there"}]');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'extract/twin', '{"run":null}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'turn-0/call-1', '{"kind":"observation","query":"alert","source":"frozen incident","window":{"from":1781791800000,"to":1781797200000,"baseline_from":1781781000000,"derivation":"the alert says 2026-06-18T15:10:00Z; from 60 min before it to 30 min after, with 180 min before that for comparison"},"at":1795430310085,"text":"firing since 2026-06-18T15:10:00Z Shop is slow title=\"Shop is slow\" severity=critical startsAt=2026-06-18T15:10:00Z","rows":{"kind":"alerts","alerts":[{"name":"Shop is slow","state":"firing","since":1781795400000,"labels":{"title":"Shop is slow","severity":"critical","startsAt":"2026-06-18T15:10:00Z"},"annotations":{},"query":null}]},"truncated":null,"completeness":"complete","notes":[]}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'turn-1/plan', '{"pressure":null,"note":null}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'turn-1/opening/size', '{"tokens":13107,"budget":"turn 1 of 20, the last is for the conclusion; 584000 tokens; $0.850; 209 s"}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'turn-1/model/cut', '{"shortened":0,"dropped":0}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'turn-1/model', '{"kind":"reply","by":"openai-compatible:hand","parts":[{"kind":"call","id":"call_eog74n0sgl","name":"conclude","input":{"verdict":"no_code_change","culprit":"shop","root_cause":{"verb":"other","text":"The shop was slow as too many people came.","evidence":["ev-89f9dd583c"]},"root_cause_category":"resource_exhaustion","detail":"too many people","causal_chain":[{"verb":"logged","object":"Shop is slow","evidence":["ev-89f9dd583c"]}],"claims":[],"remediation_steps":["Look at the shop."]},"fit":"read"}],"stop":"calls","usage":{"input":500,"output":50,"cacheRead":0,"cacheWrite":0,"estimated":false},"model":"hand"}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'diagnose/rules', '2');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'diagnose/refused', '{"objection":"the root cause could not be found in the evidence that it names","doubted":[{"text":"The shop was slow as too many people came.","fields":{"verb":"other"},"evidence":["ev-89f9dd583c"],"verdict":"not shown","reason":"what it names is no evidence of this run"},{"text":"The logs logged `Shop is slow`.","fields":{"verb":"logged","object":"Shop is slow"},"evidence":["ev-89f9dd583c"],"verdict":"not shown","reason":"what it names is no evidence of this run"}]}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'diagnose/model/cut', '{"shortened":0,"dropped":0,"perGuess":0.25,"first":500,"sent":{"shortened":0,"dropped":0,"entries":1,"input":500}}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'diagnose/model', '{"kind":"reply","by":"openai-compatible:hand","parts":[{"kind":"call","id":"call_jo2pci0wod","name":"conclude","input":{"verdict":"no_code_change","culprit":"shop","root_cause":{"verb":"other","text":"The shop was slow as too many people came.","evidence":["ev-89f9dd583c"]},"root_cause_category":"resource_exhaustion","detail":"too many people","causal_chain":[{"verb":"logged","object":"Shop is slow","evidence":["ev-89f9dd583c"]}],"claims":[],"remediation_steps":["Look at the shop."]},"fit":"read"}],"stop":"calls","usage":{"input":500,"output":50,"cacheRead":0,"cacheWrite":0,"estimated":false},"model":"hand"}');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'deliver/report.md/begun', 'true');
INSERT INTO "journal" VALUES ('run-0mwt4ulkcoixyqk', 'deliver/report.md/done', '{"sink":"report.md","state":"delivered","detail":"/material/h2/data/incidents/run-0mwt4ulkcoixyqk/report.md"}');
INSERT INTO "accounts" VALUES ('run-0mwt4ulkcoixyqk', NULL, '[null,{"calls":null,"fuel":null,"steps":20,"tokens":600000,"usd":1000000,"wall_ms":300000},{"calls":0,"fuel":0,"steps":1,"tokens":16000,"usd":150000,"wall_ms":90000}]');
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'calls', NULL, 0, 2, 0, 0);
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'fuel', NULL, 0, 0, 0, 0);
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'steps', 20, 1, 1, 0, 0);
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'tokens', 600000, 16000, 1100, 0, 0);
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'usd', 1000000, 150000, 0, 0, 0);
INSERT INTO "balances" VALUES ('run-0mwt4ulkcoixyqk', 'wall_ms', 300000, 90000, 287, 0, 0);
INSERT INTO "reservations" VALUES ('run-0mwt4ulkcoixyqk/diagnose/model#1', 'run-0mwt4ulkcoixyqk', 'diagnose/model', 1, 'run-0mwt4ulkcoixyqk', '{"tokens":4729,"usd":0,"wall_ms":0,"fuel":0,"calls":1,"steps":0}', '{"tokens":550,"usd":0,"wall_ms":0,"fuel":0,"calls":1,"steps":0}', 'settled');
INSERT INTO "reservations" VALUES ('run-0mwt4ulkcoixyqk/turn-1/model#1', 'run-0mwt4ulkcoixyqk', 'turn-1/model', 1, 'run-0mwt4ulkcoixyqk', '{"tokens":12738,"usd":0,"wall_ms":0,"fuel":0,"calls":1,"steps":0}', '{"tokens":550,"usd":0,"wall_ms":0,"fuel":0,"calls":1,"steps":0}', 'settled');
INSERT INTO "reservations" VALUES ('run-0mwt4ulkcoixyqk/turn-1/plan#1', 'run-0mwt4ulkcoixyqk', 'turn-1/plan', 1, 'run-0mwt4ulkcoixyqk', '{"tokens":0,"usd":0,"wall_ms":0,"fuel":0,"calls":0,"steps":1}', '{"tokens":0,"usd":0,"wall_ms":0,"fuel":0,"calls":0,"steps":1}', 'settled');
CREATE INDEX runs_created ON runs (created);
CREATE INDEX reservations_open ON reservations (run, fence) WHERE state = 'open';
