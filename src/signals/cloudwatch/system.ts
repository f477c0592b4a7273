import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'cloudwatch',
  title: 'CloudWatch',
  offers: 'metrics of AWS, log groups, and events of RDS',
  settings: {
    cloudwatch_region: declareSetting(
      'text',
      'Region of AWS whose CloudWatch is looked at in an investigation.',
      'its name, such as eu-west-1',
      'CLOUDWATCH_REGION',
    ),
    cloudwatch_log_groups: declareSetting(
      'texts',
      'Log groups that are looked at; a name that ends in * stands for all that begin so.',
      'a list of names',
      'CLOUDWATCH_LOG_GROUPS',
    ),
    cloudwatch_profile: declareSetting(
      'text',
      'Profile of the credentials file, where there is no access key.',
      'its name; absent: default',
      'AWS_PROFILE',
    ),
    cloudwatch_credentials: declareSetting(
      'path',
      'Credentials file of AWS, with keys of profiles; read anew for each request.',
      'the path of a file; absent: ~/.aws/credentials',
      'AWS_SHARED_CREDENTIALS_FILE',
    ),
    cloudwatch_access_key: declareSetting(
      'text',
      'Id of an access key of AWS, in place of a profile.',
      'its id',
      'AWS_ACCESS_KEY_ID',
    ),
    cloudwatch_secret_key: keySetting('CloudWatch: the secret access key', 'AWS_SECRET_ACCESS_KEY'),
    cloudwatch_session_token: keySetting(
      'CloudWatch: the session token of a temporary access key',
      'AWS_SESSION_TOKEN',
    ),
    cloudwatch_url: addressSetting(
      'Address that all requests to AWS go to, such as one inside of a network. Absent: the address of each service.',
      'CLOUDWATCH_URL',
    ),
  },
  async open(values, ports) {
    const { cloudwatch_region: region, cloudwatch_url: base, cloudwatch_log_groups: logGroups } = values;
    if (region === undefined) return null;
    const { readCredentials } = await import('./credentials.ts');
    const { openCloudwatch } = await import('./cloudwatch.ts');
    const credentials = readCredentials(values, ports);
    const options = { fetch: ports.fetch, clock: ports.clock, region, logGroups, credentials };
    return { signals: [openCloudwatch({ ...options, ...(base !== undefined && { base }) })] };
  },
});
