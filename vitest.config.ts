import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Model keys of the developer's own shell must never reach a test.
    setupFiles: ['scripts/test-environment.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
