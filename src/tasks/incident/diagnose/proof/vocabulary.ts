/** What words of a claim assert: which way, which order, which event. All else must stand in the evidence. */
import { pageWords } from '../../brief/page-words.ts';
import { wordsOf } from '../../brief/words.ts';

export type Way = 'up' | 'down' | 'still';

const ways: readonly (readonly [Way, RegExp])[] = [
  [
    'still',
    /\b(?:did(?: not|n't) (?:change|move|rise|fall|grow|increase|drop)|unchanged|no change|stayed|stays|remained|remains|stable|flat|steady|constant)\b/i,
  ],
  [
    'up',
    /\b(?:ros[ei]\w*|rises?|rising|risen|climb\w*|w[ea]nt up|goes up|going up|up from|increas\w*|jump\w*|gr[eo]wn?|grows|spik\w*|surg\w*|stepped up|soar\w*|rais(?:e|es|ed|ing)|higher|doubl\w*|tripl\w*)\b/i,
  ],
  [
    'down',
    /\b(?:fell|falls?|falling|fallen|drop(?:s|ped|ping)? (?:from|to|by|since|at)|dropped|w[ea]nt down|goes down|going down|down from|decreas\w*|declin\w*|sank|sinks|collaps\w*|lower(?:s|ed|ing)?|reduc\w*|cuts?|shr[aiu]nk\w*|halv\w*)\b/i,
  ],
];

/** Which way a clause says that something went; null where it says nothing of it. */
export function wayOf(text: string): Way | null {
  return ways.find(([, shape]) => shape.test(text))?.[0] ?? null;
}

/** How a change changed: what must then stand among what it took away or put there. */
export const changeVerbs = {
  add: /\b(?:adds?|added|adding|introduc\w+|creates?|created|brings in)\b/i,
  remove:
    /\b(?:removes?|removed|removing|drops?|dropped|deletes?|deleted|takes? (?:away|off|out)|took (?:away|off|out)|strips?|stripped|no longer has)\b/i,
  replace: /\b(?:replac\w+|swaps?|swapped)\b/i,
  rename: /\brenam\w+/i,
} as const;

export const deployed =
  /\b(?:deploy(?:s|ed|ment)?|rolled out|roll-?out|shipped|released|went live|in effect)\b/i;
/** How a delivery is said to hold a commit: what must then stand among the commits that it names. */
export const carrying = new RegExp(
  `\\b(?:${pageWords.brought}|${pageWords.brings}|bring|carr(?:y|ies|ied)|contain(?:s|ed)?|deliver(?:s|ed)?|includ(?:es?|ed))\\b(?! in\\b)`,
  'i',
);
/** What a claim calls the time of it. */
export const isOfOnset = (text: string): boolean => new RegExp(`\\b${pageWords.onset}\\b`, 'i').test(text);
export const written = /\b(?:written|wrote|authored|committed|merged)\b/i;
export const switchedOn =
  /\b(?:(?:switched|turned|set|flipped|switch(?:es)?) on|enabled?|activated)\b|\boff ?(?:->|→|to) ?on\b/i;
export const switchedOff =
  /\b(?:(?:switched|turned|set|flipped|switch(?:es)?) off|disabled?|deactivated)\b|\bon ?(?:->|→|to) ?off\b/i;
/** Whoever logs something is its owner, and not only named in it. */
const owners =
  /\blogs? of (\S+)|(\S+) (?:has |had |have )?(?:logged|logs(?! of)|reported|reports|warned|warns|complained)\b/gi;

/** Those that a text says have logged something, in lower case. */
export const ownersIn = (text: string): readonly string[] =>
  [...text.matchAll(owners)].map(([, of, who]) =>
    (of ?? who ?? '').toLowerCase().replace(/(?:['’]s)?[.,;:]?$/, ''),
  );

/** Events, each with the words that show it in evidence. */
const events: readonly (readonly [RegExp, RegExp])[] = [
  [/^(restart|reboot|respawn)/, /restart|reboot|crash.?loop|back-?off|\bstart(ed|ing|s)?\b/],
  [/^(crash|panic|segfault|abort)/, /crash|panic|segfault|fatal|abort|exited|core dump/],
  [/^(kill|oom|terminat|evict)/, /kill|oom|terminat|evict|out of memory/],
  [/^expir/, /expir|not valid after|ttl|max.?age/],
  [/^(lock|deadlock)/, /lock/],
  [/^(leak)/, /leak/],
  [/^(refus)/, /refus|econnrefused/],
  [/^(reject)/, /reject|refus|40\d|denied/],
  [
    /^(den(y|i)|forbid|forbade|unauthori)/,
    /den(y|ied)|forbidden|40[13]|not (authori|allow|permit)|unauthori/,
  ],
  [/^(throttl|ratelimit)/, /throttl|429|rate.?limit|too many|exceeded/],
  [/^(timeout|timed)/, /time.?d?.?out|deadline|504|exceeded/],
  [/^(unavailab|unreachab|outage)/, /unavail|unreach|503|502|outage|degrad|refused|no such host|fail/],
  [/^(fail|error)/, /fail|err|exception|5\d\d|denied|refus|timeout|invalid|fatal|reject/],
  [
    /^(exhaust|starv|saturat|overload|overwhelm|maxed)/,
    /exhaust|starv|saturat|overload|too many|no .* left|couldn't get|timeout waiting|queue.*full/,
  ],
  [/^(full|fill)/, /full|no space|used|enospc|disk/],
  [/^(corrupt|malform)/, /corrupt|malform|invalid|checksum|decod|pars/],
  [/^(lost|lose|loss)/, /\blost|\bloss|\blose|missing|drop/],
  [/^(delet|purg|truncat|wip)/, /delet|purg|truncat|drop table|remov/],
  [/^(scal|autoscal)/, /scal|replica/],
  [/^(migrat)/, /migrat|alter table|schema/],
  [/^(rotat|renew)/, /rotat|renew/],
  [/^(renam)/, /renam|-\s*\S/],
  [/^(rollback|revert|rolled)/, /rollback|roll.?ed back|revert/],
  [/^(upgrad|downgrad|bump)/, /upgrad|downgrad|bump/],
  [/^(hang|hung|stuck|block)/, /hang|hung|stuck|block|wait/],
  [/^(retr(y|i)|resent|resend)/, /retr|attempt/],
  [/^(reset|disconnect)/, /reset|disconnect|closed|broken pipe/],
  [
    /^(hack|attack|breach|compromis|stolen|steal|ddos|exfiltrat)/,
    /hack|attack|breach|compromis|stol|ddos|exfiltrat/,
  ],
  [/^(duplicat)/, /duplicat/],
  [/^(concurrent)/, /concurrent/],
];

/** The event that a word tells, by the shape that must then stand in the evidence; null where it tells none. */
export const eventOf = (word: string): RegExp | null =>
  events.find(([tells]) => tells.test(word))?.[1] ?? null;

/** Words of one meaning; a claim may use one where the evidence has another. */
const alike: readonly (readonly string[])[] = [
  'latency duration p50 p90 p95 p99 slow took time second ms delay response lag wait elapsed'.split(' '),
  'error fail failed failure failing 5xx 500 503 exception fatal err'.split(' '),
  'database db sql postgre mysql query select table'.split(' '),
  'request rps qps http rpc call get post api demand traffic load'.split(' '),
  'memory mem heap rss working'.split(' '),
  'connection conn pool'.split(' '),
  'configuration config setting default'.split(' '),
  'deadline timeout'.split(' '),
  'order purchase checkout'.split(' '),
  'image photo picture thumbnail'.split(' '),
  'rate ratio share percentage pct percent'.split(' '),
  'provider upstream idp vendor'.split(' '),
  'login authentication auth signin'.split(' '),
  'loop for while each map foreach'.split(' '),
  'field column attribute property'.split(' '),
  'certificate cert tls x509'.split(' '),
  'disk space volume storage'.split(' '),
  'queue backlog depth'.split(' '),
  'retry retrie attempt backoff'.split(' '),
  'write put insert save'.split(' '),
  'read get load fetch'.split(' '),
  'authorized authorised permission permitted allowed denied'.split(' '),
];
const groups = new Map<string, readonly string[]>();
for (const group of alike)
  for (const word of group) groups.set(word, [...(groups.get(word) ?? []), ...group]);

/** Whether a word, or one that means the same, stands among others. */
export const isAmong = (word: string, words: ReadonlySet<string>): boolean =>
  isItselfAmong(word, words) || (groups.get(word) ?? []).some((other) => words.has(other));

/** Whether the word itself does, in whatever form. */
export const isItselfAmong = (word: string, words: ReadonlySet<string>): boolean =>
  words.has(word) || (word.length >= 5 && [...words].some((other) => sameStem(word, other)));

/** `cancelled` and `cancellation`, `tidies` and `tidy`. */
function sameStem(a: string, b: string): boolean {
  const least = Math.min(a.length, b.length);
  if (least < 4) return false;
  let same = 0;
  while (same < least && a[same] === b[same]) same += 1;
  return same >= Math.max(4, Math.max(a.length, b.length) - 4);
}

/** Of how often a line came: what may stand behind the count of a pattern. */
export const occurrence =
  /^(times?|lines?|messages?|log(?:s|ged)?|entr(?:y|ies)|occurrences?|warnings?|errors?|reports?|instances?|such|of|new|that|x|and|in|by|for|while|against|compared|since|from|within|during)$/i;

/** Words that hold sentences together, or name what every report is about: they assert nothing by themselves. */
const neutral = new Set(
  wordsOf(
    `the a an and or of to in on at by for from with without is are was were be been being it its this that these those
    no not as if then than so also only just still even each every all both most more less much many few some any other
    another one two three first second third last next same own such very about around roughly nearly almost over under
    above below between within while when where which who what why how there here before after since until during again
    back up down out off into onto per via did do does done has have had can could will would may might must should
    cause caused causing causes because thus hence therefore lead leads led result results resulted resulting explain
    explains explained due effect impact affect affected show shows showed shown showing see seen saw say says said tell
    tells told report reports reported reporting log logs logged logging line lines message messages entry warning
    warnings time times timestamp minute minutes second seconds hour hours day ms utc point points value values level
    metric metrics series service services system systems incident alert fired firing alarm onset begin began begun
    begins start started starts starting stop stopped end ended rise rose risen rising rises climb climbed climbing
    jump jumped grew grow grown increase increased increasing spike spiked went go goes going gone come came fall fell
    falling drop dropped decrease decreased decline declined step stepped stay stayed stays remain remained change
    changed changes changing commit commits deploy deployed deployment release released version rollout flag switched
    switch turn turned turning set sets make makes made making give given take takes took taking taken get gets got use
    used uses using call calls called calling run runs ran running keep kept keeps hold holds held cut cuts lower
    lowered lowers raise raised raises reduce reduced reduces add adds added adding remove removes removed removing
    replace replaced replaces create creates created introduce introduced introduces new old previous previously earlier
    later now instead against compared compare comparison normal normally usual baseline high higher low large small
    big long short slow slower fast number numbers count counts total amount average mean median percent trace span
    diff code line file author authored written wrote write evidence appear appears appeared seen look looks like
    consistent likely probably apparently directly immediately suddenly sharply steadily gradually however followed
    following follows match matches matched way kind part several single whole full fully something anything nothing
    everything rather simply exactly already yet once twice instead itself themselves thing things near nearly soon
    existing pile piled piles complain complained complains flat stable steady constant unchanged itself took need needs needed want wants kind sort root culprit blame blamed trigger triggered symptom
    victim innocent true false answer answered answers ask asked asks
    window period interval measured measure serve served serving user users customer customers side worse bad good`,
  ),
);

/** Words that assert something, of a text without its names, numbers and quotes. */
export const assertingWords = (text: string): readonly string[] => [
  ...new Set(wordsOf(text).filter((word) => word.length > 2 && !neutral.has(word) && wayOf(word) === null)),
];

export const negation = /\b(?:no|not|never|none|without|neither|nor|nobody|nothing|n't|cannot)\b|n't\b/i;
