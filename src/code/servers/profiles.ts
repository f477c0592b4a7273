/**
 * The known language servers: how to start each, settings that keep it from running anything of a repository, and
 * programs that it may start. To support another server, add a profile.
 */
import { type LanguageName, syntaxLanguage } from '../syntax/languages.ts';

export const serverLanguages = ['typescript', 'python', 'c', 'go', 'rust'] as const;
export type ServerLanguage = (typeof serverLanguages)[number];

export interface ServerProfile {
  readonly language: ServerLanguage;
  readonly reads: readonly LanguageName[];
  /** The command, unless the user configured another. */
  readonly command: readonly string[];
  /** Names of programs that `settings`, `options` and `environment` apply to. */
  readonly known: RegExp;
  /** The settings that it requests from its client; they override the user's. */
  readonly settings: Json;
  /** The options that it gets when it is started. */
  readonly options?: Json;
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs of the user that it starts; it finds no others. */
  readonly starts?: readonly string[];
  /** It finds uses only in open documents. */
  readonly needsShown?: true;
  /** Why it may run code of a repository; absent if it was tested to run none. */
  readonly runsCode?: string;
  readonly install: string;
}

export type Json = Readonly<Record<string, unknown>>;

export const profiles: Readonly<Record<ServerLanguage, ServerProfile>> = {
  typescript: {
    language: 'typescript',
    reads: ['typescript', 'tsx', 'javascript'],
    command: ['tsc', '--lsp', '--stdio'],
    known: /^(?:tsc|tsgo)$/,
    settings: {
      typescript: {
        disableAutomaticTypeAcquisition: true,
        tsserver: { automaticTypeAcquisition: { enabled: false } },
      },
      javascript: { disableAutomaticTypeAcquisition: true },
      'js/ts': { tsserver: { automaticTypeAcquisition: { enabled: false } } },
    },
    install: 'Install TypeScript 7 or later for all folders: npm install -g typescript.',
  },
  python: {
    language: 'python',
    reads: ['python'],
    command: ['pyright-langserver', '--stdio'],
    known: /^(?:pyright-langserver|langserver\.index\.js)$/,
    settings: { python: { analysis: { diagnosticMode: 'openFilesOnly', autoSearchPaths: true } } },
    install: 'Install it for all folders: npm install -g pyright.',
  },
  c: {
    language: 'c',
    reads: ['c', 'cpp'],
    // Not configured by files of the tree, does not write into it, and runs no compiler.
    command: ['clangd', '--enable-config=false', '--background-index=false', '--log=error', '-j=2'],
    known: /^clangd(?:-\d+)?$/,
    settings: {},
    needsShown: true,
    install: 'Install clangd 14 or later.',
  },
  go: {
    language: 'go',
    reads: ['go'],
    command: ['gopls', 'serve'],
    known: /^gopls$/,
    settings: { gopls: { 'ui.codelenses': {}, 'build.allowModfileModifications': false } },
    environment: {
      GOPROXY: 'off',
      GOTOOLCHAIN: 'local',
      // To stamp a build, Go would run git, which the repository configures.
      GOFLAGS: '-mod=readonly -buildvcs=false',
      GOENV: 'off',
      GOPACKAGESDRIVER: 'off',
      CGO_ENABLED: '0',
      GOTELEMETRY: 'off',
    },
    starts: ['go'],
    install: 'Install gopls and go.',
  },
  rust: {
    language: 'rust',
    reads: ['rust'],
    command: ['rust-analyzer'],
    known: /^rust-analyzer$/,
    settings: {
      'rust-analyzer': {
        cargo: { buildScripts: { enable: false }, noDeps: false },
        procMacro: { enable: false, attributes: { enable: false } },
        checkOnSave: false,
        cachePriming: { enable: false },
      },
    },
    environment: { CARGO_NET_OFFLINE: 'true', RUSTC_WRAPPER: '', RUSTC_WORKSPACE_WRAPPER: '' },
    starts: ['cargo', 'rustc'],
    runsCode: 'cargo takes programs to run from .cargo/config.toml and rust-toolchain.toml of a repository',
    install: 'Install it: rustup component add rust-analyzer.',
  },
};

const byFile = new Map(
  Object.values(profiles).flatMap((profile) =>
    profile.reads.map((name) => [name, profile.language] as const),
  ),
);

/** Null for files of a language without a known server. */
export function serverLanguage(path: string): ServerLanguage | null {
  const language = syntaxLanguage(path);
  return language === null ? null : (byFile.get(language) ?? null);
}

/** The language id of the protocol. */
export function documentLanguage(path: string): string {
  const language = syntaxLanguage(path);
  if (language === 'tsx') return 'typescriptreact';
  return language === 'javascript' && path.endsWith('x') ? 'javascriptreact' : (language ?? 'plaintext');
}

/** One section of the settings: the user's, overridden by the profile's. */
export function readSettings(profile: ServerProfile, own: Json, section: string | undefined): unknown {
  let at: unknown = mergeLayers(own, { ...profile.settings, ...profile.options });
  for (const part of section === undefined || section === '' ? [] : section.split('.'))
    at = isJsonObject(at) ? at[part] : undefined;
  return at ?? null;
}

const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function mergeLayers(below: Json, above: Json): Json {
  const found: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const under = Object.hasOwn(found, name) ? found[name] : undefined;
    found[name] = isJsonObject(under) && isJsonObject(value) ? mergeLayers(under, value) : value;
  }
  return found;
}
