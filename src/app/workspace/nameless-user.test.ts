/** A user whom the machine has no name for, as in a container. */
import { expect, it, vi } from 'vitest';
import { sharedPorts } from '../agent/port/port.ts';
import { thisUser } from '../config/index.ts';
import { author } from './workspace.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo() {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)');
  },
}));

// Issue 22, 6: "Compose with PostgreSQL, two workers and a front".
it('goes by its number', () => {
  const id = String(process.getuid?.() ?? 'unknown');
  expect(author()).toMatchObject({ kind: 'user', name: id });
  expect(thisUser().name).toBe(`user:${id}`);
  expect(sharedPorts()).toMatch(/sonde-ports-\d*$/);
});
