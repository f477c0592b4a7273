/**
 * Partitions the records of runs by the day on which a run began, so that a day is removed by dropping its tables. The
 * id of a run begins with its time: each day is a range of ids, and no statement needs to name a day.
 */
import type { SchemaStep } from './schema.ts';

/** The partitioned tables, with the columns of their unique constraints. The first column is always the run. */
export const dayTables = {
  journal: ['run, key'],
  events: ['run, seq', 'run, key'],
  snapshots: ['run, node'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * SQL that partitions a table. `_past` has the older rows, `_other` ids without a time, `_late` days without tables.
 */
const buildPartitionSql = (table: string, [first, ...others]: readonly string[]): string => `
    ALTER TABLE ${table} RENAME TO ${table}_past;
    -- Not needed: rows are written under the fence of their run, and are removed with the run.
    ALTER TABLE ${table}_past DROP CONSTRAINT ${table}_run_fkey;
    DROP POLICY isolation ON ${table}_past;
    CREATE TABLE ${table} (LIKE ${table}_past INCLUDING DEFAULTS, PRIMARY KEY (${first})) PARTITION BY RANGE (run);
    ${others.map((columns) => `ALTER TABLE ${table} ADD UNIQUE (${columns});`).join('\n')}
    CREATE TABLE ${table}_other PARTITION OF ${table} FOR VALUES FROM ('run-1') TO (MAXVALUE);
    CREATE TABLE ${table}_late PARTITION OF ${table} DEFAULT;
    ALTER TABLE ${table}_other ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table}_late ENABLE ROW LEVEL SECURITY;
    WITH moved AS (DELETE FROM ${table}_past WHERE run >= 'run-1' RETURNING *) INSERT INTO ${table} SELECT * FROM moved;
    EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION ${table}_past FOR VALUES FROM (MINVALUE) TO (%L)', day_start(first));
    PERFORM isolate('${table}', 'EXISTS (SELECT 1 FROM runs WHERE runs.id = run)');`;

export const dayStep: SchemaStep = {
  name: 'runs by day',
  sql: `
    -- The lowest id of runs of this day (UTC). Until 2059 its time begins with 0.
    CREATE FUNCTION day_start(day date) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      rest bigint := (day - date '1970-01-01')::bigint * 86400000;
      digits text := '';
    BEGIN
      WHILE rest > 0 LOOP
        digits := substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::int + 1, 1) || digits;
        rest := rest / 36;
      END LOOP;
      RETURN 'run-' || lpad(digits, 9, '0');
    END $$;
    CREATE FUNCTION today() RETURNS date LANGUAGE sql VOLATILE AS
      $$ SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date $$;

    -- False: rows of the day were written before it had tables. They stay in the default partition.
    CREATE FUNCTION make_day(day date) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
      parent text;
      own text;
    BEGIN
      FOREACH parent IN ARRAY ARRAY[${Object.keys(dayTables)
        .map((table) => `'${table}'`)
        .join(', ')}] LOOP
        own := parent || '_d' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(own) IS NOT NULL;
        -- ATTACH needs a weaker lock than PARTITION OF, so that others can read and write meanwhile.
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING INDEXES)', own, parent);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', own);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          parent, own, day_start(day), day_start(day + 1));
      END LOOP;
      RETURN true;
    EXCEPTION WHEN check_violation OR invalid_object_definition THEN
      RETURN false;
    END $$;

    DO $do$
    DECLARE
      first date;
    BEGIN
      -- Existing rows stay in one table. The first partition is the day after the newest of them.
      SELECT max(day) INTO first FROM (
        SELECT today() AS day
        UNION ALL SELECT (to_timestamp(max(created) / 1000.0) AT TIME ZONE 'UTC')::date + 1 FROM runs
      ) AS days;
      WHILE EXISTS (SELECT 1 FROM runs WHERE id >= day_start(first) AND id < 'run-1') LOOP
        first := first + 1;
      END LOOP;
    ${Object.entries(dayTables)
      .map(([table, unique]) => buildPartitionSql(table, unique))
      .join('\n')}
      FOR ahead IN 0..3 LOOP
        IF today() + ahead >= first THEN PERFORM make_day(today() + ahead); END IF;
      END LOOP;
    END $do$;

    -- The runs and conversations that pages refer to, as the host reports them. \`pages_told\`: when it reported.
    CREATE TABLE pages_rest_on (
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('run', 'thread')),
      id text COLLATE "C" NOT NULL,
      PRIMARY KEY (kind, id)
    );
    CREATE TABLE pages_told (one int PRIMARY KEY CHECK (one = 1), at bigint NOT NULL);
    SELECT isolate('pages_rest_on', 'false');
    SELECT isolate('pages_told', 'false');
  `,
};
