/**
 * The one place where secrets are masked in texts that others wrote: logs, diffs, settings, replies of
 * systems. A text is masked if it has the shape of a secret, or follows a name such as `password=` or
 * `Authorization:`. Ids of commits, traces and requests are not masked, since an investigation needs them.
 */
import { findSecrets } from './find-secrets.ts';
import { indexKnownSecrets, type KnownSecrets } from './known-secrets.ts';

export const secretMark = '[secret]';

/**
 * Returns the replacement of a secret. Without a kind, the form of the secret decides it. `piece`: the secret as
 * written, if it spans several lines.
 */
export type Hide = (secret: string, kind?: string, piece?: string) => string;
const hideWithPlainMark: Hide = () => secretMark;

type Rule = readonly [shape: RegExp, replace: (hide: Hide, ...groups: string[]) => string];

/** The second group is the secret. */
const secondGroup: Rule[1] = (hide, whole, before, secret) =>
  secret!.includes(markStart) ? whole! : before + hide(secret!);
/** The whole match is secret. */
const wholeMatch: Rule[1] = (hide, whole) => hide(whole!);
/** Start of every mark: masked text is not masked again. */
const markStart = '[secret';

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

/** After `token:` these words describe a problem, and are no token. */
const plainWords =
  /^(null|nil|none|undefined|true|false|empty|missing|invalid|expired|required|not|is|was|has|and|or|for|in|the|a|an|to|from|rejected|revoked|unset|redacted|\*+|\[secret[^\]]*\]?|x{3,})$/i;
/** Code that reads a secret from elsewhere is not a secret. */
const code = /^(process\.env|os\.environ|env\.|\$[A-Z_({]|\{\{|%[sdv]|\w+\(|[\w.]+\.get)/;

const isHarmless = (text: string): boolean => plainWords.test(text) || code.test(text);

/** Code compares a name with another name or expression; a literal there, or a word with digits, may be a secret. */
const comparedCode = /^[A-Za-z_$][A-Za-z_$.]*[()[\]:]*$/;

function maskNamed(hide: Hide, ...[whole, name, joint, secretValue]: string[]): string {
  if (joint!.includes('==') && comparedCode.test(secretValue!)) return whole!;
  return `${name}${joint}${hideValue(hide, secretValue!)}`;
}

function hideValue(hide: Hide, quotedValue: string): string {
  const open = /^\\?["']/.exec(quotedValue)?.[0] ?? '';
  const inner = quotedValue.slice(
    open.length,
    quotedValue.length - (open !== '' && quotedValue.endsWith(open) ? open.length : 0),
  );
  return inner === '' || isHarmless(inner) ? quotedValue : `${open}${hide(inner)}${open}`;
}

const rules: readonly Rule[] = [
  [
    /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)([\s\S]*?(?:(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)|$))/g,
    (hide, whole, before, body) =>
      body!.includes(markStart) || body!.trim() === ''
        ? whole!
        : before + markLines(body!, hide(joinKeyLines(body!), 'private_key')),
  ],
  // Addresses with a password in them. The password of a database may contain a slash.
  [
    /\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|clickhouse|mssql):\/\/[^\s:@/]{0,200}:)([^\s@'"]{1,400}(?:@[^\s/@'"]{0,200}(?=@))?)(?=@)/gi,
    secondGroup,
  ],
  [/(:\/\/[^/\s:@'"]{0,200}:)([^/\s'"]{1,400})(?=@)/g, secondGroup],
  [/\b((?:Bearer|Basic)\s+)([A-Za-z0-9._~+/=-]{8,})/gi, secondGroup],
  [
    /\b((?:(?:proxy-)?authorization|x-(?:api|auth)-(?:key|token)|x-vault-token|private-token|dd-(?:api|application)-key|(?:set-)?cookie)\\?["']?\s{0,3}[:=]\s{0,3}(?:\[\s{0,3})?\\?["']?)(?!(?:Bearer|Basic)\s+$|\[\s{0,3}\\?["'])([^\s"'][^"'\r\n]{0,4096})/gi,
    secondGroup,
  ],
  // Shapes of their own. Each match starts only at a word boundary: a text of repeated prefixes would take hours
  // otherwise.
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, wholeMatch],
  [/\b(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b/g, wholeMatch],
  [
    /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{16,})/g,
    wholeMatch,
  ],
  [/\bxox[abcdeprs]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}/g, wholeMatch],
  [/(hooks\.slack\.com\/(?:services|workflows)\/)([\w/-]+)/g, secondGroup],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, wholeMatch],
  [
    /\b(?:[srp]k_(?:live|test)_|whsec_|dop_v1_|shp(?:at|ca|pa|ss)_|gl(?:sa|c)_|sntry[su]_)[A-Za-z0-9_=+/-]{16,}/g,
    wholeMatch,
  ],
  // These prefixes also begin words and folders: `npm_config_…`, `pull-requests/…`.
  [
    /\b(?:npm_|hf_)(?=[A-Za-z]*\d|[A-Z]*[a-z]+[A-Z])[A-Za-z0-9]{16,}(?!\w)|\b(?:pul-|dapi)[0-9a-f]{16,}(?!\w)/g,
    wholeMatch,
  ],
  [
    /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bpypi-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bhvs\.[\w-]{20,}/g,
    wholeMatch,
  ],
  // Names in front of a value: settings, JSON, query strings, command lines, SQL, Redis.
  [
    new RegExp(String.raw`(${names})(\\?["']?\]?\s{0,3}(?:=>|:=|[:=](?!=)|={2,3})\s{0,3})${value}`, 'gi'),
    maskNamed,
  ],
  [new RegExp(String.raw`(--(?:${names}))(\s{1,3})${value}`, 'gi'), maskNamed],
  [/\b(IDENTIFIED\s+BY|WITH\s+PASSWORD|\bPASSWORD)(\s{1,3})('[^']{0,400}'?|"[^"]{0,400}"?)/gi, maskNamed],
  [/\b(requirepass|masterauth)(\s{1,3})("[^"]{0,400}"?|[^\s"]{1,400})/gi, maskNamed],
  [/\b(AUTH)(\s{1,3}|"\s{1,3})("[^"]{1,400}"(?:\s"[^"]{1,400}")?)/g, maskNamed],
  [/((?:\s-u\s+|\s--user\s+)[^\s:'"]{1,100}:)([^\s'"]{1,400})/g, secondGroup],
  [/([?&](?:sig|signature)=)([^\s&"'<>]{8,})/gi, secondGroup],
];

/** The characters of a key, however its lines are set. */
export const joinKeyLines = (body: string): string => body.replace(/\\[nr]|[^A-Za-z0-9+/=]/g, '');

/** Replaces a text by a mark on each line that contained something, so that line numbers stay. */
export const markLines = (body: string, mark: string): string =>
  body.replace(/[^\n]*[^\s][^\n]*/g, (line) => (line.endsWith('\r') ? `${mark}\r` : mark));

/** Masks everything that has the form of a secret, or is at a place where one is expected. */
export function maskSecrets(text: string, hide: Hide = hideWithPlainMark): string {
  let clean = text;
  for (const [shape, replace] of rules)
    clean = mapOutsideMarks(clean, (piece) =>
      piece.replace(shape, (...groups: string[]) => replace(hide, ...groups)),
    );
  return maskCertainSecrets(clean, hide);
}

/** The text of a mark is neither a name nor a value. */
const marks = /(\[secret(?::[a-z0-9_]+:[0-9a-f]{6})?\])/;

function mapOutsideMarks(text: string, change: (piece: string) => string): string {
  if (!text.includes(markStart)) return change(text);
  return text
    .split(marks)
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('');
}

/** Masks only text that is certainly a secret, in texts about anything: code, pages, requests to a model. */
export function maskCertainSecrets(text: string, hide: Hide): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  let clean = '';
  let done = 0;
  for (const { start, end, kind } of spans) {
    const secret = text.slice(start, end);
    clean += text.slice(done, start);
    clean +=
      kind === 'private_key' ? markLines(secret, hide(joinKeyLines(secret), kind, secret)) : hide(secret);
    done = end;
  }
  return clean + text.slice(done);
}

/** A frozen copy of a value, with every secret in its texts masked. */
export function maskDeep<Value>(value: Value, hide: Hide = hideWithPlainMark): Value {
  return maskValue(value, hide) as Value;
}

/** Names of fields whose values are masked, whatever they look like. */
const secretNames = /(password|passwd|secret|token|api_?key|private_?key|credential)s?$/i;

function maskValue(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return maskSecrets(value, hide);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((one) => maskValue(one, hide)));
  return Object.freeze(
    Object.fromEntries(
      Object.entries(value).map(([name, held]) => [
        name,
        secretNames.test(name) && typeof held === 'string' && held !== '' && !held.startsWith(markStart)
          ? hide(held)
          : maskValue(held, hide),
      ]),
    ),
  );
}

/** The indexed forms of sets of secrets, so that each set is indexed once. */
const indexedSecrets = new Map<string, KnownSecrets>();
const maxKnown = 32;

/** Removes known secrets, in whatever form they come back. */
export function removeKnownSecrets(
  text: string,
  secrets: readonly string[],
  hide: Hide = hideWithPlainMark,
): string {
  const key = secrets.join('\0');
  let forms = indexedSecrets.get(key);
  if (forms === undefined) {
    if (indexedSecrets.size >= maxKnown) indexedSecrets.clear();
    forms = indexKnownSecrets(secrets);
    indexedSecrets.set(key, forms);
  }
  return forms.replaceIn(text, hide);
}
