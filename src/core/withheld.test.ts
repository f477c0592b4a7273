import { describe, expect, it } from 'vitest';
import { scopeMatcher } from './scope.ts';
import { isWithheld } from './withheld.ts';

function check(path: string, expected: boolean): void {
  it(`${path} is ${expected ? 'withheld' : 'readable'}`, () => {
    expect(isWithheld(path)).toBe(expected);
    // In no scope, not even in one that names it outright.
    expect(scopeMatcher()(path)).toBe(!expected);
    expect(scopeMatcher(path)(path)).toBe(!expected);
  });
}

describe('files that hold secrets by their name', () => {
  for (const path of [
    '.env',
    'app/.env.production',
    'deploy/prod.env',
    'keys/server.key',
    'tls/cert.PEM',
    'home/.ssh/config',
    '.ssh/id_ed25519',
    'id_rsa',
    'conf/secrets.yaml',
    'credentials.json',
    '.aws/credentials',
    '.netrc',
  ])
    check(path, true);
  for (const path of [
    '.env.example',
    '.env.sample',
    'src/env.ts',
    'src/secrets.ts',
    'docs/credentials.md',
    'lib/key.go',
    'id_rsa.md',
    'src/keystore/index.ts',
    'environment.yml',
  ])
    check(path, false);
});
