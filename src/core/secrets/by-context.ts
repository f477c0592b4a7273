/** Rules for secrets recognised by what precedes them: in an address, a header, a command, after a name. */

import { findNamedPlace, findValues, isSetting, passwords } from './named-value.ts';
import { isNameOrPlaceholder, isPlaceholder, looksRandom } from './randomness.ts';
import { patternRule, type SecretRule, type SecretSpan } from './rule.ts';

/** `scheme://name:password@host`. */
const inAddress: SecretRule = {
  kind: 'url_password',
  keywords: ['://'],
  find(text, at) {
    const shape = /(:\/\/[^\s:@/?#'"`<>{}|\\^()[\],]{0,100}:)([^\s@/?#'"`<>|\\^[\]]{1,200})@[\w[]/y;
    shape.lastIndex = at;
    const match = shape.exec(text);
    const scheme = /[a-z][a-z0-9+.-]{1,30}$/i.exec(text.slice(Math.max(0, at - 31), at));
    if (match === null || scheme === null || !isAddressPassword(match[2]!, match[1]!.slice(3, -1)))
      return null;
    const start = at + match[1]!.length;
    return { start, end: start + match[2]!.length, kind: 'url_password' };
  },
};

/** Words used in explanations of addresses. */
const exampleWords =
  /^(?:p|pw|pwd|pass|passw|passwd|password|passphrase|secret|user|username|name|token|key|login|credentials?|auth|foo|bar|baz|test|admin|root|guest|x|y|z|a|b|c|abc|123|1234|12345|123456|oauth2|x-oauth-basic|hidden|masked|port|host|\d{1,5}|mypass(?:word)?|my-?password|some-?pass(?:word)?|my-?secret|pass\d?|p(?:a|@)ss(?:w(?:o|0)rd)?\d{0,3}|user\d?|test\d?|pass(?:word)?test|bad|wrong|good|invalid|xxx+|\*+|\.+|…)$/i;

function isAddressPassword(password: string, user: string): boolean {
  if (/[${}<>%]\{?[A-Z_(]|\$|\{|<|%[sdv]|\*{2}|\.{3}/i.test(password.replace(/%[0-9a-f]{2}/gi, '')))
    return false;
  if (password.length < 3 || !/[A-Za-z0-9]{2}/.test(password) || isNameOrPlaceholder(password)) return false;
  // `cacheuser:cachepass`, and an encoded address in front of another.
  if (/^[a-z]*(?:pass|pw|pwd|passwd|password|secret)$/i.test(password) || user.includes('%2F')) return false;
  return !exampleWords.test(password) && password.toLowerCase() !== user.toLowerCase();
}

/** HTTP authentication schemes, with the credentials that follow them. */
const authorization = patternRule(
  'authorization',
  ['Bearer ', 'Basic '],
  /((?:Bearer|Basic) {1,3})([A-Za-z0-9._~+/-]{16,}={0,2})(?![\w{$<])/iy,
  (secret) => looksRandom(secret, false) || (/={1,2}$/.test(secret) && !isPlaceholder(secret)),
);

const slackHook = patternRule(
  'slack_webhook',
  ['hooks.slack.com/'],
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9+/]{30,})/y,
  (secret) => !isPlaceholder(secret),
);
const teamsHook = patternRule(
  'teams_webhook',
  ['.webhook.office.com/'],
  /(\.webhook\.office\.com\/webhookb2\/)([\w@/-]{60,})/y,
);
const discordHook = patternRule(
  'discord_webhook',
  ['/api/webhooks/'],
  /(\/api\/webhooks\/\d{15,20}\/)([\w-]{50,})/y,
);
const azureAccount = patternRule(
  'azure',
  ['AccountKey=', 'SharedAccessKey='],
  /((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]{40,}={0,2})/iy,
  (secret) => !isPlaceholder(secret),
);
const signature = patternRule(
  'signature',
  ['?sig=', '&sig=', 'X-Amz-Signature=', 'X-Goog-Signature='],
  /([?&]?(?:sig|X-Amz-Signature|X-Goog-Signature)=)([\w%+/=-]{20,})/iy,
  (secret) => !isPlaceholder(secret),
);
const curlUser = patternRule(
  'password',
  [' -u ', ' --user '],
  /( (?:-u|--user) {1,3}["']?[\w.@-]{1,60}:)([^\s'"`$<>{}\\]{6,100})/y,
  (secret, text, at) =>
    /curl|wget|http/.test(text.slice(Math.max(0, at - 200), at)) &&
    !exampleWords.test(secret) &&
    !isPlaceholder(secret),
);
const telegram: SecretRule = {
  kind: 'telegram',
  keywords: [':AA'],
  find(text, at) {
    const before = /(?<!\w)\d{8,12}$/.exec(text.slice(Math.max(0, at - 13), at));
    const after = /:AA[\w-]{33}(?![\w-])/y;
    after.lastIndex = at;
    if (before === null || !after.test(text)) return null;
    return { start: at - before[0].length, end: at + 36, kind: 'telegram' };
  },
};

/** Credentials of npm and Docker: name and password in base64. */
const npmOrDockerAuth = patternRule(
  'auth',
  ['_auth', '"auth"'],
  /((?:_auth|"auth")\s{0,3}[:=]\s{0,3}["']?)([A-Za-z0-9+/]{12,}={0,2})(?![\w(.])/y,
  (secret) => /[+/=]|\d/.test(secret) && !isPlaceholder(secret),
);

/** Names of generated values; a value named `secret` may also be an invented one. */
const tokenNames = [
  ...[
    'secret',
    'token',
    'credential',
    'apikey',
    'api_key',
    'api-key',
    'api key',
    'appkey',
    'app_key',
    'app-key',
  ],
  ...['accesskey', 'access_key', 'access-key', 'access key', 'authkey', 'auth_key', 'auth-key'],
  ...['privatekey', 'private_key', 'private-key', 'signingkey', 'signing_key', 'signing-key'],
  ...['encryptionkey', 'encryption_key', 'encryption-key', 'accountkey', 'account_key', 'account-key'],
  ...['masterkey', 'master_key', 'master-key', 'licensekey', 'license_key', 'license-key'],
];

function findNamedSecret(text: string, at: number, keyword: string, isPassword: boolean): SecretSpan | null {
  const place = findNamedPlace(text, at, keyword);
  if (place === null) return null;
  const { name, assigned, from } = place;
  // A setting such as `DB_PASSWORD: …`, or a line `password: …` in the settings of a program; not a name that is
  // assigned in code.
  const isSettingName =
    assigned &&
    (/^[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|PWD|PASSPHRASE)$/.test(name) ||
      (/^(?:[\w-]+[._-])?(?:password|passwd|pwd|passphrase)$/i.test(name) &&
        !/["'`]/.test(text[from] ?? '') &&
        isSetting(text, from)));
  for (const [start, secret] of findValues(text, from)) {
    // `user.password[0]` is an expression.
    const isWritten = /^[A-Z]/.test(name) || !/^[\w$]+[.[]\w|[,;]$/.test(secret);
    // After a name without an assignment there may be other arguments.
    const mayBeInvented = isPassword && (assigned || /[^\w.:/@-]/.test(secret));
    if (looksRandom(secret, mayBeInvented, isPassword && isSettingName && isWritten))
      return { start, end: start + secret.length, kind: isPassword ? 'password' : 'token' };
  }
  return null;
}

export const contextRules: readonly SecretRule[] = [
  inAddress,
  authorization,
  slackHook,
  teamsHook,
  discordHook,
  azureAccount,
  signature,
  curlUser,
  telegram,
  npmOrDockerAuth,
  ...passwords.map((name) => ruleForName('password', name, true)),
  ...tokenNames.map((name) => ruleForName('token', name, name === 'secret')),
];

function ruleForName(kind: string, name: string, isPassword: boolean): SecretRule {
  return { kind, keywords: [name], find: (text, at) => findNamedSecret(text, at, name, isPassword) };
}
