import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Model keys of the developer's own shell must never reach a test.
    setupFiles: ['scripts/test-environment.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
