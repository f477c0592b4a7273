import { SondeError } from '../../core/index.ts';
import { redact } from '../redact.ts';

/** The error for a named model that can't be used. */
export const unusableModelError = (name: string, why: string, remedy: string): SondeError =>
  new SondeError('model_config', { message: redact(`The model ${name} cannot be used: ${why}`), remedy });
