export { firewall, type Origin, quoteMaterial, type Trust, unquoteMaterial } from './boundary.ts';
