/**
 * Requests to AWS services, each in its own protocol: JSON with the operation in a header, or a form that is answered
 * in XML.
 */
import { XMLParser } from 'fast-xml-parser';
import type { z } from 'zod';
import type { Clock, SignalFailure } from '../../core/index.ts';
import { type BodyFormat, type Http, type JsonReply, openHttp } from '../http.ts';
import type { AwsCredentials } from './credentials.ts';
import { signingFetch } from './sign.ts';

export interface AwsOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly region: string;
  readonly credentials: () => AwsCredentials;
  /** One address for all services. Default: the own address of each service. */
  readonly base?: string;
  readonly throttledSeconds?: number;
}

export type Operation =
  | 'ListMetrics'
  | 'GetMetricData'
  | 'FilterLogEvents'
  | 'DescribeLogGroups'
  | 'DescribeEvents'
  | 'GetCallerIdentity';

type Service = 'monitoring' | 'logs' | 'rds' | 'sts';

const serviceOf: Readonly<Record<Operation, Service>> = {
  ListMetrics: 'monitoring',
  GetMetricData: 'monitoring',
  FilterLogEvents: 'logs',
  DescribeLogGroups: 'logs',
  DescribeEvents: 'rds',
  GetCallerIdentity: 'sts',
};

/** The IAM action that an account needs for an operation. */
export const rightFor = (operation: Operation): string =>
  `${serviceOf[operation] === 'monitoring' ? 'cloudwatch' : serviceOf[operation]}:${operation}`;

const jsonTargets: Partial<Record<Service, { readonly prefix: string; readonly version: string }>> = {
  monitoring: { prefix: 'GraniteServiceVersion20100801', version: '1.0' },
  logs: { prefix: 'Logs_20140328', version: '1.1' },
};
const formVersions: Partial<Record<Service, string>> = { rds: '2014-10-31', sts: '2011-06-15' };

const xmlParser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  isArray: (name) => name === 'Event' || name === 'EventCategory',
});

/**
 * The format of a form that is answered in XML. Answers with a DOCTYPE or entities are refused, since entities could
 * expand without limit.
 */
const formFormat = (operation: Operation, version: string): BodyFormat => ({
  name: 'XML',
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  write: (body) => String(new URLSearchParams({ Action: operation, Version: version, ...(body as object) })),
  read(text) {
    if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('it defines entities');
    return xmlParser.parse(text, true) as unknown;
  },
});

export interface Aws {
  readonly source: string;
  ask<Value>(
    operation: Operation,
    body: Readonly<Record<string, unknown>>,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<JsonReply<Value> | SignalFailure>;
}

/** Throws `bad_config` if the address is not a valid URL. */
export function openAws(options: AwsOptions): Aws {
  const { fetch, clock, region, credentials, throttledSeconds } = options;
  const clients = new Map<Operation, Http>();
  const openClient = (operation: Operation): Http => {
    const service = serviceOf[operation];
    const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const target = jsonTargets[service];
    const session = credentials().session;
    return openHttp({
      system: `cloudwatch (${operation})`,
      base: options.base ?? `https://${service}.${region}.${suffix}`,
      fetch: signingFetch({
        fetch,
        clock,
        region,
        service,
        credentials,
        ...(throttledSeconds !== undefined && { throttledSeconds }),
      }),
      // `signingFetch` sends the session token; it is given here too, so that it is masked in answers.
      ...(session !== null && {
        authorization: { kind: 'headers', headers: { 'x-amz-security-token': session } },
      }),
      ...(target !== undefined && { headers: { 'x-amz-target': `${target.prefix}.${operation}` } }),
      postPaths: ['/'],
      wire:
        target === undefined
          ? formFormat(operation, formVersions[service]!)
          : {
              name: 'JSON',
              contentType: `application/x-amz-json-${target.version}`,
              write: JSON.stringify,
              read: JSON.parse,
            },
    });
  };
  return Object.freeze({
    source: `cloudwatch ${options.base ?? region}`,
    ask: (operation, body, shape, signal) => {
      const http = clients.get(operation) ?? openClient(operation);
      clients.set(operation, http);
      return http.postJson('/', body, shape, signal);
    },
  } satisfies Aws);
}
