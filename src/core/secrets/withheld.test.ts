import { describe, expect, it } from 'vitest';
import { scopeMatcher } from '../scope.ts';
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
    '.npmrc',
    'web/.yarnrc.yml',
    '.envrc',
    '.env~',
    '.env.local.bak',
    '#.env#',
    'id_rsa.bak',
    'deploy_id_ed25519.old',
    'server.key.txt',
    'tls/server.key.2024',
    'service-account.json',
    'prod-service_account-1.json',
    'application_default_credentials.json',
    'home/.config/gh/hosts.yml',
    'home/.config/gcloud/access_tokens.db',
    'secring.gpg',
    '.gnupg/private-keys-v1.d/ABC.key',
    'infra/terraform.tfstate',
    'infra/terraform.tfstate.backup',
    'infra/prod.auto.tfvars',
    'infra/terraform.tfvars.json',
    '.bash_history',
    '.psql_history',
    '.zsh_history.1',
    '.m2/settings.xml',
    '.cargo/credentials.toml',
    'app/prod.credentials.json',
    'db-passwords.csv',
    'AuthKey_ABC123.p8',
    'krb5.keytab',
    'ssh_host_ed25519_key',
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
    '.env.production.example',
    'locales/en/auth.json',
    'config/locales/passwords.en.yml',
    '.env-sample',
    '.npmrc.example',
    'terraform.tfvars.example',
    'id_ed25519.pub',
    'server.key.ts',
    'src/credentials/index.ts',
    'src/service-account.ts',
    'src/history.ts',
    'docs/tfstate.md',
    'src/passwords.go',
    'locales/auth.json.ts',
    'settings.xml',
    'hosts.yml',
    'config.yaml',
    'test/token.json',
    'keys.json',
    'package.json',
    'certs/isrgrootx1.pem',
  ])
    check(path, false);
});
