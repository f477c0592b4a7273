/** Converts settings that other rooms declare as data. The `sonde.json` of a project may not set them. */
import type { DeclaredSetting, DeclaredSettings, SettingForms } from '../../core/index.ts';
import { mcpServers } from './mcp-servers.ts';
import { type Setting, setting } from './setting.ts';
import { address, type Form, host, list, plain, text } from './values.ts';

/** The type of each form when it is read: a key is text here, and becomes a `Secret` in the loaded configuration. */
type ReadForms = {
  readonly [Name in keyof SettingForms]: Name extends 'key' ? string | undefined : SettingForms[Name];
};

const formsByName: { readonly [Name in keyof SettingForms]: Form<ReadForms[Name]> } = {
  address: address().optional(),
  host: host().optional(),
  'host:port': plain(/^[\w.-]+:\d{1,5}$/).optional(),
  key: text().optional(),
  text: plain().optional(),
  path: plain().optional(),
  texts: list(':').default([]),
  paths: list(':').default([]),
  'mcp servers': mcpServers,
};

type DeclaredForms<Settings extends DeclaredSettings> = {
  readonly [Name in keyof Settings]: Setting<ReadForms[Settings[Name]['form']]>;
};

const settingOf = ({ form, what, allowed, env }: DeclaredSetting): Setting =>
  setting<unknown>(formsByName[form], {
    what,
    allowed,
    env,
    project: 'never',
    ...(form === 'key' && { secret: true }),
    ...((form === 'path' || form === 'paths') && { path: true }),
  });

export const settingsOf = <Settings extends DeclaredSettings>(declared: Settings): DeclaredForms<Settings> =>
  Object.fromEntries(
    Object.entries(declared).map(([name, one]) => [name, settingOf(one)]),
  ) as DeclaredForms<Settings>;
