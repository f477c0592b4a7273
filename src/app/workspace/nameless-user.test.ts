/** A user whom the machine has no name for, as in a container. */
import { expect, it } from 'vitest';
import { portFolderPath } from '../agent/port/port.ts';
import { thisUser, userName } from '../config/index.ts';
import { author } from './workspace.ts';

// Issue 22, 6: "Compose with PostgreSQL, two workers and a front".
it('goes by its number', () => {
  const name = userName(() => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)');
  });
  expect(name).toBe(String(process.getuid?.() ?? 'unknown'));
  expect(author()).toMatchObject({ kind: 'user', name: userName() });
  expect(thisUser().name).toBe(`user:${userName()}`);
  expect(portFolderPath()).toMatch(/sonde-ports-\d*$/);
});
