/** The services of AWS that are asked, each by its own protocol: JSON with the name of the operation, or a form and XML. */
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
  /** All services at one address; each at its own where absent. */
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

/** The IAM action that an account needs for it. */
export const rightFor = (operation: Operation): string =>
  `${serviceOf[operation] === 'monitoring' ? 'cloudwatch' : serviceOf[operation]}:${operation}`;

const jsonTargets: Partial<Record<Service, { readonly prefix: string; readonly version: string }>> = {
  monitoring: { prefix: 'GraniteServiceVersion20100801', version: '1.0' },
  logs: { prefix: 'Logs_20140328', version: '1.1' },
};
const formVersions: Partial<Record<Service, string>> = { rds: '2014-10-31', sts: '2011-06-15' };

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  isArray: (name) => name === 'Event' || name === 'EventCategory',
});

/** A form that is answered in XML; definitions of a document, which could swell it, are refused. */
const formWire = (operation: Operation, version: string): BodyFormat => ({
  name: 'XML',
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  write: (body) => String(new URLSearchParams({ Action: operation, Version: version, ...(body as object) })),
  read(text) {
    if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('it defines entities');
    return parser.parse(text, true) as unknown;
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
  const opened = new Map<Operation, Http>();
  const open = (operation: Operation): Http => {
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
      // The token is signed elsewhere; it is named here so that it is removed from answers.
      ...(session !== null && {
        authorization: { kind: 'headers', headers: { 'x-amz-security-token': session } },
      }),
      ...(target !== undefined && { headers: { 'x-amz-target': `${target.prefix}.${operation}` } }),
      postPaths: ['/'],
      wire:
        target === undefined
          ? formWire(operation, formVersions[service]!)
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
      const http = opened.get(operation) ?? open(operation);
      opened.set(operation, http);
      return http.postJson('/', body, shape, signal);
    },
  } satisfies Aws);
}
