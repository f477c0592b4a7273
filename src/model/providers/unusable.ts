import { SondeError } from '../../core/index.ts';
import { redact } from '../redact.ts';

/** The error of a model that was named and can't be used. */
export const unusable = (name: string, why: string, remedy: string): SondeError =>
  new SondeError('model_config', { message: redact(`The model ${name} cannot be used: ${why}`), remedy });
