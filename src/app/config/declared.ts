/** Converts the settings that other folders declare as data. No project's `sonde.json` may set them. */
import type { DeclaredSetting, DeclaredSettings, SettingForms } from '../../core/index.ts';
import { mcpServersParser } from './mcp-servers.ts';
import { type Setting, setting } from './setting.ts';
import { address, host, parseSeparatedList, plainText, text, type ValueParser } from './values.ts';

/** The type of each form when it is read: a key is text here, and becomes a `Secret` in the loaded configuration. */
type ParsedForms = {
  readonly [Name in keyof SettingForms]: Name extends 'key' ? string | undefined : SettingForms[Name];
};

const parsersByForm: { readonly [Name in keyof SettingForms]: ValueParser<ParsedForms[Name]> } = {
  address: address().optional(),
  host: host().optional(),
  'host:port': plainText(/^[\w.-]+:\d{1,5}$/).optional(),
  key: text().optional(),
  text: plainText().optional(),
  path: plainText().optional(),
  texts: parseSeparatedList(':').default([]),
  paths: parseSeparatedList(':').default([]),
  'mcp servers': mcpServersParser,
};

type ConvertedSettings<Settings extends DeclaredSettings> = {
  readonly [Name in keyof Settings]: Setting<ParsedForms[Settings[Name]['form']]>;
};

const convertSetting = ({ form, what, allowed, env }: DeclaredSetting): Setting =>
  setting<unknown>(parsersByForm[form], {
    what,
    allowed,
    env,
    project: 'never',
    ...(form === 'key' && { secret: true }),
    ...((form === 'path' || form === 'paths') && { path: true }),
  });

export const convertSettings = <Settings extends DeclaredSettings>(
  declared: Settings,
): ConvertedSettings<Settings> =>
  Object.fromEntries(
    Object.entries(declared).map(([name, declaredSetting]) => [name, convertSetting(declaredSetting)]),
  ) as ConvertedSettings<Settings>;
