/** As much of AWS as the client asks for: signatures are computed anew, answers are those of each service's protocol. */
import { createHash, createHmac } from 'node:crypto';
import type { DoubleAnswer, DoubleRequest } from '../http-double.contract.ts';

export const accessKeyId = 'AKIDEXAMPLE';
export const secretKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Null if the request is signed by that key, else what AWS answers. */
export function signatureFault(
  { method, path, query, headers, body }: DoubleRequest,
  key: string = secretKey,
): DoubleAnswer {
  const fault = (code: string): DoubleAnswer => ({
    json: { __type: `com.amazon.coral.service#${code}`, message: `it is ${code}` },
    status: 400,
  });
  const [, id, date, region, service, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (id !== accessKeyId) return fault('UnrecognizedClientException');
  const signed = names.split(';');
  if (!['host', 'x-amz-date', 'content-type'].every((name) => signed.includes(name)))
    return fault('InvalidSignatureException');
  query.sort();
  const canonical = [
    method,
    path,
    String(query),
    ...signed.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names,
    sha(body),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha(canonical)].join('\n');
  const signing = [region!, service!, 'aws4_request'].reduce(
    (own, part) => hmac(own, part),
    hmac(`AWS4${key}`, date!),
  );
  return hmac(signing, text).toString('hex') === signature ? null : fault('SignatureDoesNotMatch');
}

export interface MadeMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch, and values. */
  readonly points: readonly (readonly [number, number])[];
}
export interface MadeEvent {
  readonly at: number;
  readonly source: string;
  readonly categories: readonly string[];
  readonly message: string;
}
export interface MadeAccount {
  readonly metrics: readonly MadeMetric[];
  readonly logs: Readonly<Record<string, readonly (readonly [at: number, message: string])[]>>;
  readonly events: readonly MadeEvent[];
  /** Rows of one page. */
  readonly page?: number;
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
export const answerXml = (operation: string, result: string): DoubleAnswer => ({
  text: `<?xml version="1.0"?>\n<${operation}Response xmlns="http://aws.test/doc/"><${operation}Result>${result}</${operation}Result><ResponseMetadata><RequestId>b9a1</RequestId></ResponseMetadata></${operation}Response>`,
  headers: { 'content-type': 'text/xml' },
});

export function awsServer(account: MadeAccount) {
  const { page = 100 } = account;
  const pageOf = <Item>(all: readonly Item[], token: unknown) => {
    const first = Number(token ?? 0);
    const next = first + page < all.length ? String(first + page) : null;
    return { items: all.slice(first, first + page), next };
  };
  return ({ headers, body, query: _ }: DoubleRequest): DoubleAnswer => {
    const target = String(headers['x-amz-target'] ?? '').split('.')[1];
    const form = target === undefined ? new URLSearchParams(body) : null;
    const asked = (form === null ? JSON.parse(body) : Object.fromEntries(form)) as Record<
      string,
      string | undefined
    >;
    switch (target ?? form!.get('Action')) {
      case 'GetCallerIdentity':
        return answerXml(
          'GetCallerIdentity',
          '<Arn>arn:aws:iam::123456789012:user/sonde</Arn><Account>123456789012</Account>',
        );
      case 'ListMetrics': {
        const fits = account.metrics.filter(
          ({ namespace, name }) =>
            [namespace, undefined].includes(asked['Namespace']) &&
            [name, undefined].includes(asked['MetricName']),
        );
        const { items, next } = pageOf(fits, asked['NextToken']);
        const Metrics = items.map(({ namespace, name, dimensions }) => ({
          Namespace: namespace,
          MetricName: name,
          Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
        }));
        return { json: { Metrics, OwningAccounts: [], ...(next !== null && { NextToken: next }) } };
      }
      case 'GetMetricData': {
        type Query = {
          Id: string;
          MetricStat: { Metric: { MetricName: string; Dimensions: { Value: string }[] }; Period: number };
        };
        const [from, to] = [Number(asked['StartTime']) * 1_000, Number(asked['EndTime']) * 1_000];
        const results = (asked['MetricDataQueries'] as unknown as Query[]).map(({ Id, MetricStat }) => {
          const { MetricName, Dimensions } = MetricStat.Metric;
          const values = Dimensions.map(({ Value }) => Value).join('/');
          const own = account.metrics.find(
            ({ name, dimensions }) => name === MetricName && Object.values(dimensions).join('/') === values,
          );
          const inside = (own?.points ?? []).filter(([at]) => at >= from && at < to);
          return {
            Id,
            Label: MetricName,
            Timestamps: inside.map(([at]) => at / 1_000),
            Values: inside.map(([, value]) => value),
            StatusCode: 'Complete',
          };
        });
        return { json: { MetricDataResults: results, Messages: [] } };
      }
      case 'DescribeLogGroups': {
        const logGroups = Object.keys(account.logs)
          .filter((name) => name.startsWith(asked['logGroupNamePrefix'] ?? ''))
          .map((logGroupName) => ({ logGroupName, storedBytes: 1 }));
        return { json: { logGroups } };
      }
      case 'FilterLogEvents': {
        const all = account.logs[String(asked['logGroupName'])];
        if (all === undefined)
          return {
            json: { __type: 'ResourceNotFoundException', message: 'The specified log group does not exist.' },
            status: 400,
          };
        const words = String(asked['filterPattern'] ?? '')
          .split(' ')
          .map((word) => word.replace('?', ''));
        const inside = all.filter(
          ([at, message]) =>
            at >= Number(asked['startTime']) &&
            at <= Number(asked['endTime']) &&
            words.some((word) => message.includes(word)),
        );
        const { items, next } = pageOf(inside, asked['nextToken']);
        const events = items.map(([timestamp, message], k) => ({
          logStreamName: 'main',
          timestamp,
          message,
          ingestionTime: timestamp + 900,
          eventId: `${asked['logGroupName']}${timestamp}${message}${k}`,
        }));
        return { json: { events, searchedLogStreams: [], ...(next !== null && { nextToken: next }) } };
      }
      case 'DescribeEvents': {
        const [from, to] = [Date.parse(asked['StartTime']!), Date.parse(asked['EndTime']!)];
        const { items, next } = pageOf(
          account.events.filter(({ at }) => at >= from && at <= to),
          asked['Marker'],
        );
        const list = items
          .map(
            ({ at, source, categories, message }) =>
              `<Event><SourceIdentifier>${xml(source)}</SourceIdentifier><SourceType>db-instance</SourceType><Message>${xml(message)}</Message><EventCategories>${categories.map((one) => `<EventCategory>${one}</EventCategory>`).join('')}</EventCategories><Date>${new Date(at).toISOString()}</Date></Event>`,
          )
          .join('');
        return answerXml(
          'DescribeEvents',
          `<Events>${list}</Events>${next === null ? '' : `<Marker>${next}</Marker>`}`,
        );
      }
      default:
        return { json: { __type: 'UnknownOperationException' }, status: 400 };
    }
  };
}
