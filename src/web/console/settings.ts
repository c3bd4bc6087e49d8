import { pageSetting } from '../common/page-setting.ts';
import type { Role } from './types.ts';

export interface DemoLogin {
  role: Role;
  username: string;
  name: string;
  password: string;
}

/** The known log-ins; empty unless the node is in demo mode. */
export const DEMO_LOGINS: readonly DemoLogin[] = JSON.parse(pageSetting('demo-logins') || '[]');

/** Base URL of the twin. */
export const TWIN_URL = pageSetting('twin-url');

/** This address makes a new world. */
export const NEW_CITY_URL = `${TWIN_URL}/`;
