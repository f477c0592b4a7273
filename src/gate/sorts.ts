/**
 * Words of one sort, of which a thing is one and not another: methods of HTTP, formats, resources of a machine. If a
 * claim names one that the lines do not have, and the lines name another that the claim does not, they contradict it.
 */
import type { Reading } from './reading.ts';
import type { Source } from './source.ts';
import { denialsIn, isSpared } from './turns.ts';
import { wordsIn } from './words.ts';

/** Words that mean the same are joined by a stroke. */
const ofCode: readonly string[] = [
  'GET POST PUT DELETE PATCH HEAD OPTIONS TRACE CONNECT',
  'json yaml|yml xml toml csv|tsv protobuf|proto pickle|unpickle msgpack ini',
  'gzip|gz|gunzip zstd bzip2 brotli|br lz4 snappy xz lzma',
  'md5 sha1 sha256 sha512 crc32 blake2',
  'aes rsa ecdsa ed25519 chacha20',
  'sigterm sigkill sigint sighup sigstop sigquit sigusr1 sigusr2',
];
/** In code these are too often named for something else: a comment about Linux stands in a function for Windows. */
const ofProse: readonly string[] = [
  'cpu|cpus|processor memory|ram|mem|heap disk|disks|storage network bandwidth',
  'tcp udp icmp sctp',
  'http|https ftp|sftp ssh smtp imap amqp mqtt grpc websocket|websockets|ws',
  'mysql|mariadb postgres|postgresql|pg sqlite|sqlite3 redis memcached mongodb|mongo elasticsearch cassandra dynamodb couchdb etcd',
  'nginx apache|apache2|httpd haproxy caddy envoy traefik',
  'kafka rabbitmq nats sqs pulsar',
  'production|prod staging|stage development|dev',
  'windows linux macos|darwin freebsd',
  'aws|amazon|ec2|s3 azure gcp|gce|google',
  'ext4 xfs btrfs zfs ntfs',
  'hour|hours|hourly minute|minutes day|days|daily week|weeks|weekly month|months|monthly year|years|yearly',
  'bits|bit bytes|byte',
  'binary text|plaintext',
  'horizontal|horizontally vertical|vertically',
  'stdin stdout stderr',
  'january february march april june july august september october november december',
];
const sorts = [...ofCode, ...ofProse].map((sort) =>
  sort.split(' ').map((one) => one.split('|').map((word) => word.toLowerCase())),
);

interface Place {
  readonly sort: number;
  readonly member: number;
}

const places: ReadonlyMap<string, readonly Place[]> = (() => {
  const found = new Map<string, Place[]>();
  for (const [sort, members] of sorts.entries())
    for (const [member, words] of members.entries())
      for (const word of words) found.set(word, [...(found.get(word) ?? []), { sort, member }]);
  return found;
})();

/** Sorts whose words count only in capitals: `get` and `put` are also verbs. */
const inCapitals = 1;

const placesIn = (
  text: string,
): readonly { readonly word: string; readonly at: number; readonly place: Place }[] =>
  wordsIn(text).flatMap(({ text: word, at }) =>
    (places.get(word.toLowerCase()) ?? [])
      .filter(({ sort }) => sort >= inCapitals || word === word.toUpperCase())
      .map((place) => ({ word, at, place })),
  );

/** The reason against a claim that names another thing of a sort than the lines; null if there is none. */
export function findOtherSort({ text }: Reading, { segments, known }: Source): string | null {
  const isCode = segments.some((one) => one.isCode && !one.isRecord);
  const said = placesIn(text).filter(({ place }) => !isCode || place.sort < ofCode.length);
  if (said.length === 0) return null;
  const given = [...segments.map((one) => one.text), known.text].flatMap(placesIn);
  for (const { word, at, place } of said) {
    const own = given.filter((one) => one.place.sort === place.sort);
    if (own.length === 0 || own.some((one) => one.place.member === place.member)) continue;
    if (
      said.some((one) => one.place.sort === place.sort && own.some((other) => isSame(one.place, other.place)))
    )
      continue;
    const before = text.slice(0, at);
    if (isSpared(before) || denialsIn(before).length > 0) continue;
    return `the lines have "${own[0]!.word}" where the claim says "${word}"`;
  }
  return null;
}

const isSame = (one: Place, other: Place): boolean => one.sort === other.sort && one.member === other.member;
