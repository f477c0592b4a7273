/** Whose requests they are: an access key of the settings, or one of a profile in the credentials file. */
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

interface Values {
  readonly cloudwatch_profile?: string | undefined;
  readonly cloudwatch_credentials?: string | undefined;
  readonly cloudwatch_access_key?: string | undefined;
  readonly cloudwatch_secret_key?: HiddenKey | undefined;
  readonly cloudwatch_session_token?: HiddenKey | undefined;
}

const usualFile = '~/.aws/credentials';

const wrong = (message: string, remedy: string): SondeError =>
  new SondeError('bad_config', { message, remedy });

/**
 * Reads the credentials for each request, since the file may be renewed. Throws `bad_config` at once if there is no
 * access key.
 */
export function readCredentials(
  values: Values,
  { credential, readFile }: Pick<SystemPorts, 'credential' | 'readFile'>,
): () => AwsCredentials {
  const {
    cloudwatch_access_key: id,
    cloudwatch_secret_key: secret,
    cloudwatch_session_token: session,
  } = values;
  const { cloudwatch_profile: profile, cloudwatch_credentials: file = usualFile } = values;
  if ((id === undefined) !== (secret === undefined))
    throw wrong(
      `cloudwatch_${id === undefined ? 'access' : 'secret'}_key is missing`,
      'Set cloudwatch_access_key and cloudwatch_secret_key_file together.',
    );
  if (id !== undefined && secret !== undefined) {
    const own = {
      accessKeyId: id,
      secret: credential(secret),
      session: session === undefined ? null : credential(session),
    };
    return () => own;
  }
  const read = (): AwsCredentials =>
    credentialsOf(readFile(file, 'cloudwatch_credentials'), profile ?? 'default', file);
  read();
  return read;
}

/** The file that `aws configure` writes: sections in brackets, and names with values. */
export function credentialsOf(text: string, profile: string, file: string): AwsCredentials {
  const found = new Map<string, string>();
  let isOwn = false;
  let isThere = false;
  for (const line of text.split(/\r?\n/)) {
    const [, section] = /^\s*\[\s*(?:profile\s+)?(.*?)\s*\]\s*(?:[#;].*)?$/.exec(line) ?? [];
    if (section !== undefined) {
      isOwn = section === profile;
      isThere ||= isOwn;
      continue;
    }
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (isOwn && name !== undefined && value !== undefined) found.set(name.toLowerCase(), value);
  }
  const [id, secret, session] = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'].map(
    (name) => found.get(name),
  );
  if (id === undefined || id === '' || secret === undefined || secret === '') {
    const others = ['role_arn', 'credential_process', 'sso_session', 'sso_start_url'].filter((name) =>
      found.has(name),
    );
    throw wrong(
      isThere
        ? `The profile ${profile} of ${file} has no access key${others.length === 0 ? '' : ` (${others.join(', ')} is not followed)`}`
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
