/** Turns settings that other rooms declare as data into settings like any other. No project may set them. */
import type { DeclaredSetting, DeclaredSettings, SettingForms } from '../../core/index.ts';
import { mcpServers } from './mcp-servers.ts';
import { type Setting, setting } from './setting.ts';
import { address, type Form, host, list, plain, text } from './values.ts';

/** A key is a text until it is loaded. Then it is a secret, which shows its text only when asked to. */
type ReadForms = {
  readonly [Name in keyof SettingForms]: Name extends 'key' ? string | undefined : SettingForms[Name];
};

const forms: { readonly [Name in keyof SettingForms]: Form<ReadForms[Name]> } = {
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
  setting<unknown>(forms[form], {
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
