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

/** The known log-ins; empty unless the node is in demo mode. */
export const DEMO_LOGINS: readonly DemoLogin[] = JSON.parse(said('demo-logins') || '[]');

/** This address makes a new world. */
export const NEW_CITY_URL = `${said('twin-url')}/`;
