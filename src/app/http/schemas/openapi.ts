/** Generates the OpenAPI document from the schemas that check requests. */
import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ErrorCode } from '../../../core/index.ts';
import type { Route } from '../route.ts';
import { errorBody, statusOf } from '../statuses.ts';

/** The errors that a route names, and those that its parameters, roles and effect imply. */
function listErrors({ allowedRoles, params, query, body, effect, errors }: Route): ReadonlySet<ErrorCode> {
  const codes: ErrorCode[] = ['bad_argument', 'store_locked', ...errors];
  codes.push('unauthenticated');
  if (allowedRoles !== 'anybody' || effect !== 'read') codes.push('forbidden');
  if (params !== undefined) codes.push('not_found');
  if (body !== undefined) codes.push('too_large');
  if (effect !== 'read' || query === undefined) codes.push('run_state');
  return new Set(codes);
}

export const listStatuses = (route: Route): readonly number[] =>
  [...new Set([route.status, ...[...listErrors(route)].map(statusOf), 500])].sort((a, b) => a - b);

const readSchemaId = (schema: z.ZodType): string => schema.meta()!.id!;

/** An extension field, since OpenAPI 3.1 can't describe the events of a stream. */
const toEventExtension = (event: z.ZodType | undefined) =>
  event !== undefined && { 'x-event-data': { $ref: `#/components/schemas/${readSchemaId(event)}` } };

function toOperation(route: Route): ZodOpenApiOperationObject {
  const { id, summary, allowedRoles, effect, params, query, body, answer, status } = route;
  const successResponse =
    'media' in answer
      ? {
          description: answer.of,
          content: {
            [answer.media]: { schema: { type: 'string' as const }, ...toEventExtension(answer.event) },
          },
        }
      : { description: 'done', content: { 'application/json': { schema: answer } } };
  const errorResponse = { description: 'an error', content: { 'application/json': { schema: errorBody } } };
  const statuses = listStatuses(route).filter((each) => each !== status);
  return {
    operationId: id,
    summary,
    description: `Roles: ${allowedRoles === 'anybody' ? 'anybody' : allowedRoles.join(', ')}.${effect === 'author' ? ' An act of the author: no agent has a tool for it.' : ''}`,
    ...(allowedRoles === 'anybody' && { security: [] }),
    ...((params ?? query) && {
      requestParams: { ...(params && { path: params }), ...(query && { query }) },
    }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [`${status}`]: successResponse,
      ...Object.fromEntries(statuses.map((each) => [`${each}`, errorResponse])),
    } as ZodOpenApiOperationObject['responses'],
  };
}

export function createOpenApiDocument(
  routes: readonly Route[],
  version: string,
): ReturnType<typeof createDocument> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path}`;
    paths[path] = { ...paths[path], [route.method]: toOperation(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Sonde',
      version,
      description:
        'The data of each event of a stream is JSON of the schema that x-event-data names. Lists are {items, next}: next as `cursor` goes on. Writes take Idempotency-Key. Errors are ' +
        '{error: {code, message, remedy, details?}} with the codes of docs/errors.md. Of a browser, a write needs the ' +
        'header X-Sonde beside the cookie.',
    },
    security: [{ token: [] }, { window: [] }],
    components: {
      schemas: Object.fromEntries(
        routes.flatMap(({ answer }) =>
          'media' in answer && answer.event !== undefined ? [[readSchemaId(answer.event), answer.event]] : [],
        ),
      ),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        window: { type: 'apiKey', in: 'cookie', name: 'sonde_session' },
      },
    },
    paths: paths as ZodOpenApiPathsObject,
  });
}
