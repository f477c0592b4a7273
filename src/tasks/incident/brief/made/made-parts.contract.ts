/** What the incidents made up for tests share: changes beside the guilty one, and an alert of one service. */
import type { Commit } from './made-facts.contract.ts';

export const rename: Commit = [
  72,
  'orders',
  'refactor: tidy order handler',
  ['services/orders/handler.go'],
  '@@\n-\tif err := json.NewDecoder(r.Body).Decode(&req); err != nil {\n-\t\thttp.Error(w, err.Error(), 400)\n-\t\treturn\n-\t}\n+\treq, err := decodeRequest[OrderRequest](r)\n+\tif err != nil {\n+\t\twriteError(w, http.StatusBadRequest, err)\n+\t\treturn\n+\t}',
];
export const style: Commit = [
  73,
  'frontend',
  'feat: restyle the cart',
  ['services/frontend/static/cart.css'],
  '@@\n-.cart { padding: 4px; }\n+.cart { padding: 8px; }',
];
export const logs: Commit = [
  71,
  'orders',
  'chore: structured logs',
  ['services/orders/logging.go'],
  '@@\n-\tlog.Printf("order %s", id)\n+\tlogger.Info("order",\n+\t\t"id", id,\n+\t)',
];
export const patch: Commit = [
  70,
  'orders',
  'chore: bump dependencies',
  ['go.mod', 'go.sum'],
  '@@ require (\n-\tgoogle.golang.org/grpc v1.62.0\n+\tgoogle.golang.org/grpc v1.62.1\n )',
];
const docs: Commit = [null, '', 'docs: how to roll back', ['docs/rollback.md'], null];
export const innocents = [rename, style, logs, patch, docs];

export const orders = (metric: string, summary: string, at = 84) => ({
  service: 'orders',
  metric,
  summary,
  minute: at,
});
