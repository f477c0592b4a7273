/** Words of one sort, of which a thing is one and not another: methods of HTTP, formats, resources of a machine. */
import { splitWords } from './words.ts';

/** Words that mean the same are joined by a stroke. */
const ofCode: readonly string[] = [
  'GET POST PUT DELETE PATCH HEAD OPTIONS TRACE CONNECT',
  'json yaml|yml xml toml csv|tsv protobuf|proto pickle|unpickle msgpack ini',
  'gzip|gz|gunzip zstd bzip2 brotli|br lz4 snappy xz lzma',
  'md5 sha1 sha256 sha512 crc32 blake2',
  'aes rsa ecdsa ed25519 chacha20',
  'sigterm sigkill sigint sighup sigstop sigquit sigusr1 sigusr2',
];
/** In code these are too often named for something else: a comment about Linux is in a function for Windows. */
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

/** The place of a word: its sort, and which thing of the sort it names. */
export interface SortPlace {
  readonly sort: number;
  readonly member: number;
}

const places: ReadonlyMap<string, readonly SortPlace[]> = (() => {
  const found = new Map<string, SortPlace[]>();
  for (const [sort, members] of sorts.entries())
    for (const [member, words] of members.entries())
      for (const word of words) found.set(word, [...(found.get(word) ?? []), { sort, member }]);
  return found;
})();

/** Sorts whose words count only in capitals: `get` and `put` are also verbs. */
const inCapitals = 1;

/** Names in mixed case, which are several words otherwise: `PostgreSQL`. */
const findBrands = (text: string): readonly { readonly text: string; readonly at: number }[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}])\p{L}*\p{Ll}\p{Lu}\p{L}*(?![\p{L}\p{N}])/gu)].map(
    ({ 0: word, index }) => ({
      text: word,
      at: index,
    }),
  );

/** The words of a text that name a thing of a sort. */
export const findSortWords = (
  text: string,
): readonly { readonly word: string; readonly at: number; readonly place: SortPlace }[] =>
  [...splitWords(text), ...findBrands(text)].flatMap(({ text: word, at }) =>
    (places.get(word.toLowerCase()) ?? [])
      .filter(({ sort }) => sort >= inCapitals || word === word.toUpperCase())
      .map((place) => ({ word, at, place })),
  );

/** Whether the words of a sort mean the same in code as in prose. */
export const isOfCode = ({ sort }: SortPlace): boolean => sort < ofCode.length;
