/** The person of this window, for the views. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from '../api/types.ts';

export const SessionContext = createContext<Session | null>(null);
export const useSession = (): Session => useContext(SessionContext)!;
