import { expect, test } from 'vitest';
import { SondeError } from './errors.ts';
import { toSystemError } from './system-error.ts';

const failure = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

test.each([
  [failure('x', { code: 'ENOSPC', path: '/h/a' }), '/h/a: the disk is full', /SONDE_HOME/],
  [failure('ENOSPC: no space left on device, write'), 'A file: the disk is full', /Make room/],
  [
    failure('spawn /x/rg EMFILE', { code: 'EMFILE', syscall: 'spawn /x/rg' }),
    'spawn /x/rg: too many files',
    /ulimit -n/,
  ],
  [failure('x', { code: 'EAGAIN', path: 'git' }), 'git: the machine has no room', /limits/],
  [
    failure('x', { code: 'ENOTDIR', path: '/h/cache' }),
    '/h/cache: a file is where a folder is needed',
    /Move that file/,
  ],
  [
    failure('x', { code: 'EROFS', path: '/h/cache' }),
    '/h/cache: the file system is read-only',
    /can be written/,
  ],
  [failure('database or disk is full', { errcode: 13 }), 'A file: the disk is full', /Make room/],
  [
    failure('attempt to write a readonly database', { errcode: 8 | (6 << 8) }),
    'A file: the file system is',
    /written/,
  ],
  [
    failure('ENOENT: process.cwd failed with error no such file, uv_cwd', {
      code: 'ENOENT',
      syscall: 'uv_cwd',
    }),
    'The current folder no longer exists',
    /Change to a folder/,
  ],
])('%s', (thrown, message, remedy) => {
  const told = toSystemError(thrown);
  expect(told?.message).toContain(message);
  expect(told?.remedy).toMatch(remedy);
  expect(told?.cause).toBe(thrown);
});

test.each([
  [new TypeError('x is undefined')],
  ['text'],
  [null],
  [new SondeError('cancelled', { message: 'EACCES' })],
])('none of the machine: %s', (thrown) => {
  expect(toSystemError(thrown)).toBeNull();
});
