/** The configuration as `sonde config` shows it: each value with its source, secrets hidden. */
import { plainLine } from '../../core/index.ts';
import { databaseFile, userConfigFile } from './directories.ts';
import { processEnvironment } from './environment.ts';
import { type Configuration, loadConfiguration } from './load.ts';
import { type SettingKey, settingKeys, specOf } from './settings.ts';
import { formatDuration } from './values.ts';

interface DescribedSetting {
  readonly value: unknown;
  readonly source: string;
}

export interface ConfigurationDescription {
  readonly json: {
    readonly settings: Readonly<Record<SettingKey, DescribedSetting>>;
    readonly files: readonly string[];
    readonly directories: Readonly<Record<'user_config' | 'database' | 'cache', string>>;
    readonly notes: readonly string[];
  };
  readonly text: string;
}

function formatSettingValue(name: SettingKey, value: unknown): string {
  if (value === undefined) return '(not set)';
  if (specOf(name).duration === true) return formatDuration(Number(value));
  return typeof value === 'object' && specOf(name).secret !== true ? JSON.stringify(value) : String(value);
}

/** Each value with its source. A secret is shown as `(hidden)`. */
export function describeSettings({
  values,
  sources,
}: Pick<Configuration, 'values' | 'sources'>): Readonly<Record<string, DescribedSetting>> {
  const serialized = JSON.parse(JSON.stringify(values)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    settingKeys.map((name) => [name, { value: serialized[name] ?? null, source: sources[name] }]),
  );
}

export function describeConfiguration(project: string): ConfigurationDescription {
  const { values, sources, files, directories, notes } = loadConfiguration({
    environment: processEnvironment(),
    project,
  });
  const describeValue = (name: SettingKey): DescribedSetting => ({
    value: values[name] ?? null,
    source: sources[name],
  });
  const paths = {
    user_config: userConfigFile(directories),
    database: databaseFile(directories),
    cache: directories.cache,
  };
  const rows = settingKeys.map(
    (name) => [name, formatSettingValue(name, values[name]), sources[name]] as const,
  );
  const width = (column: 0 | 1): number => Math.min(40, Math.max(...rows.map((row) => row[column].length)));
  return {
    json: {
      settings: Object.fromEntries(settingKeys.map((name) => [name, describeValue(name)])) as Record<
        SettingKey,
        DescribedSetting
      >,
      files,
      directories: paths,
      notes,
    },
    text: [
      ...rows.map(
        ([name, value, source]) => `${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${source}`,
      ),
      '',
      `settings read: ${files.length === 0 ? 'no file' : files.map(plainLine).join(', ')}`,
      `your own settings: ${paths.user_config}`,
      `runs: ${paths.database}`,
      `indexes: ${paths.cache}`,
      ...notes.map((note) => `note: ${plainLine(note)}`),
    ].join('\n'),
  };
}
