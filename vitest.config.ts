import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const script = (name: string): string => join(import.meta.dirname, 'scripts', name);

// Which project a test belongs to is said by the name of its file.
const kill = '**/*.kill.test.ts';
const process = '**/*.process.test.ts';

const shared = {
  // Model keys of the developer's own shell must never reach a test.
  setupFiles: [script('test-environment.ts')],
  // They end a test that hangs, and nothing else: no test is about time, and a busy machine takes ten times as long.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
};

const under = (pattern: string): string[] =>
  ['src', 'scripts', 'bench', 'web'].map((folder) => `${folder}/${pattern}`);

export default defineConfig({
  test: {
    // Without it a machine with two cores works with one.
    maxWorkers: '100%',
    globalSetup: [script('test-root.ts')],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          // Loading all modules anew for each file takes a third of the time. No test leaves anything in a module behind.
          isolate: false,
          include: under('**/*.test.ts'),
          exclude: [kill, process],
          setupFiles: [...shared.setupFiles, script('no-process.ts')],
        },
      },
      { test: { ...shared, name: 'process', include: under(process) } },
      { test: { ...shared, name: 'kill', include: under(kill), testTimeout: 3_600_000 } },
    ],
  },
});
