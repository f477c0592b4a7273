/** Limits that were met, and things that are not there, as messages tell of them. */
import type { Facts } from './facts.ts';
import type { Movement } from './movement.ts';
import { type Outside, quotedText } from './outside-cause.ts';
import { isBad, isWorse } from './symptoms.ts';
import { serviceStem } from './words.ts';

const minute = 60_000;

/** How it is told, what it is, and what to do first. */
const met: readonly (readonly [tells: RegExp, is: string, remedy: string])[] = [
  [
    /no space left|disk (is )?full|enospc|disk quota exceeded/i,
    'a disk that is full',
    'Free space on the disk, or make it larger; find what filled it.',
  ],
  [
    /certificate (has )?expired|x509.*expired|cert.*not valid after|certificate.*expir/i,
    'a certificate that has expired',
    'Renew the certificate and load it again; look which others expire next.',
  ],
  [
    /node.*(not ?ready|unreachable)|evicted|spot.*(terminat|interrupt)|host.*(failure|down)/i,
    'a node that went away',
    'Move what ran there to other nodes, and keep the node out until it is looked at.',
  ],
  [
    /no such host|dns.*(fail|timeout|servfail)|name resolution|nxdomain/i,
    'names that were not resolved',
    'Look at the resolver, and at what was last changed in the zone.',
  ],
  [
    /too many open files|emfile|out of memory|cannot allocate memory|oomkill/i,
    'a machine at its limit',
    'Give it more room or restart what leaks, and find what took it.',
  ],
  [
    /quota.*exceed|rate.*exceed|throttl|provisionedthroughputexceeded/i,
    'a quota that was met',
    'Ask for a higher quota, or lower what uses it.',
  ],
  [
    /clock (skew|drift|offset)|(time|clock)s? (is|are|was|runs?) (ahead|behind|off)|used before issued|not (yet|before) valid|(iat|nbf|timestamp).*(future|too (far|old)|outside)|requesttimetooskewed/i,
    'clocks that differ',
    'Bring the clocks together again (NTP), and look which machine is off.',
  ],
  [
    /(i|input)\/(o|output) error|\beio\b|read-only file ?system|\becc\b.*error|bad sector|medium error|nvme.*(reset|timeout|fail)|machine check|structure needs cleaning/i,
    'hardware that fails',
    'Fail over from the machine and take it out.',
  ],
  [
    /(token|credential|password|api.?key|licen[cs]e|secret)s? (has |have |is |was )?(been )?(expired|revoked)|expired (token|credential|password|api.?key|licen[cs]e)/i,
    'a credential that has expired',
    'Renew the credential, and look which others expire next.',
  ],
  [
    /availability zone|region.*(outage|impair)|network partition|network is unreachable|packet loss|link down/i,
    'the network',
    'Move traffic away from the link or the zone, and ask who runs it.',
  ],
];

/** What no change of code or settings brings about. */
const broken = /(i|input)\/(o|output) error|\beio\b|\becc\b.*error|bad sector|medium error|machine check/i;

const downs =
  /connection refused|econnrefused|no route to host|host (is )?unreachable|clusterdown|no (leader|primary|master)|lost quorum|connection reset by peer|failover in progress/i;
const target =
  /\b([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*):(?:\d{2,5}\b|<[^>]{1,12}>)|(?<![\w-])(redis|kafka|rabbitmq|etcd|consul|zookeeper|memcached|elasticsearch|cassandra|mongo\w*|postgres\w*|mysql|vault|nats)(?![\w-])/i;

/** Something of the house that others wait for is not there, and nothing was delivered to it. */
export function dependencies(facts: Facts, onset: number): readonly Outside[] {
  const worse = [
    ...facts.patterns
      .filter((one) => isWorse(one) && isBad(one.level))
      .map((one) => ({ text: `${one.template} ${one.example}`, said: one.template, evidence: one.evidence })),
    ...facts.lines.filter(({ level }) => isBad(level)).map((one) => ({ ...one, said: one.text })),
  ].filter(({ text }) => downs.test(text));
  const changed = new Set(
    facts.changes
      .filter(({ kind, at }) => kind !== 'commit' && at <= onset + 2 * minute)
      .flatMap(({ service }) => (service === null ? [] : [serviceStem(service)])),
  );
  const found = new Map<string, { readonly said: string; readonly evidence: Set<string> }>();
  for (const { text, said, evidence } of worse) {
    const match = target.exec(text);
    const name = (match?.[1] ?? match?.[2])?.toLowerCase();
    if (name === undefined || changed.has(serviceStem(name))) continue;
    const before = found.get(name) ?? { said, evidence: new Set<string>() };
    before.evidence.add(evidence);
    found.set(name, before);
  }
  return [...found].map(([name, { said, evidence }]) => ({
    kind: 'capacity' as const,
    id: name,
    score: 0.45,
    evidence: [...evidence].slice(0, 3),
    why: `messages tell that ${name} is not there: ${quotedText(said)}`,
  }));
}

/** Whether a text tells what a claim says that messages tell: of a limit, or of something that is not there. */
export function tellsOf(said: string, text: string): boolean {
  const gone = /^that (\S+) is not there$/.exec(said)?.[1];
  if (gone !== undefined) return downs.test(text) && text.toLowerCase().includes(gone);
  return met.some(([shape, name]) => said === `of ${name}` && shape.test(text));
}

/** Whether that is the name of a limit, and not of something that is gone. */
export const isLimit = (id: string): boolean => met.some(([, name]) => name === id);

/** What to do first, by what was met. */
export const remedyOf = (id: string): string | null => met.find(([, name]) => name === id)?.[2] ?? null;

export function limits(facts: Facts, movements: readonly Movement[]): readonly Outside[] {
  const worse = [
    ...facts.patterns
      .filter((one) => isWorse(one) && isBad(one.level))
      .map((one) => ({ text: one.template, evidence: one.evidence })),
    ...facts.lines.filter(({ level }) => isBad(level)),
  ];
  return met.flatMap(([shape, says]) => {
    const seen = worse.filter(({ text }) => shape.test(text));
    if (seen.length === 0) return [];
    const moved = movements.some(({ kind }) => kind === 'saturation');
    return [
      {
        kind: 'capacity' as const,
        id: says,
        score:
          (broken.test(seen[0]!.text) ? 0.62 : /quota|machine/.test(says) ? 0.3 : 0.45) + (moved ? 0.05 : 0),
        evidence: [...new Set(seen.map(({ evidence }) => evidence))].slice(0, 2),
        why: `messages tell of ${says}: ${quotedText(seen[0]!.text)}`,
      },
    ];
  });
}
