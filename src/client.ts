/**
 * The entry point `sonde/client`: a typed client for the HTTP API of `sonde serve`. It loads no other part of Sonde, and
 * runs wherever there is `fetch`.
 *
 * ```ts
 * import { apiClient } from 'sonde/client';
 * const api = apiClient({ address: 'http://127.0.0.1:7077', token });
 * const { items } = await api.request('listInbox', { params: { workspace: 'notes' }, query: { limit: 10 } });
 * ```
 */
export {
  type ApiAddress,
  type ApiClient,
  type ApiEvent,
  ApiFailure,
  type ApiRequest,
  apiClient,
  type EventStream,
  type OperationId,
} from './app/http/client/api-client.ts';
export type { Operations, Schemas } from './app/http/client/operations.ts';
