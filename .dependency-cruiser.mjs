// Who may import whom: the architecture as one table, bottom to top. A room imports only the rooms on its
// line, and only through their index.ts. scripts/boundaries.test.ts seeds a violation for every pair.

export const mayImport = {
  core: [],
  gate: ['core'],
  catalogue: ['core'],
  store: ['core'],
  model: ['core'],
  sandbox: ['core'],
  search: ['core', 'store'],
  code: ['core', 'store', 'search'],
  world: ['core', 'store', 'search'],
  memory: ['core', 'store'],
  signals: ['core'],
  tools: ['core', 'catalogue', 'search', 'code', 'world', 'memory', 'signals', 'sandbox'],
  session: ['core', 'gate', 'store', 'model', 'tools'],
  tasks: ['core', 'gate', 'catalogue', 'store', 'model', 'sandbox', 'tools', 'session'],
  app: [
    'core',
    'gate',
    'catalogue',
    'store',
    'model',
    'sandbox',
    'search',
    'code',
    'world',
    'memory',
    'signals',
    'tools',
    'session',
    'tasks',
  ],
};

// Second entry points: parts of a room that somebody needs without loading the rest of it. What nobody else needs alone, and
// what every command needs anyway, is entered by the room's own index.ts.
export const entryPoints = {
  gate: ['answer/answer.ts', 'answer/status.ts', 'answer/turn.ts', 'answer/weigh-answer.ts', 'computing.ts'],
  catalogue: [
    'code/code-entries.ts',
    'code/hybrid-search.ts',
    'code/list-paths.ts',
    'code/read-text.ts',
    'code/reading-order.ts',
    'code/scope-case.ts',
  ],
  core: ['answers.ts', 'incidents.ts', 'pools.ts', 'runs.ts', 'setting.ts'],
  store: [
    'alert-records.ts',
    'carve/carve.ts',
    'carve/restore-rows.ts',
    'database.ts',
    'lock.ts',
    'postgres/index.ts',
    'run-store.ts',
    'sqlite/sqlite-audit.ts',
    'sqlite/whole-file.ts',
  ],
  search: ['definition-search.ts', 'embedders.ts', 'pages.ts', 'passages/read-traits.ts'],
  code: ['changed-names.ts', 'definitions/definition-units.ts', 'servers/index.ts', 'tree.ts'],
  model: [
    'ai-sdk.ts',
    'choose.ts',
    'dialogue/dialogue.ts',
    'extractive.ts',
    'mask-model.ts',
    'providers/ollama/address.ts',
    'providers/providers.ts',
    'providers/settings.ts',
    'tokens/tokens.ts',
  ],
  signals: ['frozen/frozen.ts', 'mcp/mcp.ts', 'settings.ts', 'system.ts', 'systems.ts'],
  memory: ['memory.ts'],
  session: ['history/condense.ts', 'schedules/index.ts', 'staged-graph.ts', 'talk-graph.ts'],
  tools: ['code/index.ts'],
  world: ['reading.ts', 'salvage/salvage-world.ts', 'scripted.ts'],
  tasks: [
    'check/read-batch.ts',
    'check/turn.ts',
    'research/index.ts',
    'investigation/index.ts',
    'incident/index.ts',
    'drift/index.ts',
    'sub-thread.ts',
    'subagent/index.ts',
  ],
};

// Outside things have named owners.
export const ownedBy = {
  '^(node:)?sqlite$': ['store'],
  'node_modules/@ai-sdk/': ['model'],
  'node_modules/@langchain/': ['session', 'tasks'],
  'node_modules/@modelcontextprotocol/': ['tools', 'app'],
  'node_modules/@vscode/ripgrep': ['code'],
  'node_modules/pg/': ['store', 'signals'],
  'node_modules/commander/': ['app'],
  '^(node:)?worker_threads$': ['search', 'code', 'sandbox'],
  'node_modules/web-tree-sitter/': ['code'],
  'node_modules/vscode-jsonrpc/': ['code'],
  '^(node:)?child_process$': ['code', 'model', 'sandbox', 'app'],
  '^(node:)?(http|https|net)$': ['app', 'tools'],
};

const rooms = Object.keys(mayImport).join('|');
const secondEntryPoints = Object.entries(entryPoints).flatMap(([room, parts]) =>
  parts.map((part) => `^src/${room}/${part.replaceAll('.', '[.]')}$`),
);
const testish = '[.](test|contract)[.]ts$';

export const forbidden = [
  ...Object.entries(mayImport).map(([room, may]) => ({
    name: `layer-${room}`,
    severity: 'error',
    comment: `${room} may import only: ${may.join(', ') || 'nothing'}`,
    from: { path: `^src/${room}/`, pathNot: testish },
    to: { path: `^src/(${rooms})/`, pathNot: `^src/(${[room, ...may].join('|')})/` },
  })),
  ...Object.entries(ownedBy).map(([path, owners]) => ({
    name: `owned-by-${owners.join('-')}`,
    severity: 'error',
    comment: `${path} belongs to ${owners.join(', ')}`,
    from: { path: '^src/', pathNot: [`^src/(${owners.join('|')})/`, testish] },
    to: { path },
  })),
  {
    name: 'entry-point-only',
    severity: 'error',
    comment: 'enter another room by its index.ts, or by a second entry point that is listed',
    from: { path: '^src/([^/]+)/', pathNot: testish },
    to: { path: '^src/[^/]+/.+', pathNot: ['^src/$1/', '^src/[^/]+/index[.]ts$', ...secondEntryPoints] },
  },
  {
    name: 'public-entry',
    severity: 'error',
    comment: 'what is outside src uses the public entry point',
    from: { path: '^(evals|examples|bench|web)/' },
    to: { path: '^src/', pathNot: '^src/(index|langgraph|bench|signals|client|view)[.]ts$' },
  },
  {
    name: 'no-circular',
    severity: 'error',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'not-to-test',
    severity: 'error',
    from: { path: '^src/', pathNot: testish },
    to: { path: testish },
  },
  {
    name: 'not-to-dev-dependency',
    severity: 'error',
    from: { path: '^src/', pathNot: testish },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
];

export default {
  forbidden,
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
};
