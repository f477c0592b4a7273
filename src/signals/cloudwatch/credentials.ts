/**
 * The AWS credentials that sign requests: an access key from the settings, or that of a profile in the credentials
 * file.
 */
import { SondeError } from '../../core/index.ts';
import type { HiddenKey } from '../../core/setting.ts';
import type { Credential } from '../http-credentials.ts';
import type { SystemPorts } from '../system.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secret: Credential;
  /** The session token of a temporary access key. It is sent with requests and masked in texts. */
  readonly session: Credential | null;
}

interface CredentialSettings {
  readonly cloudwatch_profile?: string | undefined;
  readonly cloudwatch_credentials?: string | undefined;
  readonly cloudwatch_access_key?: string | undefined;
  readonly cloudwatch_secret_key?: HiddenKey | undefined;
  readonly cloudwatch_session_token?: HiddenKey | undefined;
}

const defaultFile = '~/.aws/credentials';

const configError = (message: string, remedy: string): SondeError =>
  new SondeError('bad_config', { message, remedy });

/**
 * Returns a function that gives the credentials. It reads the file for each request, since the keys in it may be
 * renewed. Throws `bad_config` at once if there is no access key.
 */
export function readCredentials(
  values: CredentialSettings,
  { credential, readFile }: Pick<SystemPorts, 'credential' | 'readFile'>,
): () => AwsCredentials {
  const {
    cloudwatch_access_key: id,
    cloudwatch_secret_key: secret,
    cloudwatch_session_token: session,
  } = values;
  const { cloudwatch_profile: profile, cloudwatch_credentials: file = defaultFile } = values;
  if ((id === undefined) !== (secret === undefined))
    throw configError(
      `cloudwatch_${id === undefined ? 'access' : 'secret'}_key is missing`,
      'Set cloudwatch_access_key and cloudwatch_secret_key_file together.',
    );
  if (id !== undefined && secret !== undefined) {
    const fixedCredentials = {
      accessKeyId: id,
      secret: credential(secret),
      session: session === undefined ? null : credential(session),
    };
    return () => fixedCredentials;
  }
  const readProfile = (): AwsCredentials =>
    credentialsOf(readFile(file, 'cloudwatch_credentials'), profile ?? 'default', file);
  readProfile();
  return readProfile;
}

/** Parses a profile of the file that `aws configure` writes: `[section]` lines, and lines `name = value`. */
export function credentialsOf(text: string, profile: string, file: string): AwsCredentials {
  const profileValues = new Map<string, string>();
  let isInProfile = false;
  let hasProfile = false;
  for (const line of text.split(/\r?\n/)) {
    const [, section] = /^\s*\[\s*(?:profile\s+)?(.*?)\s*\]\s*(?:[#;].*)?$/.exec(line) ?? [];
    if (section !== undefined) {
      isInProfile = section === profile;
      hasProfile ||= isInProfile;
      continue;
    }
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (isInProfile && name !== undefined && value !== undefined)
      profileValues.set(name.toLowerCase(), value);
  }
  const [id, secret, session] = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'].map(
    (name) => profileValues.get(name),
  );
  if (id === undefined || id === '' || secret === undefined || secret === '') {
    const unsupportedNames = ['role_arn', 'credential_process', 'sso_session', 'sso_start_url'].filter(
      (name) => profileValues.has(name),
    );
    throw configError(
      hasProfile
        ? `The profile ${profile} of ${file} has no access key${unsupportedNames.length === 0 ? '' : ` (${unsupportedNames.join(', ')} is not followed)`}`
        : `${file} has no profile ${profile}`,
      'Give it aws_access_key_id and aws_secret_access_key (with aws_session_token for a temporary one), or set cloudwatch_access_key.',
    );
  }
  return {
    accessKeyId: id,
    secret: { reveal: () => secret },
    session: session === undefined || session === '' ? null : { reveal: () => session },
  };
}
