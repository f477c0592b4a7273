export { type Scope, scopeOf } from '../../catalogue/index.ts';
