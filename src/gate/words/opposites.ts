/** Words that have an opposite, and adjectives that may mean the same. */

/** A claim with one of a pair can't be confirmed by lines with the other. */
const pairs: readonly (readonly [string, string])[] = (
  'failed:succeeded failed:passed fails:passes failed:successful refused:accepted refused:allowed rejected:allowed denied:granted before:after increase:decrease increases:decreases increased:decreased increasing:decreasing rise:fall rises:falls rose:fell ' +
  'grow:shrink grows:shrinks up:down above:below over:under more:less more:fewer greater:less greater:smaller larger:smaller ' +
  'longer:shorter higher:lower maximum:minimum max:min first:last earlier:later left:right ascending:descending start:end ' +
  'starts:ends starts:stops started:stopped start:stop starting:stopping enable:disable enables:disables enabled:disabled allow:deny allows:denies ' +
  'allowed:denied allow:forbid allows:forbids allowed:forbidden accept:reject accepts:rejects accepted:rejected open:close opens:closes opened:closed ' +
  'add:remove adds:removes added:removed add:delete adds:deletes added:deleted insert:delete include:exclude includes:excludes included:excluded ' +
  'success:failure succeeds:fails succeeded:failed succeed:fail true:false sync:async synchronous:asynchronous synchronously:asynchronously ' +
  'parent:child parents:children client:server read:write reads:writes send:receive sends:receives sent:received push:pull ' +
  'pushes:pulls upstream:downstream source:destination source:target input:output inputs:outputs encode:decode encodes:decodes lock:unlock locks:unlocks ' +
  'inner:outer public:private internal:external local:remote positive:negative valid:invalid prefix:suffix append:prepend appends:prepends ' +
  'load:store loads:stores import:export imports:exports top:bottom begin:end begins:ends next:previous forward:backward ' +
  'upgrade:downgrade upgraded:downgraded raise:lower raises:lowers raised:lowered gain:loss present:absent same:different ' +
  'inside:outside mutable:immutable optional:required optional:mandatory hit:miss acquire:release acquires:releases acquired:released ' +
  'show:hide shows:hides attach:detach connect:disconnect connected:disconnected set:unset known:unknown set:clear sets:clears online:offline best:worst new:old newest:oldest ' +
  'faster:slower fast:slow early:late high:low long:short large:small big:small strong:weak any:all some:all always:never all:none lazy:eager lazily:eagerly ' +
  'every:no every:some every:few all:half all:few each:some always:sometimes always:rarely never:always never:often never:sometimes always:seldom only:also alone:together whole:half entire:partial everything:nothing both:neither many:few most:few often:rarely often:seldom usually:rarely any:none everybody:nobody anyone:nobody everyone:noone unique:shared single:several single:multiple one:several one:many one:all everyone:nobody expand:collapse show:suppress keep:discard keeps:discards kept:discarded serial:parallel avoid:force avoids:forces avoided:forced free:keep frees:keeps freed:kept drop:keep drops:keeps dropped:kept raise:lower rises:drops rose:dropped grew:shrank grew:dropped increased:reduced increases:reduces decreased:raised reduced:raised ' +
  'automatic:manual automatically:manually implicit:explicit implicitly:explicitly direct:indirect directly:indirectly permanent:temporary permanently:temporarily temporary:lasting resolved:unresolved affected:unaffected healthy:unhealthy ready:unready normal:abnormal ' +
  'enough:insufficient sufficient:insufficient visible:hidden deep:shallow wide:narrow strict:lenient strict:loose safe:unsafe compressed:uncompressed encrypted:plain signed:unsigned sorted:unsorted ordered:unordered empty:full blocking:nonblocking idle:busy ' +
  'succeeded:crashed works:breaks worked:broke working:broken recovered:failed restored:lost gained:lost found:lost arrives:leaves arrived:left join:leave joins:leaves joined:left enters:leaves entered:left login:logout ' +
  'confirmed:denied confirms:denies acknowledged:ignored caught:thrown handled:unhandled used:unused supported:unsupported expected:unexpected limited:unlimited bounded:unbounded reachable:unreachable responsive:unresponsive available:unavailable ' +
  'caller:callee sender:receiver producer:consumer reader:writer master:slave primary:secondary primary:replica leader:follower frontend:backend staging:production host:guest morning:afternoon morning:evening noon:midnight day:night ' +
  'plus:minus multiply:divide multiplied:divided sum:difference north:south east:west horizontal:vertical height:width head:tail front:back beginning:end earliest:latest shortest:longest smallest:largest lowest:highest fewest:most ' +
  'only:all only:every only:any always:usually always:mostly hardly:nearly once:always once:every first:each current:all ' +
  'cheap:expensive easy:hard simple:complex weak:strict recommended:discouraged encouraged:discouraged prefer:avoid prefers:avoids preferred:avoided required:forbidden mandatory:forbidden allowed:prohibited approve:reject approved:rejected merge:split merged:split ' +
  'upload:download uploads:downloads uploaded:downloaded install:uninstall installed:uninstalled subscribe:unsubscribe register:deregister mount:unmount mounted:unmounted pause:resume paused:resumed suspended:resumed scaled:shrunk inherit:override ' +
  'shared:private shared:separate common:separate together:apart together:separately wait:continue waits:continues blocks:continues eventually:immediately immediately:later once:repeatedly slow:quick slowly:quickly gradually:suddenly'
)
  .split(' ')
  .map((pair) => pair.split(':') as unknown as readonly [string, string]);

const opposites = new Map<string, readonly string[]>();
for (const [a, b] of pairs) {
  opposites.set(a, [...(opposites.get(a) ?? []), b]);
  opposites.set(b, [...(opposites.get(b) ?? []), a]);
}

export const findOpposites = (word: string): readonly string[] => opposites.get(word.toLowerCase()) ?? [];

/**
 * Whether two words mean the same in prose, as in `needed for any upload` and `for all uploads`. They differ only in a
 * sentence that asks or denies.
 */
export const isSameInProse = (one: string, other: string): boolean =>
  [one, other].every((word) => word === 'any' || word === 'all');

/** The words of a claim that have an opposite, as written. */
export function findDirectedWords(text: string): readonly { readonly word: string; readonly at: number }[] {
  const bare = text.replace(/`[^`]*`|"[^"]*"|\bevery(?=\s\d)/g, (span) => ' '.repeat(span.length));
  return [...bare.matchAll(/\p{L}+/gu)].flatMap((match) =>
    opposites.has(match[0].toLowerCase()) ? [{ word: match[0].toLowerCase(), at: match.index }] : [],
  );
}

/** Opposites of order in time. */
export const timely = new Set(
  'before after earlier later first last next previous start starts started stop stops stopped end ends ended begin begins began'.split(
    ' ',
  ),
);

/** Words whose opposites may occur next to them. */
export const vague = new Set(
  'old new set unset known unknown read reads write writes on off up down over under out keeps kept keep push pushes pull pulls passed true false'.split(
    ' ',
  ),
);

/** Endings of adjectives. */
const ending = /\p{L}{2}(?:able|ible|ful|less|ous|ive|ical|ic|al|ary|ed|ent|ant|ern|ate)$/iu;
/** Nouns with such an ending. */
const nouns = new Set(
  (
    'agent client component content event tenant segment document element fragment comment increment deployment environment ' +
    'terminal signal portal journal interval proposal archive drive directive metric traffic logic topic public music ' +
    'library summary binary dictionary secondary certificate template delegate predicate feed speed seed shed bed'
  ).split(' '),
);
/** Adjectives with no such ending. */
const common = new Set(
  (
    'short long brief small large big tiny huge high low fast slow quick rapid swift new old young early late recent current ' +
    'main major minor key core full empty whole free cheap safe secure secret strict rigorous tight loose strong weak hard soft ' +
    'easy simple plain clear clean dirty rich poor thin thick deep shallow wide narrow broad open closed near far close remote ' +
    'local offsite onsite own extra same different single sole lone unique distinct separate rare true false right wrong ' +
    'correct exact precise proper good bad fine great better worse best worst real fake live dead hot cold warm dry wet heavy ' +
    'light bright dark quiet loud sharp smooth rough flat round direct certain sure final last next first past inner outer ' +
    'upper lower inverse reverse private public foreign longer shorter larger smaller bigger higher faster slower newer older ' +
    'stronger weaker wider deeper concise complex standard usual regular fresh stale steady stable solid firm fair equal rigid'
  ).split(' '),
);

/** Words for the place in a row. */
const ordinals =
  /^(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\p{L}+ieth|\p{L}+teenth)$/iu;
export const isOrdinal = (word: string): boolean => ordinals.test(word);

const isAdjective = (word: string): boolean =>
  common.has(word.toLowerCase()) ||
  isOrdinal(word) ||
  (ending.test(word) && /^\p{Ll}/u.test(word) && !nouns.has(word));

/** Whether two words are adjectives that may be said of the same thing: `a secure channel`, `an encrypted channel`. */
export const mayMeanSame = (one: string, other: string): boolean =>
  isAdjective(one) &&
  isAdjective(other) &&
  !(isOrdinal(one) && isOrdinal(other)) &&
  !findOpposites(one).includes(other.toLowerCase());
