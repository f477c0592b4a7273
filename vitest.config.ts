import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const script = (name: string): string => join(import.meta.dirname, 'scripts', name);

// Which project a test belongs to is said by the name of its file.
const kill = '**/*.kill.test.ts';
const process = '**/*.process.test.ts';

const shared = {
  // Model keys of the developer's own shell must never reach a test.
  setupFiles: [script('test-environment.ts')],
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

const under = (pattern: string): string[] => ['src', 'scripts'].map((folder) => `${folder}/${pattern}`);

export default defineConfig({
  test: {
    globalSetup: [script('test-root.ts')],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: under('**/*.test.ts'),
          exclude: [kill, process],
          setupFiles: [...shared.setupFiles, script('no-process.ts')],
        },
      },
      { test: { ...shared, name: 'process', include: under(process) } },
      { test: { ...shared, name: 'kill', include: under(kill) } },
    ],
  },
});
