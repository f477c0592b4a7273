/**
 * Settings. The rooms that need settings declare them as data; `app/config` derives values, error messages, help and
 * docs/configuration.md from these. Nothing else reads the environment or a file for settings.
 */

/** A key that is shown only if a caller asks for it by `reveal`. */
export interface HiddenKey {
  reveal(): string;
}

/** An MCP server: a program with its arguments, or an address. */
export interface McpServerSetting {
  readonly command?: readonly string[];
  readonly url?: string;
  readonly allow: readonly string[];
  readonly env: readonly string[];
  readonly token_file?: string;
  /** Further HTTP headers, each with the file that holds its value. */
  readonly header_files?: Readonly<Record<string, string>>;
}

/** The value type of each form. */
export interface SettingForms {
  /** http or https, without credentials. */
  readonly address: string | undefined;
  /** An address for Ollama, or a host with or without a port. */
  readonly host: string | undefined;
  readonly 'host:port': string | undefined;
  /**
   * Read from the environment or a key file, never from a settings file. Its name ends in `_key`, `_token`,
   * `_login` or `_password`.
   */
  readonly key: HiddenKey | undefined;
  readonly text: string | undefined;
  /** `~/` at its beginning is the home of the user. */
  readonly path: string | undefined;
  readonly texts: readonly string[];
  readonly paths: readonly string[];
  readonly 'mcp servers': Readonly<Record<string, McpServerSetting>>;
}

export interface DeclaredSetting<Form extends keyof SettingForms = keyof SettingForms> {
  readonly form: Form;
  /** A sentence for people. */
  readonly what: string;
  /** The allowed values, as error messages print them. */
  readonly allowed: string;
  /** Environment variables, the first that is set wins. */
  readonly env: readonly string[];
}

export type DeclaredSettings = Readonly<Record<string, DeclaredSetting>>;

export type SettingValues<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends DeclaredSetting<infer Form>
    ? SettingForms[Form]
    : never;
};

/** Declares a setting of any form. */
export const declareSetting = <Form extends keyof SettingForms>(
  form: Form,
  what: string,
  allowed: string,
  ...env: string[]
): DeclaredSetting<Form> => Object.freeze({ form, what, allowed, env });

export const addressSetting = (what: string, ...env: string[]): DeclaredSetting<'address'> =>
  declareSetting('address', what, 'an http or https address without credentials', ...env);

/** `whose` completes the description: `Prometheus, sent as a bearer token`. */
export const keySetting = (whose: string, ...env: string[]): DeclaredSetting<'key'> =>
  declareSetting('key', `Key for ${whose}.`, 'a key', ...env);
