/** The table of all routes. */
import type { Route } from './route.ts';
import { adminRoutes } from './routes/admin.ts';
import { auditRoutes } from './routes/audit.ts';
import { inboxRoutes } from './routes/inbox.ts';
import { incidentRoutes } from './routes/incidents.ts';
import { memoryRoutes } from './routes/memory.ts';
import { pageRoutes } from './routes/pages.ts';
import { runControlRoutes } from './routes/run-control.ts';
import { runRoutes } from './routes/runs.ts';
import { spendRoutes } from './routes/spend.ts';
import { threadRoutes } from './routes/threads.ts';
import { workspaceRoutes } from './routes/workspace.ts';

export const apiRoutes: readonly Route[] = Object.freeze([
  ...workspaceRoutes,
  ...inboxRoutes,
  ...pageRoutes,
  ...threadRoutes,
  ...runRoutes,
  ...runControlRoutes,
  ...incidentRoutes,
  ...adminRoutes,
  ...memoryRoutes,
  ...spendRoutes,
  ...auditRoutes,
]);
