export { firewall, quoteMaterial } from './boundary.ts';
