/** Messages of programs, operating systems, the JVM and TLS. They name no system: the state is that of the sender. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const programs = createRules(null, [
  [
    /(HikariPool|connection pool|QueuePool|pool)\b.*(exhausted|limit of size|Connection is not available|timed? ?out (waiting|fetching)|no (free|available|idle) connections)|timeout (expired|acquiring).*pool|unable to (acquire|obtain|get) (a )?(jdbc )?connection/i,
    conditions.connections,
  ],
  [
    /RejectedExecutionException|thread pool (is )?exhausted|server reached (pm\.)?max_(children|clients)|can't start new thread|unable to create (new )?native thread|fork: (retry: )?resource temporarily unavailable/i,
    conditions.workers,
  ],
  [/no space left on device|\bENOSPC\b|disk quota exceeded|\bEDQUOT\b|no free inodes/i, conditions.fullDisk],
  [/too many open files|\bE[MN]FILE\b/i, conditions.files],
  [
    /out of memory: killed process(?: \d+ \((?<object>[\w.-]+)\))?|oom-kill|invoked oom-killer|\bOOMKilled\b|java\.lang\.OutOfMemoryError|cannot allocate memory|\bENOMEM\b|JavaScript heap out of memory|std::bad_alloc|\bMemoryError\b|fatal error: runtime: out of memory/i,
    conditions.memory,
  ],
  [
    /nf_conntrack: table full|cannot assign requested address|\bEADDRNOTAVAIL\b|possible SYN flooding/i,
    conditions.connections,
  ],
  [/address already in use|\bEADDRINUSE\b/i, conditions.config],
  [
    /read-only file ?system|\bEROFS\b|input\/output error|blk_update_request: I\/O error|\bEIO\b|EXT4-fs error|XFS .*(corruption|shutdown)|medium error|uncorrectable ECC|machine check/i,
    conditions.hardware,
  ],
  [
    /getaddrinfo (ENOTFOUND|EAI_AGAIN|EAI_NONAME)|\bNXDOMAIN\b|no such host|name or service not known|temporary failure in name resolution|could not resolve host|UnknownHostException|server misbehaving|SERVFAIL|could not translate host name/i,
    conditions.names,
  ],
  [
    /certificate (has )?expired|certificate .*not valid after|x509: certificate has expired|CERT_HAS_EXPIRED|NotAfter|sslv3 alert certificate expired/i,
    conditions.certificate,
  ],
  [
    /certificate signed by unknown authority|self[- ]signed certificate|unable to get (local )?issuer|certificate is valid for .*not|CERT_UNTRUSTED|PKIX path|hostname mismatch/i,
    conditions.untrusted,
  ],
  [
    /RequestTimeTooSkewed|clock skew too great|token .{0,20}used before issued|token (is )?not (yet )?valid( yet)?|\bJWT\b.*issued in the future/i,
    conditions.clock,
  ],
  [
    /ExpiredToken|token (has |is )?expired|InvalidClientTokenId|api key (has )?(expired|been revoked)|licen[cs]e (has )?expired/i,
    conditions.credential,
  ],
  [
    /(required |missing )(required )?env(ironment)? (var(iable)?)|env(ironment)? var(iable)? \S+ (is )?(not set|missing|required|undefined)|missing required (config|setting)|configuration error:|invalid configuration/i,
    conditions.missing,
  ],
  [
    /ProvisionedThroughputExceeded|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|rate limit (was )?exceeded|SlowDown\b|quota (has been )?exceeded|RESOURCE_EXHAUSTED/i,
    conditions.throttled,
  ],
]);
