/** The session cookie of the page. Scripts cannot read it, and other sites do not send it. */
const name = 'sonde_session';
const lifetimeHours = 12;

/** Whether the page was loaded over https. Read from the Origin header, since a proxy may terminate TLS. */
const isSecure = (headers: Headers): boolean => (headers.get('origin') ?? '').startsWith('https:');

const formatAttributes = (headers: Headers): string =>
  `HttpOnly; SameSite=Strict; Path=/api/v1${isSecure(headers) ? '; Secure' : ''}`;

export const createCookie = (token: string, headers: Headers): string =>
  `${name}=${token}; Max-Age=${lifetimeHours * 3_600}; ${formatAttributes(headers)}`;

export const createExpiredCookie = (headers: Headers): string =>
  `${name}=; Max-Age=0; ${formatAttributes(headers)}`;

/** Null if the request has no such cookie. */
export function readCookie(headers: Headers): string | null {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const [key, value] = pair.trim().split('=');
    if (key === name && value !== undefined && /^[\w-]{20,100}$/.test(value)) return value;
  }
  return null;
}
