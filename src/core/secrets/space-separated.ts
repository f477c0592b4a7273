/** Rules for secrets that a space separates from their name: a flag, a directive of a settings file, a header's scheme. */
import { isNameOrPlaceholder, isPlaceholder, looksRandom } from './randomness.ts';
import { patternRule, type SecretRule } from './rule.ts';

/**
 * Whether a value may be a password. Invented ones count too, since only a password can follow these flags and
 * directives.
 */
const isPassword = (value: string): boolean => looksRandom(value, true, true) && !isPlaceholder(value);

/** `--password VALUE`, `--api-key VALUE`. The rules for names (`by-context.ts`) find `--password=VALUE`. */
const flag = (name: string, isSecret: (value: string) => boolean): SecretRule =>
  patternRule(
    name.includes('pass') ? 'password' : 'token',
    [name],
    new RegExp(
      `(${name}(?:word|wd|phrase|code)?(?:["']?,)?[ \\t]{1,4}["']?)([^\\s"'\`$<>{},;|&\\\\]{8,512})`,
      'iy',
    ),
    (value, text, at) => !value.startsWith('-') && isFlag(text, at) && isSecret(value),
  );

const isFlag = (text: string, at: number): boolean =>
  /(?:^|[\s"'`=[(,])--?[a-z\d-]{0,30}$/i.test(text.slice(Math.max(0, at - 34), at));

/** `-p VALUE` and `-pVALUE` of programs that take a password in this form. */
const shortFlag = (program: string, upToFlag: string): SecretRule =>
  patternRule(
    'password',
    [program],
    new RegExp(`(${program}${upToFlag}["']?)([^\\s"'\`$<>{}|&;\\\\]{6,200})`, 'iy'),
    isPassword,
  );

/** A directive: the first word of a line of settings, with its value after a space. */
const directive = (name: string): SecretRule =>
  patternRule(
    'password',
    [name],
    new RegExp(`(${name}[ \\t]{1,20}["']?)([^\\s"'\`$<>{}]{6,200})`, 'iy'),
    (value, text, at) =>
      /(?:^|\n)[\w \t-]{0,40}$/.test(text.slice(Math.max(0, at - 41), at)) && isPassword(value),
  );

/** `.netrc`, on one line or several. */
const netrc = patternRule(
  'password',
  ['login '],
  /(login[ \t]+\S{1,100}\s{1,20}(?:account\s+\S{1,100}\s{1,20})?password[ \t]{1,20}["']?)([^\s"'`$<>{}]{6,200})/iy,
  isPassword,
);

/** `host:5432:database:user:password`, a line of `.pgpass`. */
const pgpass = patternRule(
  'password',
  [':5432:'],
  /(:5432:[^\s:]{1,63}:[^\s:]{1,63}:)([^\s"'`$<>{}]{6,200})/y,
  isPassword,
);

/** An `Authorization` header with any scheme. `Bearer` and `Basic` are also found without the name of the header. */
const header = patternRule(
  'authorization',
  ['authorization'],
  /(authorization\\?["'`]?\]?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:[A-Za-z][\w-]{1,20} {1,3}(?:(?:token|key)=\\?["']?)?)?)([A-Za-z0-9._~+/-]{16,512}={0,2})(?![\w{$<(])/iy,
  (value) => looksRandom(value, false),
);

/** A value that YAML puts on the next line. */
const nextLineRule = (name: string): SecretRule =>
  patternRule(
    'password',
    [name],
    new RegExp(
      `(${name}[\\w-]{0,20}["']?:[ \\t]*[>|][+-]?[ \\t]*\\r?\\n[ \\t]{1,40})([^\\s"'\`$<>{}]{8,512})`,
      'iy',
    ),
    (value) => looksRandom(value, true),
  );

/** Words that mark prose about passphrases, such as `enter your passphrase`, which is not one itself. */
const sentenceWords =
  /(?:^|\s)(?:the|a|an|is|are|was|be|to|of|for|in|on|your|you|this|that|must|should|can|not|no|enter|please|with|and|or|has|have|used?|wrong|incorrect|invalid|repeat|again|empty|too|required|protects?|need(?:s|ed)?|add(?:ed)?|set)(?=[\s.,:!?]|$)|[.:?…]\s*$|%[sdv]|\$\{|[<{]/i;

/** A passphrase of several words, separated by spaces. */
const phrase = patternRule(
  'passphrase',
  ['passphrase'],
  /(passphrase\\?["'`]?\]?[ \t]{0,4}(?:=>|:=|={1,2}|:)[ \t]{0,4}\\?["'`])([\w'!#%&*+,.;?@^~-]{2,30}(?: [\w'!#%&*+,.;?@^~-]{1,30}){2,15})(?=\\?["'`])/iy,
  (value) => !sentenceWords.test(value) && !isNameOrPlaceholder(value),
);

/** The seed of a wallet: at least a dozen words. */
const mnemonic = [
  'mnemonic',
  'seed phrase',
  'seed_phrase',
  'seedphrase',
  'recovery phrase',
  'recovery_phrase',
].map((name) =>
  patternRule(
    'mnemonic',
    [name],
    new RegExp(
      `(${name}\\\\?["'\`]?[ \\t]{0,4}(?:=>|:=|=|:)[ \\t]{0,4}\\\\?["'\`]?)([a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![\\w ])`,
      'iy',
    ),
    (value) =>
      [12, 15, 18, 21, 24].includes(value.split(' ').length) &&
      !/(?:^| )(?:the|for|and|with)(?: |$)/.test(value),
  ),
);

const isToken = (value: string): boolean => looksRandom(value, false);

export const spaceSeparatedRules: readonly SecretRule[] = [
  flag('pass', isPassword),
  ...['token', 'secret', 'api-key', 'apikey', 'api_key', 'access-key'].map((name) => flag(name, isToken)),
  shortFlag('sshpass', '[ \\t]+-p[ \\t]*'),
  shortFlag('docker', ' login\\b[^\\n]{0,200}?[ \\t]-p[ \\t=]+'),
  shortFlag('podman', ' login\\b[^\\n]{0,200}?[ \\t]-p[ \\t=]+'),
  shortFlag('mysql', '[a-z]{0,8}[ \\t][^\\n|;]{0,120}?(?<=[ \\t])-p'),
  ...['requirepass', 'masterauth', 'bindpw', 'rootpw'].map(directive),
  netrc,
  pgpass,
  header,
  nextLineRule('passw'),
  nextLineRule('secret'),
  nextLineRule('token'),
  phrase,
  ...mnemonic,
];
