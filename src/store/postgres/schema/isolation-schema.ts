/**
 * Row-level security: which team a row belongs to, and who can read it. The setting `sonde.team` of a transaction is
 * the name of a team, or `@` and the schema for the operators of that schema. Without it, no row is visible. The owner
 * of the tables, which is the role of workers, sees everything, since policies don't apply to it.
 */
import type { SchemaStep } from './schema.ts';

const isRunVisible = 'EXISTS (SELECT 1 FROM runs WHERE runs.id = run)';
const isAccountVisible = (account: string): string =>
  `${account} = 'team/' || own_team() OR EXISTS (SELECT 1 FROM runs WHERE runs.id = split_part(${account}, '/', 1))`;
const isOwnTeam = `team = own_team() AND team <> ''`;
const workspaceOnly = 'false';

/** For each table, the condition for rows that a team sees outside of its workspaces. */
const visibility: Readonly<Record<string, string>> = {
  runs: isOwnTeam,
  queue_jobs: isOwnTeam,
  alerts: isOwnTeam,
  alert_deliveries: isOwnTeam,
  events: isRunVisible,
  journal: isRunVisible,
  snapshots: isRunVisible,
  reservations: isRunVisible,
  leases: isRunVisible,
  accounts: isAccountVisible('id'),
  balances: isAccountVisible('account'),
  account_roots: isAccountVisible('root'),
  account_decisions: workspaceOnly,
  queue_topics: workspaceOnly,
  queue_rules: workspaceOnly,
  queue_workers: workspaceOnly,
  channels: workspaceOnly,
  threads: workspaceOnly,
  langgraph_checkpoints: workspaceOnly,
  langgraph_writes: workspaceOnly,
  langgraph_lists: workspaceOnly,
  langgraph_pieces: workspaceOnly,
  roles: workspaceOnly,
  schedules: workspaceOnly,
  thread_events: workspaceOnly,
  host_questions: workspaceOnly,
  host_about: workspaceOnly,
  host_backup: workspaceOnly,
};

export const isolationStep: SchemaStep = {
  name: 'rows of teams',
  sql: `
    -- The team for which the transaction was sent; empty: none.
    CREATE FUNCTION own_team() RETURNS text LANGUAGE sql STABLE AS $$
      SELECT CASE WHEN starts_with(coalesce(current_setting('sonde.team', true), ''), '@') THEN ''
        ELSE coalesce(current_setting('sonde.team', true), '') END
    $$;

    -- The same as \`toWorkspaceSchema\` of migrate.ts.
    CREATE FUNCTION workspace_schema(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT 'sonde_w_' || CASE WHEN name ~ '^[a-z0-9_]{1,40}$' AND name !~ '_[0-9a-f]{8}$' THEN name
        ELSE left(regexp_replace(lower(name), '[^a-z0-9]+', '_', 'g'), 30) || '_' ||
          left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 8) END
    $$;

    -- Whether the transaction was sent for the operators of this schema, or for a team that was granted the workspace.
    -- Grants are in the schema that all workspaces share. SECURITY DEFINER, since a front may not read the grants of
    -- other teams.
    DO $do$ BEGIN EXECUTE format($f$
      CREATE FUNCTION sees_here() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
      SET search_path = %1$I, pg_temp AS $$
      DECLARE
        who text := coalesce(current_setting('sonde.team', true), '');
        found boolean;
      BEGIN
        IF who = '' THEN RETURN false; END IF;
        IF starts_with(who, '@') THEN RETURN who = '@' || %1$L; END IF;
        IF NOT starts_with(%1$L, 'sonde_w_') OR to_regclass('sonde.team_grants') IS NULL THEN RETURN false; END IF;
        SELECT EXISTS (SELECT 1 FROM sonde.team_grants
          WHERE team = who AND kind = 'workspace' AND workspace_schema(name) = %1$L) INTO found;
        RETURN found;
      END $$
    $f$, current_schema()); END $do$;

    -- Restricts everybody but the owner to rows for which the condition holds, or for which \`sees_here\` is true.
    CREATE FUNCTION isolate(of regclass, condition text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of);
      EXECUTE format('DROP POLICY IF EXISTS isolation ON %s', of);
      EXECUTE format('CREATE POLICY isolation ON %s USING ((SELECT sees_here()) OR (%s))', of, condition);
    END $$;

    ALTER TABLE runs ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE threads ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE schedules ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE alerts ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE alert_deliveries ADD COLUMN team text COLLATE "C" NOT NULL DEFAULT '';
    UPDATE runs SET team = job.team FROM queue_jobs job
      WHERE job.topic = 'runs' AND job.key = runs.id AND job.team <> '';
    CREATE INDEX runs_team ON runs (team, created, id) WHERE team <> '';

    -- A row that is inserted for a team gets that team, whatever the statement says. A row that a worker inserts gets
    -- the team of the run's job, or of the conversation.
    DO $do$ BEGIN EXECUTE format($f$
      CREATE FUNCTION name_team() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = %1$I, pg_temp AS $$
      DECLARE
        found text := own_team();
        params json;
      BEGIN
        IF found = '' AND NEW.team = '' THEN
          CASE TG_TABLE_NAME
            WHEN 'runs' THEN
              SELECT team INTO found FROM queue_jobs WHERE topic = 'runs' AND key = NEW.id ORDER BY id DESC LIMIT 1;
              IF found IS NULL THEN
                params := NEW.params::json;
                SELECT team INTO found FROM threads
                  WHERE id = coalesce(params ->> 'thread', params -> 'extra' ->> 'thread');
              END IF;
            WHEN 'threads' THEN
              SELECT team INTO found FROM queue_jobs
                WHERE topic = 'agent requests' AND job_group = NEW.id AND team <> '' ORDER BY id LIMIT 1;
            WHEN 'queue_jobs' THEN
              IF NEW.topic = 'fires' THEN
                SELECT team INTO found FROM schedules WHERE id = NEW.job_group;
              ELSIF NEW.topic = 'agent requests' THEN
                SELECT team INTO found FROM threads WHERE id = NEW.job_group;
                IF found IS NULL THEN
                  SELECT team INTO found FROM schedules WHERE id = NEW.payload::json ->> 'schedule';
                END IF;
              END IF;
            ELSE found := '';
          END CASE;
        END IF;
        IF coalesce(found, '') <> '' THEN NEW.team := found; END IF;
        RETURN NEW;
      END $$
    $f$, current_schema()); END $do$;
    ${['runs', 'threads', 'schedules', 'queue_jobs', 'alerts', 'alert_deliveries', 'audit']
      .map(
        (table) =>
          `CREATE TRIGGER ${table}_team BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION name_team();`,
      )
      .join('\n    ')}

    ${Object.entries(visibility)
      .map(([table, condition]) => `SELECT isolate('${table}', $$${condition}$$);`)
      .join('\n    ')}
    -- Tables that a front may only read (or, for the audit, add to): a command without a policy is left to the owner.
    ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
    CREATE POLICY isolation ON audit FOR SELECT USING ((SELECT sees_here()) OR (${isOwnTeam}));
    CREATE POLICY kept ON audit FOR INSERT WITH CHECK ((SELECT sees_here()) OR (${isOwnTeam}));
    ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
    CREATE POLICY isolation ON teams FOR SELECT USING ((SELECT sees_here()) OR name = own_team());
    ALTER TABLE team_grants ENABLE ROW LEVEL SECURITY;
    CREATE POLICY isolation ON team_grants FOR SELECT USING ((SELECT sees_here()) OR (${isOwnTeam}));
    ALTER TABLE store_schema ENABLE ROW LEVEL SECURITY;
    CREATE POLICY isolation ON store_schema FOR SELECT USING (true);
  `,
};
