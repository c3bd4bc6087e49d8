import type { Role } from './types.ts';

export interface DemoLogin {
  role: Role;
  username: string;
  name: string;
  password: string;
}

function said(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Log-ins that everybody knows; none where the node is not in demo mode. */
export const DEMO_LOGINS: readonly DemoLogin[] = JSON.parse(said('demo-logins') || '[]');

/** Where one gets a city of one's own. */
export const NEW_CITY_URL = `${said('twin-url')}/`;
