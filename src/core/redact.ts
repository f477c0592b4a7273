/**
 * The one place where secrets are masked in texts that others wrote: logs, diffs, settings, replies of systems.
 * What is masked has the shape of a secret, or stands where one stands (`password=`, `Authorization:`); ids of
 * commits, traces and requests are left alone, since an investigation needs them.
 */

export const secretMark = '[secret]';

type Rule = readonly [shape: RegExp, mark: string | ((...groups: string[]) => string)];

/** A value behind a name. Quoted (also as JSON within JSON) up to its quote, bare up to a space or a bracket. */
const value = String.raw`(\\?"(?:[^"\\]|\\[^"]){0,4096}(?:\\?")?|'[^']{0,4096}'?|[^\s,;&"'<>}\])]{1,4096})`;
const names = [
  'pass(?:word|wd|phrase)',
  'pwd',
  'secret(?:[_-]?(?:access)?[_-]?key)?',
  'token',
  '(?:api|access|account|auth|private|signing|encryption|master|shared[_-]?access)[_-]?key(?:[_-]?id)?',
  'credentials?',
  'connection[_-]?string',
  'x-amz-(?:signature|credential)',
].join('|');

/** Behind `token:` these words tell what is wrong with it, and are no token. */
const plainWords =
  /^(null|nil|none|undefined|true|false|empty|missing|invalid|expired|required|not|is|was|has|and|or|for|in|the|a|an|to|from|rejected|revoked|unset|redacted|\*+|\[secret\]|\[secret|x{3,})$/i;
/** Code that fetches a secret holds none. */
const code = /^(process\.env|os\.environ|env\.|\$[A-Z_({]|\{\{|%[sdv]|\w+\(|[\w.]+\.get)/;

const keep = (text: string): boolean => plainWords.test(text) || code.test(text);

function named(_: string, name: string, joint: string, held: string): string {
  const open = /^\\?["']/.exec(held)?.[0] ?? '';
  const inner = held.slice(open.length, held.length - (open !== '' && held.endsWith(open) ? open.length : 0));
  if (inner === '' || keep(inner)) return `${name}${joint}${held}`;
  return `${name}${joint}${open}${secretMark}${open}`;
}

const rules: readonly Rule[] = [
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    secretMark,
  ],
  // Addresses with a password in them. Of databases it may hold a slash.
  [
    /\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|clickhouse|mssql):\/\/)[^\s:@/]{0,200}:[^\s@'"]{1,400}@(?:[^\s/@'"]{0,200}@)?/gi,
    `$1${secretMark}@`,
  ],
  [/(:\/\/)[^/\s:@'"]{0,200}:[^/\s'"]{1,400}@/g, `$1${secretMark}@`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${secretMark}`],
  [
    /\b((?:proxy-)?authorization|x-(?:api|auth)-(?:key|token)|x-vault-token|private-token|dd-(?:api|application)-key|(?:set-)?cookie)(\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?!Bearer \[|Basic \[)[^\s"'][^"'\r\n]{0,4096}/gi,
    `$1$2${secretMark}`,
  ],
  // Shapes that nothing else has.
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, secretMark],
  [/\b(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b/g, secretMark],
  [
    /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{16,})/g,
    secretMark,
  ],
  [/\bxox[abcdeprs]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}/g, secretMark],
  [/(hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]+/g, `$1${secretMark}`],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, secretMark],
  [
    /\b(?:[srp]k_(?:live|test)|whsec|rk_live|dop_v1|shp(?:at|ca|pa|ss)|npm|hf|glsa|glc|sntry[su]|pul|dapi)_?[A-Za-z0-9_=+/-]{16,}/g,
    secretMark,
  ],
  [
    /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bpypi-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bhvs\.[\w-]{20,}/g,
    secretMark,
  ],
  // Names in front of a value: settings, JSON, query strings, command lines, SQL, Redis.
  [new RegExp(String.raw`(${names})(\\?["']?\]?\s{0,3}(?:=>|:=|[:=])\s{0,3})${value}`, 'gi'), named],
  [new RegExp(String.raw`(--(?:${names}))(\s{1,3})${value}`, 'gi'), named],
  [/\b(IDENTIFIED\s+BY|WITH\s+PASSWORD|\bPASSWORD)(\s{1,3})('[^']{0,400}'?|"[^"]{0,400}"?)/gi, named],
  [/\b(requirepass|masterauth)(\s{1,3})("[^"]{0,400}"?|[^\s"]{1,400})/gi, named],
  [/\b(AUTH)(\s{1,3}|"\s{1,3})("[^"]{1,400}"(?:\s"[^"]{1,400}")?)/g, named],
  [/(\s-u\s+|\s--user\s+)[^\s:'"]{1,100}:[^\s'"]{1,400}/g, `$1${secretMark}`],
  [/([?&](?:sig|signature)=)[^\s&"'<>]{8,}/gi, `$1${secretMark}`],
];

/** Masks what has the shape of a secret, or stands where one stands. */
export function maskSecrets(text: string): string {
  let clean = text;
  for (const [shape, mark] of rules)
    clean = typeof mark === 'string' ? clean.replace(shape, mark) : clean.replace(shape, mark);
  return clean;
}

/** The same value with every secret in every text masked, whatever is in it, and frozen. */
export function masked<Value>(value: Value): Value {
  return maskedValue(value) as Value;
}

/** What these names hold is masked whatever it looks like. */
const secretNames = /(password|passwd|secret|token|api_?key|private_?key|credential)s?$/i;

function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(maskedValue));
  return Object.freeze(
    Object.fromEntries(
      Object.entries(value).map(([name, held]) => [
        name,
        secretNames.test(name) && typeof held === 'string' && held !== '' ? secretMark : maskedValue(held),
      ]),
    ),
  );
}

/** Shorter values are words that occur by chance, and no system gives out such keys. */
const shortest = 6;

/** Removes known secrets themselves, as they are and as they are encoded in an address or in JSON. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]))
      clean = clean.replaceAll(form, secretMark);
  }
  return clean;
}
